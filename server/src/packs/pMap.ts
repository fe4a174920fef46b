/** p-map and its kin, which run a function over a list. */
import { definePack, type CallSpec } from './contract.ts';

const mapped: CallSpec = {
  promise: true,
  callbacks: [{ arg: 1, role: 'limit' }],
  concurrencyAt: { arg: 2, path: 'concurrency' },
};

export const pack = definePack({
  id: 'pMap',
  packages: ['p-map', 'p-each', 'p-filter'],
  assumedVersion: '7.1.1',
  types: {},
  exports: { default: { call: mapped } },
  facts: [
    {
      topic: 'bounds',
      versions: 'p-map 7.1.1',
      says: '`concurrency` is Infinity unless it is given.',
      source: 'index.js',
    },
  ],
});
