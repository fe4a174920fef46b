/** Randomness from the system's generator. */
import { randomBytes } from 'node:crypto';
import type { Random } from '../host/random.ts';

const ALPHABET = '0123456789abcdefghijklmnopqrstuv';

export const nodeRandom: Random = {
  base32: (length) => Array.from(randomBytes(length), (byte) => ALPHABET[byte & 31]).join(''),
};
