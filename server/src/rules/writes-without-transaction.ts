/** Writes that belong together and can be left half done. */
import type { Call } from '../facts/ir.ts';
import { some, uncast, type AnyNode } from '../facts/walk.ts';
import { mayFollow } from '../model/paths.ts';
import type { Site } from '../model/sites.ts';
import { isSideTable } from './_kit/databaseCalls.ts';
import { defineRule, type FixDraft, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { calleeName } from './_kit/text.ts';
import { letsFailureOut } from './_kit/promises.ts';
import { isAwaited } from './_kit/transactionScopes.ts';
import { wrapInTransaction } from './_kit/wrapInTransaction.ts';
import { isGetOrCreate, makesTable, stepsByFlow, type Step } from './_kit/writeSteps.ts';

export const rule = defineRule({
  id: 'writes-without-transaction',
  lens: 'partial-failure',
  axis: 'data-consistency',
  faultClass: 'recovery',
  severity: 'high',
  blocking: true,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'One path makes two or more writes to the same database that belong together (one uses the result of the other, or both are about the same row) and nothing makes them happen both or not at all.',
    why: 'The process is restarted, the second statement times out or violates a constraint: the first write stays. Rows point at nothing, money is booked once instead of twice, and a retry of the request starts from the half-done state.',
    remedy:
      'Put the writes into one transaction and send each through its handle, or make them one statement.',
    whenNot:
      'Writes that are repeated until both are done (an idempotent job), or whose second half is a record that nobody depends on.',
  },
  incidents: ['partial-write', 'data-corruption'],
  fixKind: 'previewed',
  detect(ctx) {
    // Somebody watches a tool run, and runs it again.
    if (RUN_BY_HAND.test(ctx.file.path)) return;
    for (const steps of stepsByFlow(ctx.model, ctx.file, ctx.sites).values())
      if (steps.length > 1) checkFlow(ctx, steps);
  },
});

const RUN_BY_HAND = /(?:^|\/)(?:scripts?|seeds?|seeders?)\/|(?:^|[/.-])(?:seed|backfill)[^/]*\.[cm]?[jt]s$/i;

function checkFlow(ctx: RuleContext, all: readonly Step[]): void {
  const steps = all.filter((s) => !isSideTable(s.entity) && counts(ctx, s));
  const taken = new Set<Step>();
  for (const [i, first] of steps.entries()) {
    if (taken.has(first)) continue;
    const group = [first];
    for (const later of steps.slice(i + 1)) {
      if (taken.has(later)) continue;
      if (group.some((member) => belong(ctx, member, later))) group.push(later);
    }
    if (group.length < 2 || group.every((s) => s.how !== 'direct')) continue;
    for (const member of group) taken.add(member);
    report(ctx, group);
  }
}

/** Awaited, and not a write whose failure the code has already decided to live with. */
function counts(ctx: RuleContext, step: Step): boolean {
  const { site } = step;
  if (!isAwaited(site.file, site.top)) return false;
  if (site.chain.some((c) => c.name === 'catch' && !throwsOn(site.file, c.node))) return false;
  if (onlyStamps(step)) return false;
  for (const frame of ctx.model.frames.around(site.file, site.node, site.fn)) {
    if (frame.k === 'catch' || frame.k === 'finally') return false;
    if (frame.k === 'callback') {
      const name =
        frame.call.callee.k === 'mem'
          ? frame.call.callee.prop
          : frame.call.callee.k === 'id'
            ? frame.call.callee.name
            : '';
      if (/^(?:waitUntil|after|catch|defer|runInBackground|nextTick)$/.test(name)) return false;
    }
  }
  return !insideDetached(site);
}

/** `.catch(error => { …; throw error })`: the failure goes on to the caller. */
function throwsOn(file: Site['file'], call: Call): boolean {
  const handler = call.args[0] ? uncast(call.args[0]) : null;
  if (handler?.k !== 'fn') return false;
  return (file.facts.functions[handler.fn]?.body ?? []).some((st) => some(st, (n) => n.k === 'throw'));
}

