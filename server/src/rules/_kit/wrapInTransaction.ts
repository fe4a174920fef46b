/** Moves statements into a transaction in the form of their library. Owns the shapes; refuses where the result would not be the same. */
import type { TextEdit } from '../../base/textEdit.ts';
import { applyEdits } from '../../base/textEdit.ts';
import type { Expr, Pattern, Stmt } from '../../facts/ir.ts';
import { some, walk } from '../../facts/walk.ts';
import { indentAt, indentUnit, lineEnd, quoteOf, usesSemicolons } from '../../fixes/edits.ts';
import { inherited } from '../../model/packIndex.ts';
import type { Model } from '../../model/model.ts';
import { blockAround } from '../../model/paths.ts';
import type { SourceFile } from '../../model/project.ts';
import type { Site } from '../../model/sites.ts';
import { isDatabaseCall, standingOf, touchesRows } from './databaseCalls.ts';
import { retarget } from './transactionHandle.ts';

interface Opening {
  /** Text before `async (handle) => {`; null: begin and end are statements of their own. */
  readonly open: string | null;
  readonly handle: string;
  readonly client?: {
    readonly acquire: string;
    readonly begin: string;
    readonly commit: string;
    readonly rollback: string;
  };
}

/** Edits that put everything from the first to the last site into one transaction; null when that cannot be done in place. */
export function wrapInTransaction(model: Model, sites: readonly Site[]): TextEdit[] | null {
  const first = sites[0];
  const last = sites.at(-1);
  if (!first || !last || sites.some((s) => s.fn !== first.fn || s.file !== first.file)) return null;
  const { file, fn } = first;
  const range = statementsBetween(file, fn, first, last);
  if (!range) return null;
  const inside = model.sitesWithin(file, fn).filter((s) => s.node.s >= range.start && s.node.e <= range.end);
  // Something else in between that reaches the database would run beside the transaction.
  for (const site of inside) {
    if (site.effect && !isDatabaseCall(site) && site.effect.network) return null;
    if (
      site.target.k === 'fn' &&
      model.reach(site.target.value.file, site.target.value.fn).some((r) => touchesRows(r.site))
    )
      return null;
  }
  const queries = inside.filter((s) => touchesRows(s) && standingOf(model, s) === 'outside');
  const packs = new Set(queries.map((s) => s.effect?.pack?.id));
  if (packs.size !== 1) return null;
  const opening = openingFor(model, first, takenNames(file, range));
  if (!opening) return null;
  const edits: TextEdit[] = [];
  for (const query of queries) {
    const edit = retarget(model, query, opening.handle);
    if (!edit) return null;
    edits.push(...edit);
  }
  return write(file, fn, range, edits, opening);
}

interface Range {
  readonly stmts: readonly Stmt[];
  readonly start: number;
  readonly end: number;
}

function statementsBetween(file: SourceFile, fn: number, first: Site, last: Site): Range | null {
  const from = file.index.statementOf(first.node);
  const to = file.index.statementOf(last.node);
  if (!from || !to) return null;
  const block = blockAround(file, from, fn);
  if (block.at < 0) return null;
  const body = block.body;
  const end = body.findIndex((st) => st.s <= to.s && to.e <= st.e);
  if (end < block.at) return null;
  const stmts = body.slice(block.at, end + 1);
  for (const [i, st] of stmts.entries()) {
    const isLast = i === stmts.length - 1;
    if (st.k === 'ret' && isLast && st.arg) continue;
    if (
      some(st, (n) => n.k === 'ret' || ((n.k === 'break' || n.k === 'continue') && !insideLoop(file, n, st)))
    )
      return null;
    if (st.k === 'fndecl' || st.k === 'clsdecl') return null;
  }
  const head = stmts[0];
  const tail = stmts.at(-1);
  return head && tail ? { stmts, start: head.s, end: tail.e } : null;
}

function insideLoop(file: SourceFile, node: Stmt | Expr | Pattern, top: Stmt): boolean {
  for (let at = file.index.parent(node); at; at = file.index.parent(at)) {
    if (
      at.k === 'for' ||
      at.k === 'forof' ||
      at.k === 'forin' ||
      at.k === 'while' ||
      at.k === 'do' ||
      at.k === 'switch'
    )
      return true;
    if (at === top) return false;
  }
  return false;
}

