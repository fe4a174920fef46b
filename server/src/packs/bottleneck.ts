/** bottleneck: `limiter.schedule(fn)`, `limiter.wrap(fn)`. */
import { definePack } from './contract.ts';

export const pack = definePack({
  id: 'bottleneck',
  packages: ['bottleneck'],
  assumedVersion: '2.19.5',
  types: {
    Limiter: {
      members: {
        schedule: {
          call: { promise: true, returns: 'callback', callbacks: [{ arg: 'last', role: 'limit' }] },
        },
        wrap: { call: { promise: false, callbacks: [{ arg: 0, role: 'limit' }] } },
        on: { call: { callbacks: [{ arg: 1, role: 'listener' }] } },
      },
    },
  },
  exports: { default: { construct: { type: 'Limiter' } } },
  facts: [
    {
      topic: 'bounds',
      versions: '2.19.5',
      says: '`maxConcurrent` and `minTime` are off unless given.',
      source: 'lib/Bottleneck.js',
    },
  ],
});
