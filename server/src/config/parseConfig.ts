/**
 * Turns the text of the config file into a `Config` and problems at their places. A part that is wrong is reported and
 * left out; the rest still counts. Never throws.
 */
import { isMap, isScalar, LineCounter, parseDocument } from 'yaml';
import type { Document } from 'yaml';
import type { z } from 'zod';
import type { Problem } from '../base/problem.ts';
import type { Position } from '../base/span.ts';
import { nearestName } from './nearestName.ts';
import { CONFIG_FILE, configSchema, DEFAULT_CONFIG, type Config } from './schema.ts';

export interface ConfigRead {
  readonly config: Config;
  readonly problems: readonly Problem[];
}

type Path = readonly PropertyKey[];

/** `knownRules` null means that rule names are not checked (the registry is not loaded). */
export function parseConfig(text: string, knownRules: Iterable<string> | null): ConfigRead {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true });
  const problems: Problem[] = [];
  const place = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const report = (
    message: string,
    range: readonly [number, number],
    severity: Problem['severity'] = 'error',
  ): void => {
    problems.push({
      code: 'config-invalid',
      message,
      file: CONFIG_FILE,
      start: place(range[0]),
      end: place(range[1]),
      severity,
    });
  };

  for (const error of document.errors)
    report(`Not valid YAML: ${error.message.replace(/\.?$/, '.')}`, error.pos);
  if (document.errors.length > 0) return { config: DEFAULT_CONFIG, problems };

  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 100 }) ?? {};
  } catch (error) {
    // Aliases that name nothing or multiply without end.
    report(`Not valid YAML: ${error instanceof Error ? error.message : String(error)}.`, [0, 0]);
    return { config: DEFAULT_CONFIG, problems };
  }
  if (typeof value !== 'object' || Array.isArray(value)) {
    report(
      'The file must be a map of settings, such as `preset: recommended`.',
      rangeAt(document, [], false),
    );
    return { config: DEFAULT_CONFIG, problems };
  }

  // Each round takes out at least one wrong part, so it ends.
  let parsed = configSchema.safeParse(value);
  while (!parsed.success) {
    for (const issue of parsed.error.issues)
      for (const wrong of wrongParts(issue)) {
        report(wrong.message, rangeAt(document, wrong.path, wrong.atKey));
        value = without(value, wrong.path);
      }
    parsed = configSchema.safeParse(value);
  }

  if (knownRules) {
    const known = new Set(knownRules);
    const check = (rules: Record<string, unknown>, path: Path): void => {
      for (const rule of Object.keys(rules)) {
        if (known.has(rule)) continue;
        const near = nearestName(rule, known);
        report(
          `No rule is called \`${rule}\`${near ? `; did you mean \`${near}\`?` : '. `sixlens rules` lists them.'}`,
          rangeAt(document, [...path, rule], true),
        );
      }
    };
    check(parsed.data.rules, ['rules']);
    parsed.data.overrides.forEach((override, index) => check(override.rules, ['overrides', index, 'rules']));
  }
  return { config: parsed.data, problems };
}

interface WrongPart {
  readonly path: Path;
  readonly message: string;
  readonly atKey: boolean;
}

function wrongParts(issue: z.core.$ZodIssue): WrongPart[] {
  const name = issue.path.map(String).join('.') || 'the file';
  if (issue.code === 'unrecognized_keys') {
    const siblings = keysAt(issue.path);
    return issue.keys.map((key) => {
      const near = nearestName(key, siblings);
      const help = near
        ? `did you mean \`${near}\`?`
        : `known here: ${siblings.map((sibling) => `\`${sibling}\``).join(', ')}.`;
      return { path: [...issue.path, key], message: `Unknown setting \`${key}\`; ${help}`, atKey: true };
    });
  }
  // A missing key is wrong in the map that lacks it, and that map is what is left out.
  if (issue.code === 'invalid_type' && issue.input === undefined && /received undefined/.test(issue.message))
    return [
      {
        path: issue.path.slice(0, -1),
        message: `\`${String(issue.path.at(-1))}\` is missing here.`,
        atKey: false,
      },
    ];
  const detail =
    issue.code === 'invalid_value'
      ? `one of ${issue.values.map((value) => `\`${String(value)}\``).join(', ')}`
      : issue.code === 'invalid_type'
        ? (EXPECTED[issue.expected] ?? issue.expected)
        : issue.code === 'invalid_format'
          ? 'a function name, or `module#name`'
          : issue.code === 'too_big'
            ? `at most ${String(issue.maximum)}`
            : issue.code === 'too_small'
              ? issue.origin === 'number'
                ? 'a number above zero'
                : 'not empty'
              : issue.message;
  return [{ path: issue.path, message: `\`${name}\` must be ${detail}.`, atKey: false }];
}

const EXPECTED: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  array: 'a list',
  object: 'a map',
  record: 'a map',
};

function keysAt(path: Path): string[] {
  if (path.length === 0) return Object.keys(configSchema.shape);
  if (path[0] === 'overrides') return ['paths', 'rules'];
  if (path[0] === 'timeouts') return Object.keys(DEFAULT_CONFIG.timeouts);
  return Object.keys(DEFAULT_CONFIG.wrappers);
}

/** The offsets of the value at `path`, or of its key; of the nearest part that exists otherwise. */
function rangeAt(document: Document, path: Path, atKey: boolean): [number, number] {
  const parent = path.length > 0 ? document.getIn(path.slice(0, -1), true) : null;
  const last = path.at(-1);
  if (atKey && isMap(parent))
    for (const { key } of parent.items)
      if (isScalar(key) && String(key.value) === String(last) && key.range)
        return [key.range[0], key.range[1]];
  for (let length = path.length; length >= 0; length--) {
    const node = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
    const range = (node as { range?: [number, number, number] | null } | null | undefined)?.range;
    if (range) return [range[0], range[1]];
  }
  return [0, 0];
}

/** A copy of `value` that lacks the part at `path`; the empty path leaves nothing. List entries are closed up. */
function without(value: unknown, path: Path): unknown {
  const [head, ...rest] = path;
  if (head === undefined) return {};
  if (Array.isArray(value)) {
    const index = Number(head);
    return rest.length === 0
      ? value.filter((_, at) => at !== index)
      : value.map((item, at) => (at === index ? without(item, rest) : item));
  }
  if (typeof value !== 'object' || value === null) return value;
  const copy: Record<string, unknown> = { ...(value as Record<string, unknown>) };
  if (rest.length === 0) delete copy[String(head)];
  else copy[String(head)] = without(copy[String(head)], rest);
  return copy;
}