/** Names that mean something in the range already. */
function takenNames(file: SourceFile, range: Range): ReadonlySet<string> {
  const names = new Set<string>();
  for (const b of file.facts.bindings) {
    const home = file.facts.functions[b.fn];
    if (
      !home ||
      home.id === 0 ||
      (home.s <= range.start && range.end <= home.e) ||
      (range.start <= home.s && home.e <= range.end)
    )
      names.add(b.name);
  }
  return names;
}

function free(taken: ReadonlySet<string>, ...names: string[]): string | null {
  return names.find((n) => !taken.has(n)) ?? null;
}

function openingFor(model: Model, site: Site, taken: ReadonlySet<string>): Opening | null {
  const { file } = site;
  const pack = site.effect?.pack?.id;
  const client = clientText(model, site);
  const tx = free(taken, 'tx', 'trx', 'inner');
  if (!tx) return null;
  const typed = /\.[cm]?tsx?$/.test(file.path);
  switch (pack) {
    case 'prisma':
      return client ? { open: `${client}.$transaction(`, handle: tx } : null;
    case 'drizzle':
      return client ? { open: `${client}.transaction(`, handle: tx } : null;
    case 'postgresJs':
      return client ? { open: `${client}.begin(`, handle: tx } : null;
    case 'knex': {
      const trx = free(taken, 'trx', 'tx', 'inner');
      return client && trx ? { open: `${client}.transaction(`, handle: trx } : null;
    }
    case 'kysely': {
      const trx = free(taken, 'trx', 'tx', 'inner');
      return client && trx ? { open: `${client}.transaction().execute(`, handle: trx } : null;
    }
    case 'typeorm': {
      const manager = free(taken, 'manager', 'txManager');
      if (!client || !manager) return null;
      const role = receiverRole(model, site);
      return {
        open: role === 'repository' ? `${client}.manager.transaction(` : `${client}.transaction(`,
        handle: manager,
      };
    }
    case 'sequelize': {
      const handle = free(taken, 'transaction', 't');
      const owner = modelText(site);
      const own = file.facts.bindings.find((b) => /^sequelize$/.test(b.name) && b.fn === 0);
      if (!handle || (!owner && !own)) return null;
      return {
        open: own ? `${own.name}.transaction(` : `${owner}.sequelize${typed ? '!' : ''}.transaction(`,
        handle,
      };
    }
    case 'mongoose': {
      const handle = free(taken, 'session', 'txSession');
      const own = file.facts.bindings.find((b) => b.name === 'mongoose' && b.fn === 0);
      const owner = modelText(site);
      if (
        !handle ||
        (!own && !(owner && site.target.k === 'lib' && site.target.recv?.type === 'ModelStatic'))
      )
        return null;
      return { open: own ? `${own.name}.connection.transaction(` : `${owner}.db.transaction(`, handle };
    }
    case 'pg': {
      const handle = free(taken, 'client', 'connection');
      const quote = quoteOf(file.text);
      const q = (sql: string): string => `await ${handle}.query(${quote}${sql}${quote})`;
      return client && handle
        ? {
            open: null,
            handle,
            client: {
              acquire: `await ${client}.connect()`,
              begin: q('BEGIN'),
              commit: q('COMMIT'),
              rollback: q('ROLLBACK'),
            },
          }
        : null;
    }
    case 'mysql2': {
      const handle = free(taken, 'connection', 'conn');
      const q = (name: string): string => `await ${handle}.${name}()`;
      return client && handle && site.target.k === 'lib' && site.target.recv?.type === 'Pool'
        ? {
            open: null,
            handle,
            client: {
              acquire: `await ${client}.getConnection()`,
              begin: q('beginTransaction'),
              commit: q('commit'),
              rollback: q('rollback'),
            },
          }
        : null;
    }
    default:
      return null;
  }
}

function receiverRole(model: Model, site: Site): string | undefined {
  const { file, node } = site;
  if (node.k !== 'call' || node.callee.k !== 'mem') return undefined;
  const value = model.values.of(file, node.callee.obj);
  return value.k === 'inst' ? inherited(value.pack, value.type, 'role') : undefined;
}

/** The text of what `retarget` would replace. */
function clientText(model: Model, site: Site): string | null {
  const marker = ' ';
  const edit = retarget(model, site, marker);
  const only = edit?.[0];
  if (!edit || !only || edit.length !== 1 || only.start === only.end) return null;
  return site.file.text.slice(only.start, only.end);
}

