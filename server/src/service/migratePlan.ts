/** What `migrate` writes: tables in an older format, and tables of sources that moved. Plans only; the caller writes. */
import type { FileHost, TextEncoding } from '../host/fileHost.ts';
import type { Git } from '../host/git.ts';
import { applyEdits } from '../base/textEdit.ts';
import { migrateTable } from '../tables/migrate.ts';
import { patchTable } from '../tables/patch.ts';
import { EVIDENCE_FOLDER, evidencePath, tablePath } from '../tables/path.ts';
import type { Analysis } from './contract.ts';
import { readTableFiles, unitOfTable } from './tableFiles.ts';

export interface MigrateStep {
  readonly path: string;
  /** Where the table goes; else the same path. */
  readonly to: string;
  readonly text: string;
  readonly encoding: TextEncoding;
  /** One clause. */
  readonly done: string;
  /** Evidence files that move along: from → to. */
  readonly evidence: readonly (readonly [string, string])[];
}

export interface MigratePlan {
  readonly steps: readonly MigrateStep[];
  /** Tables that were left as they are, each with a place and a sentence. */
  readonly left: readonly { readonly path: string; readonly line: number; readonly why: string }[];
}

export function planFormats(host: FileHost, root: string): MigratePlan {
  const steps: MigrateStep[] = [];
  const left: { path: string; line: number; why: string }[] = [];
  for (const { path, text, encoding, problems } of readTableFiles(host, root)) {
    const damaged = problems.find(({ code }) => code === 'not-utf8');
    const result = damaged ? { status: 'left' as const, problems: [damaged] } : migrateTable(text, path);
    if (result.status === 'migrated')
      steps.push({
        path,
        to: path,
        text: result.text,
        encoding,
        done: `format ${result.from} → 1`,
        evidence: [],
      });
    else if (result.status === 'left')
      left.push({
        path,
        line: result.problems[0]?.start?.line ?? 1,
        why: result.problems[0]?.message ?? 'it cannot be read as a table',
      });
  }
  return { steps, left };
}

export function planPaths(host: FileHost, analysis: Analysis, git: Git): MigratePlan {
  const { root } = analysis;
  const steps: MigrateStep[] = [];
  const left: { path: string; line: number; why: string }[] = [];
  const tables = readTableFiles(host, root);
  const uncommitted = new Map<string, string>();
  const changes = git.changes(root, 'HEAD');
  if (!('error' in changes))
    for (const { from, file, gone } of changes)
      if (from !== null && from !== file && !gone) uncommitted.set(from, file);
  let history: ReadonlyMap<string, string> | null = null;
  const renamed = (file: string): string | null => {
    const then = (history ??= git.renames(root)).get(file) ?? file;
    const now = uncommitted.get(then) ?? then;
    return now === file ? null : now;
  };
  const taken = new Set<string>();
  for (const file of tables) {
    const { table, path, encoding } = file;
    if (!table) {
      left.push({
        path,
        line: file.problems[0]?.start?.line ?? 1,
        why: file.problems[0]?.message ?? 'it cannot be read',
      });
      continue;
    }
    if (host.exists(`${root}/${table.code.file}`)) continue;
    const anchor = unitOfTable(table, { analysis, tables, renamed });
    if (!anchor.found || anchor.by !== 'git rename') {
      const now = renamed(table.code.file);
      const why = anchor.found
        ? `${table.code.file} is gone and git knows no rename; ${anchor.found.symbol} in ${anchor.found.file} looks the same, and \`sixlens affirm\` takes it`
        : now === null
          ? `${table.code.file} is gone and git knows no rename`
          : `${table.code.file} is ${now} now, and there is no unit ${table.code.symbol} in it`;
      left.push({ path, line: 1, why });
      continue;
    }
    const unit = anchor.found;
    const to = tablePath({ kind: table.kind, name: table.unit, file: unit.file, symbol: unit.symbol });
    if (to !== path && (host.exists(`${root}/${to}`) || taken.has(to))) {
      left.push({ path, line: 1, why: `it would move to ${to}, which exists` });
      continue;
    }
    const patch = patchTable(file.text, [{ path: ['code', 'file'], value: unit.file }], path);
    if (patch.problems[0]) {
      left.push({ path, line: patch.problems[0].start?.line ?? 1, why: patch.problems[0].message });
      continue;
    }
    taken.add(to);
    steps.push({
      path,
      to,
      text: applyEdits(file.text, patch.edits),
      encoding,
      done: `${table.code.file} → ${unit.file}`,
      evidence: Object.keys(table.rows)
        .map((row) => [evidencePath(path, row), evidencePath(to, row)] as const)
        .filter(([from]) => from.startsWith(EVIDENCE_FOLDER) && host.exists(`${root}/${from}`)),
    });
  }
  return { steps, left };
}
