/** Rows that are picked by their state and then taken, with nothing that keeps a second worker from the same ones. */
import type { Expr } from '../facts/ir.ts';
import { some, uncast, type AnyNode } from '../facts/walk.ts';
import { exclusive } from '../model/paths.ts';
import type { Site } from '../model/sites.ts';
import { isIdempotent } from '../model/sites.ts';
import { isDatabaseCall, precededBy, standingOf } from './_kit/databaseCalls.ts';
import { DETECTION_BY_COMPARISON } from './_kit/detection.ts';
import { isOneOff, isSerialised } from './_kit/guards.ts';
import { namesOf } from './_kit/decisions.ts';
import { defineRule, type FixDraft, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { sitesByFunction } from './_kit/sitesByFunction.ts';
import { filterOf, isStateColumn, valuesOf, type Column } from './_kit/stateColumns.ts';
import { tableOf } from './_kit/tables.ts';
import { calleeName } from './_kit/text.ts';
import { openTransaction } from './_kit/transactionScopes.ts';
import { usesOf } from './_kit/uses.ts';
import { isChange } from './_kit/work.ts';

export const rule = defineRule({
  id: 'claim-without-lock',
  lens: 'concurrency',
  axis: 'data-consistency',
  faultClass: 'idempotency',
  severity: 'critical',
  blocking: true,
  stage: 'stable',
  since: '0.2.0',
  docs: {
    what: 'A worker reads the rows that are due by their status and afterwards sets that status by the row id alone. Neither statement keeps a second worker from the rows that the first one is about to take.',
    why: 'Two replicas, or a run that overlaps the next one, read before either has written. Both get the same rows and both do the work: mails go out twice, cards are charged twice, and the table shows one clean transition.',
    remedy:
      'Claim in one statement (`UPDATE … SET status = $1 WHERE id = $2 AND status = $3` and go on only where a row changed), or read with `FOR UPDATE SKIP LOCKED` in the transaction that sets the status.',
    whenNot: 'Where exactly one process runs this and waits for itself, or the work may be done twice.',
  },
  incidents: ['double-processing'],
  fixKind: 'previewed',
  detect(ctx) {
    if (isOneOff(ctx.file)) return;
    for (const sites of sitesByFunction(ctx)) look(ctx, sites);
  },
});

function look(ctx: RuleContext, sites: readonly Site[]): void {
  const reported = new Set<Site>();
  for (const read of sites) {
    if (read.effect?.kind !== 'db' || read.effect.op !== 'read' || read.effect.sql?.aggregate) continue;
    const table = tableOf(read);
    const filter = filterOf(ctx.model, read);
    if (!filter || filter.state.length === 0 || namesOneRow(filter.all)) continue;
    const lock = lockOn(ctx, read);
    if (lock === 'held') continue;
    const names = namesOf(ctx.file, read.top, read.fn);
    if (names.size === 0) continue;
    const rows = rowsFrom(ctx, names);
    for (const write of sites) {
      if (write === read || write.node.s < read.node.e || reported.has(write)) continue;
      const set = takes(ctx, write, table, rows, filter.state);
      if (!set || exclusive(ctx.file, read.node, write.node)) continue;
      if (!isWorker(ctx, read) || answersCount(ctx, write)) continue;
      if (lock === 'none' && isSerialised(ctx.model, ctx.file, write.fn, write.node)) continue;
      if (hasRunningGuard(ctx, read)) continue;
      if (!isClaim(set) && !doesMore(ctx, sites, read, write)) continue;
      reported.add(write);
      report(ctx, read, write, set, table);
      break;
    }
  }
}

/** A row that the caller names is looked at, not picked. */
function namesOneRow(columns: readonly string[]): boolean {
  return columns.some((c) => /^(?:id|_id|uuid|slug|token|key|email|(?:\w*_)?(?:token|slug|uuid))$/i.test(c));
}

/** A row lock ends with its statement where no transaction holds it. */
function lockOn(ctx: RuleContext, read: Site): 'none' | 'held' | 'lost' {
  const { effect } = read;
  const asks =
    effect?.sql?.forUpdate === true ||
    read.chain.some((c) => c.refines === 'lock' || c.refines === 'skip-locked') ||
    precededBy(ctx.model, read, 'lock') ||
    /\block\b|lockMode|pessimistic/i.test(read.file.text.slice(read.node.s, read.node.e));
  if (!asks) return 'none';
  return effect?.sql?.forUpdate === true &&
    isDatabaseCall(read) &&
    standingOf(ctx.model, read) === 'outside' &&
    !openTransaction(ctx.model, read)
    ? 'lost'
    : 'held';
}

/** The names of the picked rows: what the read gave, loop variables and callback parameters over it. */
function rowsFrom(ctx: RuleContext, names: ReadonlySet<number>): ReadonlySet<number> {
  const { file } = ctx;
  const rows = new Set(names);
  const from = (expr: Expr): boolean => some(expr, (n) => n.k === 'id' && rows.has(n.b));
  for (let round = 0; round < 3; round++)
    for (const [b, binding] of file.facts.bindings.entries()) {
      const { decl } = binding;
      if (rows.has(b) || !decl) continue;
      if (decl.k === 'each' && from(decl.iter)) rows.add(b);
      if (decl.k === 'init' && binding.kind === 'const' && from(decl.init) && uncast(decl.init).k !== 'await')
        rows.add(b);
      if (decl.k === 'param' && decl.index === 0) {
        const around = file.index.argumentSite(decl.fn);
        const callee = around?.call.k === 'call' ? around.call.callee : null;
        if (callee?.k === 'mem' && /^(?:map|forEach|filter|flatMap)$/.test(callee.prop) && from(callee.obj))
          rows.add(b);
        // `pMap(rows, async (row) => …)`
        else if (around && around.arg > 0 && around.call.args[0] && from(around.call.args[0])) rows.add(b);
      }
    }
  return rows;
}

/** The write sets a state column of the picked rows and asks for nothing but which rows. */
function takes(
  ctx: RuleContext,
  write: Site,
  table: string | null,
  rows: ReadonlySet<number>,
  looked: readonly Column[],
): Column | null {
  const { effect } = write;
  if (effect?.kind !== 'db' || (effect.op !== 'update' && effect.op !== 'write')) return null;
  const other = tableOf(write);
  if (table === null || other !== table) return null;
  const values = valuesOf(ctx.model, write) ?? [];
  const set = values.find((v) => isStateColumn(v.name) && looked.some((l) => sameColumn(l.name, v.name)));
  if (!set || looked.some((l) => l.value !== null && l.value === set.value)) return null;
  const filter = filterOf(ctx.model, write);
  if (filter) {
    if (filter.state.length > 0) return null;
    return filter.exprs.some((e) => some(e, (n) => n.k === 'id' && rows.has(n.b))) ? set : null;
  }
  return write.node.k === 'call' && some(write.node.callee, (n) => n.k === 'id' && rows.has(n.b))
    ? set
    : null;
}

function sameColumn(a: string, b: string): boolean {
  const plain = (s: string): string => s.replace(/_/g, '').toLowerCase();
  return plain(a) === plain(b);
}

const WORKER =
  /worker|cron|poll|dispatch|queue|schedul|sweep|runner|outbox|relay|process|consume|drain|deliver|pick|claim|next|due|pending|batch|tick|job|task/i;

/** Code that runs by itself, in as many copies as there are replicas. */
function isWorker(ctx: RuleContext, read: Site): boolean {
  const outer = ctx.model.outermost(read.file, read.fn);
  const units = ctx.unitsReaching(outer);
  if (units.some((u) => /^(?:cron|job|consumer)$/.test(u.unit.kind))) return true;
  const name = ctx.file.facts.functions[outer]?.name ?? '';
  if (units.length > 0) return units.some((u) => /cron|job|worker|poll/i.test(u.file.path));
  return (
    WORKER.test(name) || /(?:^|\/)(?:workers?|crons?|jobs?|tasks?|queues?|schedulers?)\//i.test(ctx.file.path)
  );
}

/** A decision hangs on how many rows the write changed. */
function answersCount(ctx: RuleContext, write: Site): boolean {
  const { file } = ctx;
  const decides = (node: AnyNode): boolean => {
    for (let child = node, at = file.index.parent(node); at; child = at, at = file.index.parent(at)) {
      if ((at.k === 'if' || at.k === 'cond' || at.k === 'while') && child === at.test) return true;
      if (at.k === 'bin' && /^(?:[<>]=?|[=!]==?|&&)$/.test(at.op)) return true;
      if (at.k === 'ret') return true;
      if (at.k === 'call' || at.k === 'expr' || at.k === 'var' || at.k === 'block') return false;
    }
    return false;
  };
  if (decides(write.top)) return true;
  return [...namesOf(file, write.top, write.fn)].some((b) => usesOf(file, b).some(decides));
}

/** `if (this.running) return; this.running = true;` keeps one process from overlapping itself: the author knows of one. */
function hasRunningGuard(ctx: RuleContext, read: Site): boolean {
  const fact = ctx.file.facts.functions[ctx.model.outermost(ctx.file, read.fn)];
  return fact
    ? /\bif\s*\(\s*(?:this\.)?_?(?:is)?(?:running|processing|busy|inProgress|polling|active)\b/i.test(
        ctx.file.text.slice(fact.s, fact.e),
      )
    : true;
}

const CLAIM = /process|running|claim|lock|progress|start|active|pick|sending|taken|working|busy/i;

/** The new state says that somebody works on it now. */
function isClaim(set: Column): boolean {
  return CLAIM.test(set.value ?? '') || /^(?:claimed|locked|started|picked)/i.test(set.name);
}

/** Something is done for the rows that must not be done twice. */
function doesMore(ctx: RuleContext, sites: readonly Site[], read: Site, write: Site): boolean {
  const twice = (s: Site): boolean =>
    isChange(s.effect) &&
    !isIdempotent(s.effect) &&
    s.effect.kind !== 'file' &&
    s.effect.confidence === 'shown' &&
    !/idempoten|jobId|dedup/i.test(s.file.text.slice(s.node.s, s.node.e));
  return sites.some((s) => {
    if (s === read || s === write || s.node.s < read.node.e) return false;
    if (inHandler(ctx, s)) return false;
    if (twice(s)) return tableOf(s) === null || tableOf(s) !== tableOf(write);
    if (s.target.k !== 'fn') return false;
    return (
      ctx.model
        .reach(s.target.value.file, s.target.value.fn)
        // A request that a helper makes may carry a key of its own, which the other side refuses the second time.
        .some((r) => r.via.length < 3 && twice(r.site) && /^(?:mail|queue)$/.test(r.site.effect?.kind ?? ''))
    );
  });
}

function inHandler(ctx: RuleContext, site: Site): boolean {
  for (const frame of ctx.model.frames.around(site.file, site.node, site.fn))
    if (frame.k === 'catch') return true;
  return false;
}

function report(ctx: RuleContext, read: Site, write: Site, set: Column, table: string | null): void {
  const name = calleeName(write);
  const look = calleeName(read);
  const rows = table ? `\`${table}\` rows` : 'rows';
  const useless = read.effect?.sql?.forUpdate === true;
  const claims = isClaim(set);
  ctx.report({
    at: write.node.k === 'tag' ? write.node.tag : write.node.callee,
    message: useless
      ? `\`${look}\` locks the ${rows} outside a transaction, so the locks end with the statement: a second worker reads the same ones before \`${name}\` marks them, and both do the work.`
      : `Two workers that run at the same time read the same ${rows} with \`${look}\` and both mark them with \`${name}\`: nothing stops the second, so the work is done twice.`,
    trigger: 'two replicas, or a run that overlaps the next one',
    scenario: `At \`${name}\`, when a second worker has read between this one's \`${look}\` and its \`${name}\`, then both work on the same ${rows}.`,
    detection: DETECTION_BY_COMPARISON,
    fix: `Put the old \`${set.name}\` into the WHERE of \`${name}\` and go on only where a row changed, or read with \`FOR UPDATE SKIP LOCKED\` in one transaction with it.`,
    anchor: name,
    severity: claims ? 'critical' : 'high',
    confidence:
      read.effect?.confidence === 'shown' && write.effect?.confidence === 'shown' ? 'shown' : 'assumed',
    path: [read, write],
    fixes: skipLocked(ctx, read),
  });
}

/** A plain statement within the transaction that marks the rows: the lock clause goes at its end. */
function skipLocked(ctx: RuleContext, read: Site): FixDraft[] {
  const { node, file, effect } = read;
  if (!effect?.sql || effect.sql.forUpdate || !openTransaction(ctx.model, read)) return [];
  if (!/^(?:pg|pgPromise|postgresJs|mysql2)$/.test(effect.pack?.id ?? '')) return [];
  const text: AnyNode | undefined = node.k === 'tag' ? node : node.args[0];
  if (!text || (text.k !== 'lit' && text.k !== 'tmpl' && text.k !== 'tag')) return [];
  if (/;\s*.$/.test(file.text.slice(text.s, text.e))) return [];
  return [
    {
      id: 'skip-locked',
      title: 'Read with FOR UPDATE SKIP LOCKED',
      kind: 'previewed',
      edits: () => [
        {
          file: file.path,
          edits: [{ start: text.e - 1, end: text.e - 1, newText: ' FOR UPDATE SKIP LOCKED' }],
        },
      ],
    },
  ];
}

export const examples: readonly RuleExample[] = [
  {
    title: 'A worker that takes the next jobs',
    bad: `import { Pool } from 'pg';
const pool = new Pool();

export async function takeDueJobs() {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const { rows } = await client.query("SELECT * FROM jobs WHERE status = 'waiting' LIMIT 10");
    for (const job of rows) await client.query("UPDATE jobs SET status = 'running' WHERE id = $1", [job.id]);
    await client.query('COMMIT');
    return rows;
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}
`,
    good: `import { Pool } from 'pg';
const pool = new Pool();

export async function takeDueJobs() {
  const { rows } = await pool.query(
    "UPDATE jobs SET status = 'running' WHERE id IN (SELECT id FROM jobs WHERE status = 'waiting' LIMIT 10 FOR UPDATE SKIP LOCKED) RETURNING *",
  );
  return rows;
}
`,
    fixed: `import { Pool } from 'pg';
const pool = new Pool();

export async function takeDueJobs() {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const { rows } = await client.query("SELECT * FROM jobs WHERE status = 'waiting' LIMIT 10 FOR UPDATE SKIP LOCKED");
    for (const job of rows) await client.query("UPDATE jobs SET status = 'running' WHERE id = $1", [job.id]);
    await client.query('COMMIT');
    return rows;
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}
`,
  },
];
