/**
 * Brings the text of a table from an older format to the newest. Owns the steps between formats, each a small change of
 * text; a step never touches what it is not about. Pure.
 */
import type { Problem } from '../base/problem.ts';
import { isMap } from 'yaml';
import { pairOf } from './nodeLookup.ts';
import { readTable } from './read.ts';
import { TABLE_FORMAT } from './schema.ts';
import { eolOf, rangeOf } from './yamlPlaces.ts';
import { parseYamlSource } from './yamlSource.ts';

export type Migration =
  | { readonly status: 'current' }
  | { readonly status: 'migrated'; readonly text: string; readonly from: number }
  /** Malformed, newer than this version, or not readable after the steps. */
  | { readonly status: 'left'; readonly problems: readonly Problem[] };

/** Each takes a text of its format to the next one. */
const STEPS: readonly ((text: string) => string | null)[] = [stamped];

export function migrateTable(text: string, file: string): Migration {
  const format = formatOf(text);
  if (format === TABLE_FORMAT) {
    const { table, problems } = readTable(text, file);
    return table ? { status: 'current' } : left(problems);
  }
  if (format === null || format > TABLE_FORMAT) return left(readTable(text, file).problems);
  let now = text;
  for (const step of STEPS.slice(format)) {
    const next = step(now);
    if (next === null) return left(readTable(now, file).problems);
    now = next;
  }
  const { table, problems } = readTable(now, file);
  return table ? { status: 'migrated', text: now, from: format } : left(problems);
}

function left(problems: readonly Problem[]): Migration {
  return { status: 'left', problems: problems.filter(({ severity }) => severity === 'error') };
}

/** 0 for tables from before formats were numbered; null for what is no table at all. */
function formatOf(text: string): number | null {
  const { doc, data } = parseYamlSource(text);
  if (!doc || !isMap(doc.contents)) return null;
  const { sixlens: value, unit, rows } = data as Record<string, unknown>;
  if (value === undefined) return unit !== undefined && rows !== undefined ? 0 : null;
  const format = typeof value === 'string' && /^\d{1,4}$/.test(value) ? Number(value) : value;
  // A number in quotes is what editors that quote everything make of it.
  if (typeof value === 'string' && format === TABLE_FORMAT) return 0;
  return typeof format === 'number' && Number.isInteger(format) && format >= 0 ? format : null;
}

/** 0 → 1: the number of the format is written, as the first key where it was missing. */
function stamped(text: string): string | null {
  const { doc } = parseYamlSource(text);
  if (!doc || !isMap(doc.contents)) return null;
  const pair = pairOf(doc.contents, 'sixlens');
  if (pair) {
    const { start, end } = rangeOf(pair.value);
    return end > start ? `${text.slice(0, start)}1${text.slice(end)}` : null;
  }
  const first = rangeOf(doc.contents.items[0]?.key).start;
  return `${text.slice(0, first)}sixlens: 1${eolOf(text)}${text.slice(first)}`;
}
