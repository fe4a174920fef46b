/** bunyan: loggers made by `createLogger`, child loggers. */
import { definePack } from './contract.ts';

const write = {
  call: { effect: { kind: 'log' as const, op: 'emit' as const, bestEffort: true }, promise: false },
};

export const pack = definePack({
  id: 'bunyan',
  packages: ['bunyan'],
  assumedVersion: '1.8.15',
  types: {
    Logger: {
      role: 'logger',
      members: {
        ...Object.fromEntries(
          ['trace', 'debug', 'info', 'warn', 'error', 'fatal'].map((level) => [level, write]),
        ),
        child: { call: { returns: 'self' } },
      },
    },
  },
  exports: {
    createLogger: { call: { returns: 'Logger' } },
    default: { construct: { type: 'Logger' } },
    Logger: { construct: { type: 'Logger' } },
  },
  facts: [
    {
      topic: 'child',
      versions: '>=1',
      says: 'A child logger carries the fields it was made with.',
      source: 'README, log.child',
    },
  ],
});