const LETS_FAIL = /^(?:waitUntil|after|allSettled|tryCatch|trySafe|safeAwait|attempt)$/;

/** Handed to something that goes on whatever comes of it: `waitUntil((async () => …)())`, `tryCatch(write())`. */
function insideDetached(site: Site): boolean {
  const { file, node } = site;
  for (const at of file.index.ancestors(node)) if (at.k === 'un' && at.op === 'void') return true;
  for (
    let fn = site.fn, guard = 0;
    fn >= 0 && guard < 12;
    fn = file.facts.functions[fn]?.parent ?? -1, guard++
  )
    for (const call of file.index.calls[fn] ?? []) {
      if (call.k !== 'call' || call.s > node.s || call.e < node.e || call === node) continue;
      if (
        LETS_FAIL.test(
          call.callee.k === 'id' ? call.callee.name : call.callee.k === 'mem' ? call.callee.prop : '',
        )
      )
        return true;
    }
  return false;
}

/** Sets nothing but when or how often something was seen. */
function onlyStamps(step: Step): boolean {
  const { write } = step;
  const at = write.effect?.spec.dataAt;
  if (!at || write.node.k !== 'call' || write.effect?.op === 'insert' || at.arg === 'last') return false;
  const arg = write.node.args[at.arg];
  const data =
    arg && at.path
      ? uncast(arg).k === 'obj'
        ? (uncast(arg) as { props: readonly { key: string | null; value: AnyNode }[] }).props.find(
            (p) => p.key === at.path,
          )?.value
        : undefined
      : arg;
  if (!data || data.k !== 'obj' || data.props.length === 0) return false;
  return data.props.every(
    (p) =>
      (p.key !== null && isCounter(p)) ||
      (p.key !== null &&
        /^(?:last[A-Z_]\w*|\w*(?:SeenAt|UsedAt|UpdatedAt|updated_at|AccessedAt|ActiveAt|LoginAt|SyncedAt|CheckedAt|ViewedAt|clicks|views|hits|seen))$/i.test(
          p.key,
        )),
  );
}

/** A statistic that is counted up: `clicks: { increment: 1 }`. */
function isCounter(p: { readonly key: string | null; readonly value: AnyNode }): boolean {
  return (
    /(?:count|clicks|leads|conversions|views|hits|downloads|visits|usage)$/i.test(p.key ?? '') &&
    p.value.k === 'obj' &&
    p.value.props.every((x) => x.key === 'increment' || x.key === 'decrement')
  );
}

/** Books an amount on the row: `credits: { decrement: 5 }`. */
function countsAmount(step: Step): boolean {
  const { node } = step.write;
  return (
    node.k === 'call' &&
    node.args.some((a) =>
      some(
        a,
        (n) =>
          n.k === 'obj' &&
          n.props.some((p) => p.key === 'increment' || p.key === 'decrement' || p.key === '$inc'),
      ),
    )
  );
}

/** Rows are taken a batch at a time until none is left: the whole is repeated anyway. */
function inBatches(ctx: RuleContext, step: Step): boolean {
  const { write, site } = step;
  if (!write.effect?.spec.many && step.how !== 'helper') return false;
  if (
    write.node.k === 'call' &&
    write.node.args.some(
      (a) =>
        a.k === 'obj' &&
        a.props.some(
          (p) =>
            p.key === 'limit' ||
            p.key === 'take' ||
            (step.how === 'direct' && p.key === 'where' && isListed(p.value)),
        ),
    )
  )
    return true;
  if ([...step.names].some((b) => readInParts(ctx, site.file, b))) return true;
  for (const frame of ctx.model.frames.around(site.file, site.node, site.fn))
    if (frame.k === 'loop' && (frame.node.k === 'while' || frame.node.k === 'do')) return true;
  return false;
}

