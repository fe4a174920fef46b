/** Reads what module resolution needs of a tsconfig. A broken file gives a problem at its place and whatever is still clear. */
import { readFileSync } from 'node:fs';
import { dirname, isAbsolute, resolve } from 'node:path';
import { parseTsconfig } from 'get-tsconfig';
import type { TsConfigJson } from 'get-tsconfig';
import { parse as parseJsonc, parseTree, findNodeAtLocation, printParseErrorCode } from 'jsonc-parser';
import type { ParseError } from 'jsonc-parser';
import type { Problem } from '../base/problem.ts';
import { LineIndex } from '../base/span.ts';
import type { TsconfigPaths, TsconfigRead } from '../host/fileHost.ts';
import { decodeText } from './decodeText.ts';
import { toSlashes } from './slashes.ts';

export function readTsconfig(path: string): TsconfigRead {
  let text: string | null;
  try {
    text = decodeText(readFileSync(path)).text;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { config: null, problem: null };
    return {
      config: null,
      problem: unreadable(path, `it cannot be read (${code ?? 'unknown error'})`, '', 0, 0),
    };
  }
  if (text === null) return { config: null, problem: unreadable(path, 'it holds binary data', '', 0, 0) };

  const errors: ParseError[] = [];
  const value: unknown = parseJsonc(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  const first = errors[0];
  const syntax = first
    ? unreadable(
        path,
        `it is not valid JSON here: ${sentence(printParseErrorCode(first.error))}`,
        text,
        first.offset,
        first.length,
      )
    : null;
  if (value !== undefined && (typeof value !== 'object' || value === null || Array.isArray(value)))
    return { config: null, problem: syntax ?? unreadable(path, 'it is not an object', text, 0, 0) };
  const raw = (value ?? {}) as TsConfigJson;

  try {
    // get-tsconfig merges `extends`; it reads over syntax errors just as the compiler does.
    return { config: shape(path, parseTsconfig(path) as TsConfigJson, raw), problem: syntax };
  } catch (error) {
    // Mostly a base that is not installed. The file's own settings still count.
    const tree = parseTree(text);
    const node = tree ? findNodeAtLocation(tree, ['extends']) : undefined;
    const detail = (error instanceof Error ? error.message.split('\n')[0]! : String(error)).replace(
      /\.$/,
      '',
    );
    const reason = node
      ? `what it extends cannot be read (${detail})`
      : `its options have the wrong shape (${detail})`;
    return {
      config: shape(path, raw, raw),
      problem:
        syntax ??
        unreadable(path, `${reason}; its own settings are used`, text, node?.offset ?? 0, node?.length ?? 0),
    };
  }
}

function shape(path: string, merged: TsConfigJson, raw: TsConfigJson): TsconfigPaths {
  const folder = dirname(path);
  const options = record(merged.compilerOptions);
  const absolute = (value: unknown, base = folder): string | null =>
    typeof value === 'string' ? toSlashes(isAbsolute(value) ? value : resolve(base, value)) : null;
  const baseUrl = absolute(options['baseUrl']);
  const pathsBase = baseUrl ?? inheritedPathsBase(options) ?? folder;
  const paths: Record<string, string[]> = {};
  for (const [pattern, targets] of Object.entries(record(options['paths'])))
    paths[pattern] = strings(targets).map((target) => absolute(target, pathsBase)!);
  return {
    file: toSlashes(path),
    baseUrl,
    paths,
    module: text(options['module']),
    moduleResolution: text(options['moduleResolution']),
    customConditions: strings(options['customConditions']),
    rootDirs: strings(options['rootDirs']).map((dir) => absolute(dir)!),
    rootDir: absolute(options['rootDir']),
    outDir: absolute(options['outDir']),
    references: (Array.isArray(raw.references) ? (raw.references as unknown[]) : []).flatMap((reference) => {
      const at = absolute(record(reference)['path']);
      return at === null ? [] : [/\.json$/.test(at) ? at : at + '/tsconfig.json'];
    }),
  };
}

/**
 * `paths` without `baseUrl` count from the file that states them. get-tsconfig keeps that folder under a symbol of its
 * own; where it is missing the extending file's folder is the best guess.
 */
function inheritedPathsBase(options: object): string | null {
  for (const symbol of Object.getOwnPropertySymbols(options))
    if (symbol.description === 'implicitBaseUrl') return text((options as Record<symbol, unknown>)[symbol]);
  return null;
}

function unreadable(path: string, why: string, source: string, offset: number, length: number): Problem {
  const lines = LineIndex.of(source);
  return {
    code: 'tsconfig-unreadable',
    message: `The tsconfig was not read in full: ${why}.`,
    file: toSlashes(path),
    start: lines.positionAt(offset),
    end: lines.positionAt(Math.min(offset + length, source.length)),
    severity: 'warning',
  };
}

/** `CommaExpected` → `comma expected`. */
function sentence(name: string): string {
  return name.replace(/(?!^)([A-Z])/g, ' $1').toLowerCase();
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
