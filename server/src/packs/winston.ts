/** winston: loggers made by `createLogger`, the default logger, child loggers. */
import { definePack } from './contract.ts';

const write = {
  call: {
    effect: { kind: 'log' as const, op: 'emit' as const, bestEffort: true },
    returns: 'self',
    promise: false,
  },
};
const levels = Object.fromEntries(
  [
    'log',
    'error',
    'warn',
    'info',
    'http',
    'verbose',
    'debug',
    'silly',
    'emerg',
    'alert',
    'crit',
    'warning',
    'notice',
  ].map((level) => [level, write]),
);
const root = {
  call: { effect: { kind: 'log' as const, op: 'emit' as const, bestEffort: true }, promise: false },
};

export const pack = definePack({
  id: 'winston',
  packages: ['winston'],
  assumedVersion: '3.18.3',
  types: {
    Logger: {
      role: 'logger',
      members: {
        ...levels,
        child: { call: { returns: 'self' } },
        add: { call: { returns: 'self' } },
        remove: { call: { returns: 'self' } },
      },
    },
    Container: { members: { get: { call: { returns: 'Logger' } }, add: { call: { returns: 'Logger' } } } },
  },
  exports: {
    createLogger: { call: { returns: 'Logger' } },
    Logger: { construct: { type: 'Logger' } },
    Container: { construct: { type: 'Container' } },
    loggers: { type: 'Container' },
    child: { call: { returns: 'Logger' } },
    ...Object.fromEntries(Object.keys(levels).map((level) => [level, root])),
  },
  facts: [
    {
      topic: 'child',
      versions: '>=3',
      says: 'A child logger adds its fields to every entry.',
      source: 'README, Creating child loggers',
    },
  ],
});