function modelText(site: Site): string | null {
  const { node, file } = site;
  if (node.k !== 'call' || node.callee.k !== 'mem') return null;
  const { obj } = node.callee;
  return obj.k === 'id' || obj.k === 'mem' ? file.text.slice(obj.s, obj.e) : null;
}

function write(
  file: SourceFile,
  fn: number,
  range: Range,
  edits: readonly TextEdit[],
  opening: Opening,
): TextEdit[] | null {
  const { text } = file;
  const nl = lineEnd(text);
  const semi = usesSemicolons(text) ? ';' : '';
  const unit = indentUnit(text);
  const base = indentAt(text, range.start);
  const used = usedAfter(file, fn, range);
  if (used === null) return null;
  const tail = range.stmts.at(-1);
  const shifted = edits.map((e) => ({
    start: e.start - range.start,
    end: e.end - range.start,
    newText: e.newText,
  }));
  const moved = applyEdits(text.slice(range.start, range.end), shifted);
  const body = indentBody(moved, unit);
  const { open, handle, client } = opening;
  if (client) {
    if (used.length > 0) return null;
    const inner = `${base}${unit}`;
    const returns = tail?.k === 'ret';
    // The commit has to come before the value is handed out.
    if (returns) return null;
    const lines = [
      `const ${handle} = ${client.acquire}${semi}`,
      `${base}try {`,
      `${inner}${client.begin}${semi}`,
      `${inner}${body}`,
      `${inner}${client.commit}${semi}`,
      `${base}} catch (error) {`,
      `${inner}${client.rollback}${semi}`,
      `${inner}throw error${semi}`,
      `${base}} finally {`,
      `${inner}${handle}.release()${semi}`,
      `${base}}`,
    ];
    return [{ start: range.start, end: range.end, newText: lines.join(nl) }];
  }
  const returns = tail?.k === 'ret';
  const lead = returns
    ? 'return '
    : used.length === 1
      ? `const ${used[0]} = await `
      : used.length > 1
        ? `const { ${used.join(', ')} } = await `
        : 'await ';
  const giving =
    used.length === 1
      ? `return ${used[0]}${semi}`
      : used.length > 1
        ? `return { ${used.join(', ')} }${semi}`
        : null;
  if (returns && giving) return null;
  const awaiting = returns && isInTry(file, range.stmts[0]) ? 'return await ' : lead;
  const lines = [`${awaiting}${open}async (${handle}) => {`, `${base}${unit}${body}`];
  if (giving) lines.push(`${base}${unit}${giving}`);
  lines.push(`${base}})${semi}`);
  return [{ start: range.start, end: range.end, newText: lines.join(nl) }];
}

function isInTry(file: SourceFile, st: Stmt | undefined): boolean {
  for (let at = st ? file.index.parent(st) : undefined; at; at = file.index.parent(at))
    if (at.k === 'try') return true;
  return false;
}

/** Lines after the first go one level in; lines inside template literals stay as they are. */
function indentBody(text: string, unit: string): string {
  let out = '';
  let depth = 0;
  for (const [i, line] of text.split('\n').entries()) {
    out += i === 0 ? line : `\n${depth % 2 === 0 && line.trim() !== '' ? unit : ''}${line}`;
    depth += (line.replace(/\\`/g, '').match(/`/g) ?? []).length;
  }
  return out;
}

/** Names declared in the range that later code uses; null when one of them could not be handed out. */
function usedAfter(file: SourceFile, fn: number, range: Range): string[] | null {
  const declared = new Map<number, string>();
  for (const st of range.stmts) {
    if (st.k !== 'var') continue;
    for (const d of st.decls)
      for (const id of namesOf(d.target)) {
        const binding = file.facts.bindings[id.b];
        if (!binding) continue;
        if (usesAfter(file, fn, id.b, range.end)) {
          if (binding.kind !== 'const') return null;
          declared.set(id.b, id.name);
        }
      }
  }
  return [...declared.values()];
}

function namesOf(pattern: Pattern): { name: string; b: number }[] {
  const out: { name: string; b: number }[] = [];
  walk(pattern, (n) => {
    if (n.k === 'pid') out.push(n);
  });
  return out;
}

function usesAfter(file: SourceFile, fn: number, binding: number, end: number): boolean {
  if (!file.facts.functions[fn]) return true;
  for (const inner of file.index.within(fn)) {
    for (const st of inner.body)
      if (st.e > end && some(st, (n) => n.k === 'id' && n.b === binding && n.s >= end)) return true;
  }
  return false;
}
