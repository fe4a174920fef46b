/** p-limit: a function that runs others under a limit of concurrency. */
import { definePack, type CallSpec } from './contract.ts';

const run: CallSpec = { promise: true, returns: 'callback', callbacks: [{ arg: 0, role: 'limit' }] };

export const pack = definePack({
  id: 'pLimit',
  packages: ['p-limit'],
  assumedVersion: '7.3.3',
  types: {
    Limit: {
      call: run,
      members: { map: { call: { promise: true, callbacks: [{ arg: 1, role: 'limit' }] } } },
    },
  },
  exports: {
    default: { call: { returns: 'Limit', promise: false } },
    pLimit: { call: { returns: 'Limit', promise: false } },
    limitFunction: { call: { promise: false, callbacks: [{ arg: 0, role: 'limit' }] } },
  },
  typeNames: { LimitFunction: 'Limit' },
  facts: [{ topic: 'bounds', versions: '7.3.3', says: 'A number is required.', source: 'index.js' }],
});
