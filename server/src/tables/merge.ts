/**
 * Owns bringing a newly generated table into an existing file. What a person wrote is never changed: rows are
 * added, rows of the analysis whose code is gone are marked, and only untouched conclusions are renewed.
 */
import type { Problem } from '../base/problem.ts';
import { type TextEdit, applyEdits } from '../base/textEdit.ts';
import { LENSES } from '../base/vocabulary.ts';
import { NO_EXPOSURE } from './generate.ts';
import { type FieldChange, patchTable } from './patch.ts';
import { readTable } from './read.ts';
import { renderTable } from './render.ts';
import { lensOfRow } from './rowId.ts';
import type { LensEntry, Row, Table } from './schema.ts';

export interface MergeResult {
  /** Against the existing text; empty when nothing is new or when there is a problem. */
  readonly edits: readonly TextEdit[];
  /** Ids of rows that were added, marked as retired, and found again after they had been retired. */
  readonly added: readonly string[];
  readonly retired: readonly string[];
  readonly revived: readonly string[];
  /** Why the file was left alone: it is malformed or newer. Notes and warnings are not in here. */
  readonly problems: readonly Problem[];
}

export interface MergeOptions {
  /** The day that marks are dated with, `2026-11-30`. */
  readonly today: string;
  readonly file?: string;
  /** True where a rule's finding still stands though the generated table lacks it, as when it is suppressed. */
  readonly stillThere?: (rule: string, at: string) => boolean;
}

/** Edits that bring `generated` into `text`. Merging the result again gives no edits. */
export function mergeTable(text: string, generated: Table, options: MergeOptions): MergeResult {
  const reading = readTable(text, options.file);
  if (!reading.table)
    return {
      edits: [],
      added: [],
      retired: [],
      revived: [],
      problems: reading.problems.filter((problem) => problem.severity === 'error'),
    };
  const old = reading.table;
  const changes: FieldChange[] = [];
  const matched = new Set<string>();
  const added: string[] = [];
  const revived: string[] = [];
  for (const [id, row] of Object.entries(generated.rows)) {
    const at = match(old, id, row, generated);
    if (at === null) {
      added.push(id);
      changes.push({ path: ['rows', id], value: row });
      continue;
    }
    matched.add(at);
    if (old.rows[at]?.retired) {
      revived.push(at);
      changes.push({ path: ['rows', at, 'retired'], value: undefined });
    }
    const before = old.rows[at];
    if (before) changes.push(...proposalChanges(at, before, row));
  }
  const retired: string[] = [];
  for (const [id, row] of Object.entries(old.rows)) {
    if (matched.has(id) || row.rule === undefined || row.retired || !isGone(row, generated, options))
      continue;
    retired.push(id);
    changes.push({ path: ['rows', id, 'retired'], value: { date: options.today, why: goneText(row) } });
  }
  changes.push(...lensChanges(old, generated));
  if (old.domain.length === 0 && generated.domain.length > 0 && !own(reading.doc?.toJS(), 'domain'))
    changes.push({ path: ['domain'], value: generated.domain });
  const patch = patchTable(text, changes, options.file);
  if (patch.problems.length > 0)
    return { edits: [], added: [], retired: [], revived: [], problems: patch.problems };
  return { edits: patch.edits, added, retired, revived, problems: [] };
}

/** The text of a table file after generation: a new file, or the existing one with the new brought in. */
export function generateText(
  text: string | null,
  generated: Table,
  options: MergeOptions,
): MergeResult & { readonly text: string } {
  if (text === null)
    return {
      text: renderTable(generated),
      edits: [],
      added: Object.keys(generated.rows),
      retired: [],
      revived: [],
      problems: [],
    };
  const result = mergeTable(text, generated, options);
  return { ...result, text: applyEdits(text, result.edits) };
}

/**
 * The existing row that a generated one is: by id, else by rule and anchor, a standing question by its own words;
 * null when there is none. Rows that are another generated row's by id are not taken.
 */
function match(old: Table, id: string, row: Row, generated: Table): string | null {
  if (Object.hasOwn(old.rows, id)) return id;
  const same = Object.entries(old.rows).filter(([other, candidate]) => {
    if (Object.hasOwn(generated.rows, other) || candidate.rule !== row.rule) return false;
    if (row.rule !== undefined) return (candidate.at ?? '') === (row.at ?? '');
    return candidate.failure === row.failure && lensOfRow(other) === lensOfRow(id);
  });
  return (same.find(([, candidate]) => !candidate.retired) ?? same[0])?.[0] ?? null;
}

/** A row that nobody decided follows the code: a mechanism that appears is proposed, one that goes is withdrawn. */
function proposalChanges(id: string, before: Row, now: Row): FieldChange[] {
  if (before.seen || before.test !== undefined) return [];
  const set = (field: string, value: unknown): FieldChange => ({ path: ['rows', id, field], value });
  if (before.verdict === 'undecided' && now.proposed && (before.how === undefined || before.how === now.how))
    return [set('verdict', 'handle'), set('proposed', true), set('how', now.how)];
  if (before.verdict === 'handle' && before.proposed && now.verdict === 'undecided')
    return [set('verdict', 'undecided'), set('proposed', undefined)];
  return [];
}

/**
 * Neither finding nor mechanism stands at the row's place any more. A confirmed handle whose finding is gone is
 * what was wanted, so it stays.
 */
function isGone(row: Row, generated: Table, options: MergeOptions): boolean {
  if (row.verdict === 'handle' && row.proposed !== true) return false;
  const at = row.at ?? '';
  if (row.rule !== undefined && options.stillThere?.(row.rule, at)) return false;
  return !Object.values(generated.rows).some((other) => other.rule === row.rule && (other.at ?? '') === at);
}

function goneText(row: Row): string {
  return row.at === undefined
    ? `${row.rule ?? 'the rule'} finds nothing in this unit any more`
    : `${row.rule ?? 'the rule'} finds nothing at ${row.at} any more`;
}

function lensChanges(old: Table, generated: Table): FieldChange[] {
  const changes: FieldChange[] = [];
  for (const lens of LENSES) {
    const [before, after] = [old.lenses[lens], generated.lenses[lens]];
    if (!before) {
      if (after) changes.push({ path: ['lenses', lens], value: after });
    } else if (isToolWritten(before)) {
      if (after)
        for (const field of ['exposure', 'reason', 'looked-at', 'unresolved'])
          changes.push({ path: ['lenses', lens, field], value: own(after, field) });
      // The lens has a row now; what was concluded without one no longer holds.
      else if (hasRow(generated, lens)) changes.push({ path: ['lenses', lens], value: undefined });
    }
  }
  return changes;
}

/** Nobody signed it, and it says nothing but what the tool says. */
function isToolWritten(entry: LensEntry): boolean {
  if (entry.seen || entry.note !== undefined || entry.ticket !== undefined) return false;
  if (Object.keys(entry).some((key) => !['exposure', 'reason', 'looked-at', 'unresolved'].includes(key)))
    return false;
  return entry.exposure === 'none' ? entry.reason === NO_EXPOSURE : entry.reason === undefined;
}

function hasRow(table: Table, lens: string): boolean {
  return Object.entries(table.rows).some(([id, row]) => row.rule !== undefined && lensOfRow(id) === lens);
}

function own(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined;
}
