/** Owns what is said about a value that the schema refuses, and where: in plain words, at the value or its key. */
import type { Document } from 'yaml';
import type { z } from 'zod';
import { type NodePath, findSpot, spanOf, valueAt } from './nodeLookup.ts';
import { ROW_ID } from './rowId.ts';
import { rangeOf } from './yamlPlaces.ts';
import type { SourceProblem } from './yamlSource.ts';

type Issue = z.core.$ZodIssue;

export function reportIssue(
  doc: Document,
  data: unknown,
  issue: Issue,
  base: NodePath,
  found: SourceProblem[],
): void {
  const path: NodePath = [
    ...base,
    ...issue.path.map((step) => (typeof step === 'number' ? step : String(step))),
  ];
  if (path.length === 1 && path[0] === 'sixlens' && found.some((problem) => problem.code === 'table-format'))
    return;
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const branch = issue.errors.find((issues) => issues.some((inner) => inner.path.length > 0));
    if (branch && Array.isArray(valueAt(data, path))) {
      for (const inner of branch) reportIssue(doc, data, inner, path, found);
      return;
    }
  }
  const value = valueAt(data, path);
  const name = path.length === 0 ? 'the table' : String(path[path.length - 1]);
  const spot = findSpot(doc, path);
  const exact = spot !== null && spot.path.length === path.length;
  if (issue.code === 'invalid_key' || (path.length === 2 && path[0] === 'rows' && !ROW_ID.test(name))) {
    // The key check below names these, once and at the key.
    return;
  }
  const missing = value === undefined && !exact;
  const message = missing ? `"${name}" is missing` : `"${name}": ${wrong(issue, value)}`;
  const span = spot?.node && !spot.pair ? rangeOf(spot.node) : spanOf(spot?.pair, exact);
  found.push({
    code: missing ? 'table-missing-field' : codeOf(issue, name),
    message,
    ...span,
    severity: 'error',
  });
}

function codeOf(issue: Issue, name: string): string {
  if (name === 'verdict' && issue.code === 'invalid_value') return 'table-unknown-verdict';
  return issue.code === 'invalid_type' ? 'table-wrong-type' : 'table-wrong-value';
}

function wrong(issue: Issue, value: unknown): string {
  if (value === null) return 'nothing is written here; give a value or take the key out';
  switch (issue.code) {
    case 'invalid_type': {
      const expected = TYPE_NAMES[issue.expected] ?? issue.expected;
      const hint = issue.expected === 'string' && typeof value !== 'object' ? `; write it in quotes` : '';
      return `expected ${expected}, found ${show(value)}${hint}`;
    }
    case 'invalid_value':
      return `${show(value)} is none of ${issue.values.map(String).join(', ')}`;
    case 'invalid_union':
      return 'discriminator' in issue && issue.discriminator
        ? `needs "${String(issue.discriminator)}: none" or "open"`
        : `expected a list of texts, or the text "nothing to prune", found ${show(value)}`;
    case 'too_small':
      return 'must not be empty';
    default:
      return issue.message;
  }
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map',
  record: 'a map',
};

export function show(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return value instanceof Date ? 'a date' : 'a map';
  if (typeof value !== 'string')
    return `the ${typeof value === 'boolean' ? 'truth value' : 'number'} ${String(value)}`;
  return `"${value.length > 40 ? `${value.slice(0, 40)}…` : value}"`;
}
