/** node:crypto as far as secrets are compared and made. */
import { definePack } from './contract.ts';

const plain = { call: { promise: false } };

export const pack = definePack({
  id: 'crypto',
  packages: ['crypto'],
  assumedVersion: '20.20.2',
  types: {
    /** A keyed digest: who knows it knows the key was used. */
    Hmac: {
      role: 'builder',
      members: {
        update: { call: { returns: 'self', promise: false } },
        digest: { call: { returns: 'Mac', promise: false } },
      },
    },
    Mac: {
      members: {
        toString: { call: { returns: 'self', promise: false } },
        slice: { call: { returns: 'self' } },
        substring: { call: { returns: 'self' } },
        toLowerCase: { call: { returns: 'self' } },
        toUpperCase: { call: { returns: 'self' } },
      },
    },
    Hash: {
      role: 'builder',
      members: {
        update: { call: { returns: 'self', promise: false } },
        digest: { call: { returns: 'Digest', promise: false } },
      },
    },
    Digest: {
      members: {
        toString: { call: { returns: 'self', promise: false } },
        slice: { call: { returns: 'self' } },
        substring: { call: { returns: 'self' } },
      },
    },
  },
  exports: {
    createHmac: { call: { returns: 'Hmac', promise: false } },
    createHash: { call: { returns: 'Hash', promise: false } },
    hash: { call: { returns: 'Digest', promise: false } },
    timingSafeEqual: plain,
    randomUUID: plain,
  },
  facts: [
    {
      topic: 'timingSafeEqual',
      versions: '20.20.2',
      says: 'Takes two buffers of equal length and throws ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH when they differ.',
      source: 'Node API, crypto.timingSafeEqual',
    },
  ],
});
