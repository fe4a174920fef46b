/**
 * Owns changing a table file by small text edits: only the bytes of the touched field change. Works on text and
 * positions, never by printing the document anew. Every result is read back and compared with what was meant;
 * where that fails, it gives a problem and no edit, so a file is never damaged.
 */
import { isMap } from 'yaml';
import type { Problem } from '../base/problem.ts';
import type { TextEdit } from '../base/textEdit.ts';
import type { Lens } from '../base/vocabulary.ts';
import { type FieldChange, editsFor, expand } from './fieldEdits.ts';
import { PieceText } from './pieces.ts';
import { type Data, isPlainMap, own, sameData, setIn } from './plainData.ts';
import { placeProblems } from './placeProblems.ts';
import { formatProblem } from './read.ts';
import { LENS_FIELDS, type LensEntry, type Row } from './schema.ts';
import { SharedValueError } from './sharedValues.ts';
import { type YamlSource, parseYamlSource } from './yamlSource.ts';

export type { FieldChange } from './fieldEdits.ts';

export interface PatchResult {
  /** Against the text that was given; empty when nothing changes or when there is a problem. */
  readonly edits: readonly TextEdit[];
  readonly problems: readonly Problem[];
}

/** Applies changes in order. All or nothing: with a problem, `edits` is empty. */
export function patchTable(text: string, changes: readonly FieldChange[], file?: string): PatchResult {
  const first = parseYamlSource(text);
  const broken = first.problems.filter((problem) => problem.severity === 'error');
  const format = first.doc ? formatProblem(first.doc, first.data) : null;
  if (format) broken.push(format);
  if (broken.length === 0 && !(first.doc && isMap(first.doc.contents)))
    broken.push({
      code: 'table-shape',
      message: 'a table is a map that starts with "sixlens: 1"',
      start: 0,
      end: 0,
      severity: 'error',
    });
  if (broken.length > 0) return { edits: [], problems: placeProblems(broken, text, file) };

  const wanted = structuredClone(first.data) as Data;
  const pieces = new PieceText(text);
  let current: YamlSource = first;
  try {
    for (const change of changes) {
      if (isDone(wanted, change)) continue;
      if (!setIn(wanted, change.path, change.value))
        throw new SharedValueError(`${change.path.join('.')} lies in something that is no map`);
      current = applyChange(pieces, current, change);
    }
  } catch (error) {
    return refused(error instanceof Error ? error.message : String(error), text, file);
  }
  const errors = current.problems.filter((problem) => problem.severity === 'error');
  if (errors[0]) return refused(`the result would not be readable (${errors[0].message})`, text, file);
  if (!sameData(current.data, wanted)) return refused('the result would say something else', text, file);
  return { edits: pieces.edits(), problems: [] };
}

/** Sets one field of a row; undefined takes it out. */
export function setRowField(text: string, rowId: string, field: string, value: unknown): PatchResult {
  return patchTable(text, [{ path: ['rows', rowId, field], value }]);
}

/** Sets several fields of a row at once; undefined takes one out. */
export function setRowFields(
  text: string,
  rowId: string,
  fields: Readonly<Record<string, unknown>>,
): PatchResult {
  return patchTable(
    text,
    Object.entries(fields).map(([field, value]) => ({ path: ['rows', rowId, field], value })),
  );
}

export function removeRowField(text: string, rowId: string, field: string): PatchResult {
  return patchTable(text, [{ path: ['rows', rowId, field], value: undefined }]);
}

/** Adds a row at its sorted place; a row with that id is changed field by field. */
export function addRow(text: string, rowId: string, row: Readonly<Partial<Row>>): PatchResult {
  return patchTable(text, [{ path: ['rows', rowId], value: row }]);
}

export function removeRow(text: string, rowId: string): PatchResult {
  return patchTable(text, [{ path: ['rows', rowId], value: undefined }]);
}

/**
 * Sets what a lens concludes; undefined takes the entry out. Fields of the old conclusion go, while notes, tickets
 * and unknown keys stay.
 */
export function setLens(
  text: string,
  lens: Lens,
  entry: Readonly<Partial<LensEntry>> | undefined,
): PatchResult {
  const old = own(own(parseYamlSource(text).data, 'lenses'), lens);
  if (entry === undefined || !isPlainMap(old))
    return patchTable(text, [{ path: ['lenses', lens], value: entry }]);
  const fields = LENS_FIELDS.filter(
    (field) => !['note', 'ticket'].includes(field) || own(entry, field) !== undefined,
  );
  return patchTable(
    text,
    fields.map((field) => ({ path: ['lenses', lens, field], value: own(entry, field) })),
  );
}

export function setLensField(text: string, lens: Lens, field: string, value: unknown): PatchResult {
  return patchTable(text, [{ path: ['lenses', lens, field], value }]);
}

/** Sets a field of the table itself: contract, owner, unit … */
export function setTableField(text: string, field: string, value: unknown): PatchResult {
  return patchTable(text, [{ path: [field], value }]);
}

/** Sets what was pruned: a list, or the text `nothing to prune`. */
export function setPruned(text: string, pruned: string | readonly string[]): PatchResult {
  return patchTable(text, [{ path: ['pruned'], value: pruned }]);
}

/** Applies one change and gives the document that the text then is. */
function applyChange(pieces: PieceText, source: YamlSource, change: FieldChange): YamlSource {
  let current = source;
  for (const part of source.doc ? expand(source.doc, source.data, change) : []) {
    if (!current.doc)
      throw new SharedValueError(current.problems[0]?.message ?? 'a step on the way is not readable');
    const edits = editsFor(pieces.text, current.doc, part);
    if (edits.length === 0) continue;
    pieces.apply(edits);
    current = parseYamlSource(pieces.text);
  }
  return current;
}

/** True when the data says already what the change asks for. */
function isDone(data: Data, change: FieldChange): boolean {
  let value: unknown = data;
  for (const key of change.path) {
    if (!isPlainMap(value)) return false;
    if (!Object.hasOwn(value, key)) return change.value === undefined;
    value = value[key];
  }
  return (
    change.value !== undefined &&
    value !== undefined &&
    JSON.stringify(value) === JSON.stringify(change.value)
  );
}

function refused(reason: string, text: string, file?: string): PatchResult {
  const message = `the change cannot be made without touching more of the file: ${reason}. Make it in the text`;
  return {
    edits: [],
    problems: placeProblems(
      [{ code: 'table-patch-refused', message, start: 0, end: 0, severity: 'error' }],
      text,
      file,
    ),
  };
}
