/** lru-cache: a map with a bound. It does nothing outside of the process. */
import { definePack, type MemberSpec } from './contract.ts';

const plain: MemberSpec = { call: { promise: false } };

export const pack = definePack({
  id: 'lruCache',
  packages: ['lru-cache'],
  assumedVersion: '11.5.3',
  types: {
    Cache: {
      members: {
        get: plain,
        set: { call: { returns: 'self', promise: false } },
        has: plain,
        peek: plain,
        delete: plain,
        clear: plain,
        // One load per key at a time, whoever asks.
        fetch: { call: { promise: true } },
      },
    },
  },
  exports: {
    LRUCache: { construct: { type: 'Cache' } },
    default: { construct: { type: 'Cache' } },
  },
  facts: [
    {
      topic: 'bounds',
      versions: '11.5.3',
      says: 'One of `max`, `maxSize` or `ttl` must be given; with `ttl` alone, and no `ttlAutopurge`, it can still grow.',
      source: 'README.md',
    },
  ],
});
