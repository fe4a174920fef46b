/** pino: loggers and child loggers, also as Fastify hands them out. */
import { definePack } from './contract.ts';

const write = {
  call: { effect: { kind: 'log' as const, op: 'emit' as const, bestEffort: true }, promise: false },
};
const levels = Object.fromEntries(
  ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'].map((level) => [level, write]),
);
const make = { call: { returns: 'Logger' } };

export const pack = definePack({
  id: 'pino',
  packages: ['pino', 'pino-http'],
  assumedVersion: '10.1.0',
  types: {
    Logger: {
      role: 'logger',
      members: { ...levels, child: { call: { returns: 'self' } }, flush: { call: { promise: false } } },
    },
  },
  exports: { default: make, pino: make },
  typeNames: { BaseLogger: 'Logger', 'pino.Logger': 'Logger' },
  facts: [
    {
      topic: 'child',
      versions: '>=5',
      says: 'A child logger carries the bindings it was made with into every line it writes.',
      source: 'docs/child-loggers.md',
    },
  ],
});
