/** Which fields each verdict asks for, and what a fresh accept starts with. Pure. */
import type { RowField, Verdict } from '../../../server/src/protocol/messages.ts';

interface Field {
  readonly name: RowField;
  /** Without it the row stays incomplete. */
  readonly needed: boolean;
  readonly control: 'line' | 'text' | 'because' | 'date';
}

const line = (name: RowField, needed = true): Field => ({ name, needed, control: 'line' });

const FIELDS: Record<Verdict, readonly Field[]> = {
  undecided: [],
  detect: [line('signal'), line('asserted', false)],
  handle: [line('how'), line('test')],
  accept: [
    { name: 'because', needed: true, control: 'because' },
    { name: 'reason', needed: true, control: 'text' },
    line('owner'),
    { name: 'expires', needed: true, control: 'date' },
  ],
  blocked: [line('blocker'), line('to')],
};

export function fieldsOf(verdict: Verdict): readonly Field[] {
  return FIELDS[verdict];
}

/** Default life of an accept, in days. */
const ACCEPT_DAYS = 180;

/** What a person would otherwise type every time; only what is still empty. */
export function startingFields(
  verdict: Verdict,
  have: Readonly<Record<string, string>>,
  today: string,
  person: string,
): Record<string, string> {
  if (verdict !== 'accept') return {};
  const fields: Record<string, string> = {};
  if (!have['owner'] && person) fields['owner'] = person;
  if (!have['expires']) fields['expires'] = addDays(today, ACCEPT_DAYS);
  return fields;
}

/**
 * What goes again when a verdict is taken back: only what `startingFields` wrote and nobody built upon. Anything that a
 * person typed stays in the file.
 */
export function leavingFields(
  from: Verdict,
  to: Verdict,
  have: Readonly<Record<string, string>>,
  today: string,
  person: string,
): Record<string, null> {
  if (from !== 'accept' || to === 'accept' || have['reason'] || have['because']) return {};
  const written = startingFields('accept', {}, today, person);
  const names = Object.keys(written).filter((name) => have[name] === written[name]);
  return Object.fromEntries(names.map((name) => [name, null]));
}

export function addDays(date: string, days: number): string {
  const at = new Date(`${date}T00:00:00Z`);
  at.setUTCDate(at.getUTCDate() + days);
  return at.toISOString().slice(0, 10);
}
