/** opossum: a circuit breaker around a function, with a timeout of its own. */
import { definePack } from './contract.ts';

export const pack = definePack({
  id: 'opossum',
  packages: ['opossum'],
  assumedVersion: '9.0.0',
  types: {
    Breaker: {
      members: {
        fire: { call: { promise: true } },
        call: { call: { promise: true } },
        fallback: { call: { returns: 'self', callbacks: [{ arg: 0, role: 'sync' }] } },
        on: { call: { returns: 'self', callbacks: [{ arg: 1, role: 'listener' }] } },
      },
    },
  },
  exports: {
    default: {
      construct: { type: 'Breaker' },
      call: {
        returns: 'Breaker',
        promise: false,
        callbacks: [{ arg: 0, role: 'timeout' }],
        timeoutAt: { arg: 1, path: 'timeout' },
      },
    },
  },
  facts: [
    {
      topic: 'timeout.default',
      versions: '9.0.0',
      says: '10 s; the action runs on when it is over unless an abort controller is given.',
      source: 'lib/circuit.js',
    },
    {
      topic: 'breaker',
      versions: '9.0.0',
      says: 'Opens at 50 % errors over 10 s, tries again after 30 s, no limit of concurrency.',
      source: 'lib/circuit.js',
    },
  ],
});