/** `const due = await find({ …, take: 500 })`. */
function readInParts(ctx: RuleContext, file: Site['file'], b: number): boolean {
  const decl = file.facts.bindings[b]?.decl;
  if (decl?.k !== 'init') return false;
  const init = uncast(decl.init.k === 'await' ? decl.init.arg : decl.init);
  if (init.k !== 'call') return false;
  const read = ctx.model.sites.at(file, init);
  if (read?.effect?.kind !== 'db' || read.effect.op !== 'read' || !read.effect.spec.many) return false;
  return (
    init.args.some((a) => a.k === 'obj' && a.props.some((p) => p.key === 'limit' || p.key === 'take')) ||
    read.chain.some((c) => c.refines === 'limit')
  );
}

/** `{ id: { in: batch.map(…) } }`: the rows were read before, a part at a time. */
function isListed(where: AnyNode): boolean {
  if (where.k !== 'obj') return false;
  const id = where.props.find((p) => p.key === 'id')?.value;
  return id?.k === 'obj' && id.props.some((p) => p.key === 'in' && p.value.k === 'call');
}

const TENANT =
  /^(?:.*\.)?(?:user|users|owner|account|workspace|organi[sz]ation|org|team|tenant|project|environment|company|program|store|shop|member|actor|createdBy|channel|domain|partner|customer)(?:\.id|Id|_id|ID|\.uuid|Slug|_slug)$|^(?:.*\.)?(?:session|auth|ctx|req|request|viewer|me|currentUser)\b.*$/;

/** Helpers that look, tell or bring up to date: what they write is no half of the other write. */
const NO_COUNTERPART =
  /^_?(?:import|detect|check|verify|validate|request|notify|send|sync|refresh|recalculate|recompute|queue|enqueue|dispatch|trigger|track|log|report|invalidate|get|find|fetch|ensure)(?:[A-Z_].*)?$/;
/** What somebody wrote about a row. */
const REMARK = /(?:comment|note|remark)s?$/;

function lastName(step: Step): string {
  const { node } = step.site;
  if (node.k === 'tag') return '';
  return node.callee.k === 'mem' ? node.callee.prop : node.callee.k === 'id' ? node.callee.name : '';
}

function belong(ctx: RuleContext, a: Step, b: Step): boolean {
  if (a.write === b.write || a.site === b.site) return false;
  if (b.external) return false;
  if (a.write.effect?.pack !== b.write.effect?.pack) return false;
  const { file } = a.site;
  if (!mayFollow(file, a.node, b.node) || b.site.node.s < a.site.node.e) return false;
  if (together(file, a.node, b.node)) return false;
  if (tolerated(ctx, a, b) || cannotFail(ctx, b)) return false;
  if (inBatches(ctx, a)) return false;
  if (interrupted(ctx, a, b)) return false;
  if (makesTable(a.write) || makesTable(b.write)) return entered(file, a, b);
  const sameEntity = a.entity !== null && a.entity === b.entity;
  const [opA, opB] = [a.write.effect?.op, b.write.effect?.op];
  // A row that moves through its states is written more than once on purpose.
  if (
    sameEntity &&
    !(opA === 'delete' && opB !== 'delete' && opB !== 'update') &&
    !(opA === 'insert' && opB === 'delete')
  )
    return false;
  if (isGetOrCreate(ctx.model, a) && b.how !== 'transaction') return false;
  if ([a, b].some((s) => s.how === 'helper' && NO_COUNTERPART.test(lastName(s)))) return false;
  // A stored file that nothing points at yet hurts nobody, and no transaction could take it back.
  if (a.how === 'helper' && /^(?:put|upload|store)(?:[A-Z_].*)?$/.test(lastName(a))) return false;
  if (
    a.how === 'direct' &&
    opA === 'insert' &&
    REMARK.test(a.entity ?? '') &&
    ![...a.results].some((r) => b.names.has(r))
  )
    return false;
  const usesResult = [...a.results].some((r) => b.names.has(r));
  if (usesResult)
    return a.how === 'direct' || (a.how === 'helper' && b.how === 'direct') ? opA !== 'delete' : false;
  if (a.how === 'transaction' || b.how === 'transaction') return false;
  for (const id of a.ids) {
    if (!b.ids.has(id) && !b.own.has(id)) continue;
    const owned = a.own.has(id) || b.own.has(id);
    if (a.own.has(id) && b.own.has(id) && !sameEntity && !/\./.test(id) && id === 'id') continue;
    if (TENANT.test(id)) {
      // Nearly every write names its tenant; it is about the tenant only where it makes, changes or ends it.
      const owner = b.own.has(id) ? b : a;
      if (
        owned &&
        (owner.write.effect?.op !== 'update' || countsAmount(owner)) &&
        a.how === 'direct' &&
        b.how === 'direct'
      )
        return true;
      continue;
    }
    if (a.how === 'direct' && b.how === 'direct') return true;
    if (owned) return true;
  }
  for (const id of a.own) if (b.ids.has(id) && a.how === 'direct') return true;
  return false;
}

