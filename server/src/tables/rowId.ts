/** Owns row ids: their shape, the lens they name, their order, and how new ones are born. */
import { hashText } from '../base/hash.ts';
import { LENSES, type Lens } from '../base/vocabulary.ts';

const PREFIX: Readonly<Record<Lens, string>> = {
  boundaries: 'bnd',
  'hostile-input': 'inp',
  'partial-failure': 'prt',
  concurrency: 'cnc',
  'resource-exhaustion': 'res',
  clock: 'clk',
};

/** Lens prefix, dash, eight characters. Safe as a file name and never read by YAML as anything but text. */
export const ROW_ID = /^(bnd|inp|prt|cnc|res|clk)-[0-9a-z]{8}$/;

/** Without i, l, o and u: nothing to mistake for a digit, no words by accident. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** The lens that an id names; null when it is no row id. */
export function lensOfRow(id: string): Lens | null {
  if (!ROW_ID.test(id)) return null;
  return LENSES.find((lens) => id.startsWith(PREFIX[lens])) ?? null;
}

/** Order of rows in a file: by lens in the order of the vocabulary, then by id; ids of no lens last. */
export function compareRowIds(a: string, b: string): number {
  const rank = (id: string): number => {
    const at = LENSES.findIndex((lens) => id.startsWith(`${PREFIX[lens]}-`));
    return at < 0 ? LENSES.length : at;
  };
  return rank(a) - rank(b) || (a < b ? -1 : a > b ? 1 : 0);
}

/** What makes a generated row the same row on every branch. */
export interface RowBirth {
  readonly file: string;
  readonly symbol: string;
  /** Rule id, or the id of a standing question. */
  readonly rule: string;
  readonly anchor: string;
}

/**
 * The id of a generated row: a hash of where and why it was born. Equal births give equal ids.
 * `attempt` above 0 gives the next id for the case that another row already has this one.
 */
export function bornRowId(lens: Lens, birth: RowBirth, attempt = 0): string {
  const key = JSON.stringify([birth.file, birth.symbol, birth.rule, birth.anchor]);
  return `${PREFIX[lens]}-${spell(hashText(key, attempt).slice(-8))}`;
}

/** A fresh id for a row written by hand. `random` gives numbers from 0 up to, not including, 1. */
export function randomRowId(lens: Lens, random: () => number): string {
  let digits = '';
  for (let i = 0; i < 8; i++) digits += ALPHABET[Math.min(31, Math.floor(random() * 32))] ?? '0';
  return `${PREFIX[lens]}-${digits}`;
}

function spell(base32: string): string {
  return [...base32].map((digit) => ALPHABET[parseInt(digit, 32)] ?? '0').join('');
}
