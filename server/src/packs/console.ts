/** The global console, as a logger. */
import { definePack } from './contract.ts';

const write = {
  call: { effect: { kind: 'log' as const, op: 'emit' as const, bestEffort: true }, promise: false },
};

export const pack = definePack({
  id: 'console',
  packages: ['console'],
  assumedVersion: '20.20.2',
  types: {
    Console: {
      role: 'logger',
      members: Object.fromEntries(
        ['log', 'error', 'warn', 'info', 'debug', 'trace', 'dir', 'table', 'assert'].map((name) => [
          name,
          write,
        ]),
      ),
    },
  },
  exports: { default: { type: 'Console' }, Console: { construct: { type: 'Console' } } },
  globals: { console: { type: 'Console' } },
  facts: [
    {
      topic: 'output',
      versions: '20.20.2',
      says: 'Console methods write and give nothing back: there is no promise to observe and no failure to handle.',
      source: 'Node API, console',
    },
  ],
});