/** A table is made and written down in a register of tables: both calls name the same parameter. */
function entered(file: Site['file'], a: Step, b: Step): boolean {
  if (makesTable(a.write) && makesTable(b.write)) return false;
  return [...a.names].some((n) => b.names.has(n) && file.facts.bindings[n]?.decl?.k === 'param');
}

/** Started at the same time: `Promise.all([a, b])`. */
function together(file: Site['file'], a: AnyNode, b: AnyNode): boolean {
  for (const at of file.index.ancestors(a)) {
    if (at.k === 'arr' && at.s <= b.s && b.e <= at.e) return true;
    // `first().then(() => second())`: the one is in the callee of the other's call, not beside it.
    if (at.k === 'call' && at.s <= b.s && b.e <= at.e && !(at.callee.s <= a.s && a.e <= at.callee.e))
      return true;
  }
  return false;
}

/** A helper that settles its own failures: nothing that it does not do is heard of here, with or without a transaction. */
function cannotFail(ctx: RuleContext, { how, site }: Step): boolean {
  if (how !== 'helper' || site.target.k !== 'fn') return false;
  const { file, fn } = site.target.value;
  return file.facts.functions[fn]?.async === true && !letsFailureOut(ctx.model, file, fn);
}

/** The second write has a handler of its own that goes on without it. */
function tolerated(ctx: RuleContext, a: Step, b: Step): boolean {
  for (const frame of ctx.model.frames.around(b.site.file, b.site.node, b.site.fn)) {
    if (frame.k !== 'try' || !frame.node.handler) continue;
    const holdsBoth = frame.node.block.s <= a.site.node.s && a.site.node.e <= frame.node.block.e;
    if (!holdsBoth && !some(frame.node.handler, (n) => n.k === 'throw' || n.k === 'ret')) return true;
  }
  return false;
}

/** Something that leaves the database happens in between: no transaction could be held over it. */
function interrupted(ctx: RuleContext, a: Step, b: Step): boolean {
  for (const site of ctx.model.sites.of(a.site.file, a.site.file.index.functionOf(a.node as never))) {
    if (site.node.s <= a.node.e || site.node.e >= b.node.s) continue;
    const kind = site.effect?.kind;
    if (kind === 'http' || kind === 'sdk' || kind === 'rpc' || kind === 'mail' || kind === 'queue')
      return true;
    if (
      site.target.k === 'fn' &&
      ctx.model
        .reach(site.target.value.file, site.target.value.fn)
        .some((r) => r.via.length < 3 && /^(?:http|sdk|rpc|mail)$/.test(r.site.effect?.kind ?? ''))
    )
      return true;
  }
  return false;
}

