/** `sixlens table`: writes the failure-mode tables of units. A file that cannot be read as a table is never overwritten. */
import type { Problem } from '../../base/problem.ts';
import { LineIndex } from '../../base/span.ts';
import type { FileHost } from '../../host/fileHost.ts';
import type { Analysis, Unit } from '../../service/contract.ts';
import type { TableDocuments } from '../../service/tableContract.ts';
import { CliError, EXIT, type CliContext } from '../context.ts';
import { textOption, writeJson } from '../output.ts';
import { folderLister, readTargets, relativeTo, targetFiles, isWithin } from '../targets.ts';

interface Written {
  readonly unit: string;
  readonly path: string;
  readonly status: 'written' | 'unchanged';
}

export async function runTable(
  context: CliContext,
  options: Readonly<Record<string, string | boolean | undefined>>,
  positionals: readonly string[],
): Promise<number> {
  if (positionals.length === 0)
    throw new CliError('name the files whose units get tables, such as src/orders.ts');
  const places = positionals.map((word) => splitLine(context, word));
  const targets = readTargets(
    context,
    places.map(({ path }) => path),
    textOption(options, 'root'),
  );
  const { root } = targets;
  const analysis = await context.loadAnalysis({ root, host: context.host });
  const tables = await context.loadTables();

  const withLine = places.filter(({ line }) => line !== null);
  const whole = readTargets(
    context,
    places.filter(({ line }) => line === null).map(({ path }) => path),
    root,
  );
  const { files, notSource } = targetFiles(whole, analysis, folderLister(context.host, root));
  for (const typed of notSource)
    context.stderr.write(`sixlens: table: ${typed} is no TypeScript or JavaScript file\n`);
  const units = new Map<string, Unit>();
  if (withLine.length < places.length)
    for (const unit of analysis.units(files ?? analysis.sourceFiles())) units.set(unit.id, unit);
  for (const { path, line } of withLine) {
    const unit = unitAtLine(
      analysis,
      root,
      context.host.realpath(context.resolvePath(context.cwd, path)),
      line!,
    );
    if (!unit) throw new CliError(`${path}:${line} is in no unit and no exported async function`);
    units.set(unit.id, unit);
  }
  if (units.size === 0)
    context.stderr.write('sixlens: table: no units there; PATH:LINE makes a table of an exported function\n');

  const today = new Date(context.clock.now()).toISOString().slice(0, 10);
  const written: Written[] = [];
  const problems: Problem[] = [];
  const folders = new Map<string, TableFolder>();
  for (const unit of units.values()) {
    const name = tables.folderOf(unit.file);
    let folder = folders.get(name);
    if (!folder) folders.set(name, (folder = readFolder(context.host, tables, root, name, today)));
    const existing = folder.find(unit);
    const own = tables.nameOf(unit, folder.names('read'));
    const path = `${name}/${existing?.name ?? own}`;
    if (!existing && folder.names('unread').includes(own)) {
      // It may well be this unit's table: writing beside it would split the unit in two.
      const message =
        'Not written: the table there cannot be read. Repair it first; nothing in it was touched.';
      problems.push({ code: 'table-not-written', message, file: path, severity: 'error' });
      continue;
    }
    const result = tables.generate(analysis.view(unit), existing?.text ?? null, today);
    if ('message' in result) {
      problems.push({ code: 'table-not-written', message: result.message, file: path, severity: 'error' });
      continue;
    }
    const status = result.text === existing?.text ? 'unchanged' : 'written';
    if (status === 'written')
      try {
        context.host.writeText(`${root}/${path}`, result.text, existing?.encoding ?? 'utf8');
      } catch (error) {
        const message = `The file cannot be written: ${error instanceof Error ? error.message : String(error)}`;
        problems.push({ code: 'table-not-written', message, file: path, severity: 'error' });
        continue;
      }
    folder.add(path.slice(name.length + 1), result.text, unit);
    written.push({ unit: unit.id, path, status });
  }
  // A malformed table is only in the way of the units it might belong to, but nobody sees that without being told.
  for (const folder of folders.values()) problems.push(...folder.problems);

  if (textOption(options, 'format') === 'json') writeJson(context, { tables: written, problems });
  else {
    for (const { path } of written) context.stdout.write(`${path}\n`);
    for (const { file, start, message } of problems)
      context.stderr.write(
        `sixlens: table: ${file}${start ? `:${start.line}:${start.column}` : ''}: ${message}\n`,
      );
  }
  return problems.some(({ severity }) => severity === 'error') ? EXIT.failed : EXIT.nothing;
}

/** `src/a.ts:12` names a line, unless there is a file of that name. */
function splitLine(
  context: CliContext,
  word: string,
): { readonly path: string; readonly line: number | null } {
  const match = /^(.+?):(\d+)$/.exec(word);
  if (!match || context.host.exists(context.resolvePath(context.cwd, word)))
    return { path: word, line: null };
  return { path: match[1]!, line: Number(match[2]) };
}

function unitAtLine(analysis: Analysis, root: string, path: string, line: number): Unit | null {
  if (!isWithin(root, path)) return null;
  const file = relativeTo(root, path);
  const text = analysis.textOf(file);
  if (text === null) return null;
  const lines = LineIndex.of(text);
  if (line > lines.lineCount) return null;
  const start = lines.offsetAt({ line, column: 1 });
  const indent = /^[^\S\r\n]*/.exec(text.slice(start))![0].length;
  return analysis.unitAt(file, start + indent);
}

interface TableFolder {
  readonly problems: readonly Problem[];
  find(
    unit: Unit,
  ): { readonly name: string; readonly text: string; readonly encoding: 'utf8' | 'utf8-bom' } | null;
  /** Of the tables that were read, or of those that could not be. */
  names(which: 'read' | 'unread'): string[];
  add(name: string, text: string, unit: Unit): void;
}

function readFolder(
  host: FileHost,
  tables: TableDocuments,
  root: string,
  folder: string,
  today: string,
): TableFolder {
  const problems: Problem[] = [];
  const entries: {
    name: string;
    text: string;
    encoding: 'utf8' | 'utf8-bom';
    file: string;
    symbol: string;
  }[] = [];
  const names = new Set<string>();
  for (const { name, isFile } of [...host.readDir(`${root}/${folder}`)].sort((a, b) =>
    a.name < b.name ? -1 : 1,
  )) {
    if (!isFile || !/\.ya?ml$/.test(name)) continue;
    names.add(name);
    const read = host.readText(`${root}/${folder}/${name}`);
    if (!read) continue;
    if (read.problem) {
      // Written back as UTF-8 it would change bytes that nobody meant to change.
      problems.push({ ...read.problem, file: `${folder}/${name}`, severity: 'error' });
      continue;
    }
    const { content, problems: found } = tables.read(read.text, `${folder}/${name}`, null, today);
    problems.push(...found);
    if (!content) continue;
    entries.push({
      name,
      text: read.text,
      encoding: read.encoding === 'utf8-bom' ? 'utf8-bom' : 'utf8',
      ...content.code,
    });
  }
  return {
    problems,
    find: (unit) => entries.find(({ file, symbol }) => file === unit.file && symbol === unit.symbol) ?? null,
    names: (which) =>
      [...names].filter((name) => entries.some((entry) => entry.name === name) === (which === 'read')),
    add(name, text, unit) {
      names.add(name);
      const at = entries.findIndex((entry) => entry.name === name);
      const entry = { name, text, encoding: 'utf8' as const, file: unit.file, symbol: unit.symbol };
      if (at < 0) entries.push(entry);
      else entries[at] = entry;
    },
  };
}
