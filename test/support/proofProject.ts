/** A small project with a table, under version control, in which proofs run for real. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { proveOutputSchema } from '../../server/src/cli/schemas.ts';
import { createAnalysis } from '../../server/src/service/analysisService.ts';
import { run, type Run, type RunSetup } from '../cli/fakeContext.ts';
import { tempFolder } from '../unit/node/tempFolder.ts';
import type * as z from 'zod';

export interface ProofProject {
  readonly path: string;
  readonly table: string;
  write(file: string, text: string): void;
  read(file: string): string;
  git(...args: string[]): string;
  prove(words: readonly string[], setup?: RunSetup): Promise<Run>;
  command(words: readonly string[]): Promise<Run>;
  /** Results by row. */
  results(words: readonly string[]): Promise<Record<string, Result>>;
  remove(): void;
}
type Result = z.infer<typeof proveOutputSchema>['results'][number];

export interface ProofRow {
  readonly id: string;
  readonly rule?: string;
  readonly at?: string;
  readonly how?: string;
  readonly test?: string;
  readonly more?: string;
}

export interface ProjectParts {
  readonly files: Readonly<Record<string, string>>;
  /** The function that the table is about. */
  readonly symbol: string;
  readonly file: string;
  readonly rows: readonly ProofRow[];
  /** `package.json` beside name and type. */
  readonly manifest?: Record<string, unknown>;
  /** Packages of this repository's own that the project uses. */
  readonly installed?: readonly string[];
}

export function proofProject(parts: ProjectParts): ProofProject {
  const folder = tempFolder();
  const table = `.sixlens/tables/${parts.file.replace(/\.\w+$/, '')}/function-${parts.symbol.toLowerCase()}.yaml`;
  const write = (file: string, text: string): void => {
    mkdirSync(path.dirname(path.join(folder.path, file)), { recursive: true });
    writeFileSync(path.join(folder.path, file), text);
  };
  const git = (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.email=a@example.com', '-c', 'user.name=ana', ...args], {
      cwd: folder.path,
      encoding: 'utf8',
    });
  for (const name of parts.installed ?? []) {
    const real = path.dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
    mkdirSync(path.join(folder.path, 'node_modules'), { recursive: true });
    symlinkSync(real, path.join(folder.path, 'node_modules', name));
  }
  write('package.json', JSON.stringify({ name: 'tried', private: true, type: 'module', ...parts.manifest }));
  write('.gitignore', 'node_modules\n/generated\n*.log\n');
  for (const [file, text] of Object.entries(parts.files)) write(file, text);
  write(table, tableText(parts));
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-q', '-m', 'start');
  const command = (words: readonly string[], setup: RunSetup = {}): Promise<Run> =>
    run(folder.path, words, {
      analysis: (options) => createAnalysis(options),
      env: { PATH: process.env['PATH'] ?? '' },
      ...setup,
    });
  const prove: ProofProject['prove'] = (words, setup) => command(['prove', ...words], setup);
  return {
    path: folder.path,
    table,
    write,
    read: (file) => readFileSync(path.join(folder.path, file), 'utf8'),
    git,
    prove,
    command,
    async results(words) {
      const { out, err } = await prove([...words, '--format', 'json']);
      if (out === '') throw new Error(err);
      const { results } = proveOutputSchema.parse(JSON.parse(out));
      return Object.fromEntries(results.map((result) => [result.row, result]));
    },
    remove: () => folder.remove(),
  };
}

export function tableText({ file, symbol, rows }: Pick<ProjectParts, 'file' | 'symbol' | 'rows'>): string {
  const field = (name: string, value: string | undefined): string =>
    value === undefined ? '' : `    ${name}: ${JSON.stringify(value)}\n`;
  const text = rows.map(
    ({ id, rule, at, how, test, more }) =>
      `  ${id}:\n    failure: it fails in the way of ${id}\n${field('rule', rule)}${field('at', at)}    verdict: handle\n${field('how', how ?? 'as written')}${field('test', test)}${more ?? ''}`,
  );
  return `sixlens: 1
unit: ${symbol}
kind: function
code: { file: ${file}, symbol: ${symbol} }
contract: an answer, and no more than one effect

rows:
${text.join('\n')}
pruned: nothing to prune
`;
}