/** `db.insert(orders)`: the table tells writes of one method apart. */
function withTable(site: Site): string {
  const name = calleeName(site);
  const arg = site.node.k === 'call' ? site.node.args[0] : undefined;
  return arg?.k === 'id' && /(?:^|\.)(?:insert|update|delete)$/.test(name) && site.effect?.kind === 'db'
    ? `${name}(${arg.name})`
    : name;
}

function report(ctx: RuleContext, group: readonly Step[]): void {
  const first = group[0];
  const last = group.at(-1);
  if (!first || !last) return;
  const { site } = first;
  const name = withTable(site);
  const then = withTable(last.site);
  const others = group.length - 1;
  const direct = group.every((s) => s.how === 'direct');
  const fixes: FixDraft[] = [];
  if (
    direct &&
    wrapInTransaction(
      ctx.model,
      group.map((s) => s.site),
    )
  )
    fixes.push({
      id: 'wrap-in-transaction',
      title: 'Wrap in a transaction',
      kind: 'previewed',
      edits: () => {
        const edits = wrapInTransaction(
          ctx.model,
          group.map((s) => s.site),
        );
        return edits ? [{ file: site.file.path, edits }] : null;
      },
    });
  ctx.report({
    at: (site.node.k === 'tag' ? site.node.tag : site.node.callee) as { s: number; e: number },
    message:
      others === 1
        ? `If \`${then}\` fails after this, \`${name}\` stays done: the two writes are not in one transaction.`
        : `If one of the ${others} writes after this fails, \`${name}\` stays done: they are not in one transaction.`,
    trigger: `the process ends or the database refuses between \`${name}\` and \`${then}\``,
    scenario: `At \`${then}\`, when it fails or the process is restarted before it, then what \`${name}\` wrote stays without its counterpart.`,
    detection: `When the data is compared: an error of \`${then}\`, where there is one, does not tell what stays behind.`,
    fix: 'Make the writes in one transaction.',
    anchor: calleeName(site),
    ...(madeWhereAbsent(ctx, first) || group.slice(1).every((s) => isCredential(s))
      ? { severity: 'low' as const }
      : {}),
    fixes,
  });
}

/** `if (!user) user = await create(…)`: the next attempt finds it and goes on from there. */
function madeWhereAbsent(ctx: RuleContext, step: Step): boolean {
  const { site, results } = step;
  if (step.write.effect?.op !== 'insert' || results.size === 0) return false;
  for (const frame of ctx.model.frames.around(site.file, site.node, site.fn)) {
    if (frame.k === 'function') break;
    if (frame.k === 'if' && some(frame.test, (n) => n.k === 'id' && results.has(n.b))) return true;
  }
  return false;
}

/** A session or a token: whoever gets none asks again. */
function isCredential(step: Step): boolean {
  return step.write.effect?.op === 'insert' && /(?:session|token)s?$/.test(step.entity ?? '');
}

export const examples: readonly RuleExample[] = [
  {
    title: 'An order and its lines',
    bad: `import { PrismaClient } from '@prisma/client';
const prisma = new PrismaClient();
export async function place(customerId: string, skus: string[]) {
  const order = await prisma.order.create({ data: { customerId } });
  await prisma.line.createMany({ data: skus.map((sku) => ({ sku, orderId: order.id })) });
  return order;
}
`,
    good: `import { PrismaClient } from '@prisma/client';
const prisma = new PrismaClient();
export async function place(customerId: string, skus: string[]) {
  return prisma.$transaction(async (tx) => {
    const order = await tx.order.create({ data: { customerId } });
    await tx.line.createMany({ data: skus.map((sku) => ({ sku, orderId: order.id })) });
    return order;
  });
}
`,
    fixed: `import { PrismaClient } from '@prisma/client';
const prisma = new PrismaClient();
export async function place(customerId: string, skus: string[]) {
  const order = await prisma.$transaction(async (tx) => {
    const order = await tx.order.create({ data: { customerId } });
    await tx.line.createMany({ data: skus.map((sku) => ({ sku, orderId: order.id })) });
    return order;
  });
  return order;
}
`,
  },
];
