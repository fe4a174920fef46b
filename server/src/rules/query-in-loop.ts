/** One query for each element where one query for all would do. */
import type { Binding, Expr } from '../facts/ir.ts';
import { boundBy, some, type AnyNode } from '../facts/walk.ts';
import type { Frame } from '../model/frames.ts';
import { readOption } from '../model/options.ts';
import type { Site } from '../model/sites.ts';
import { isDatabaseCall, precededBy, standingOf } from './_kit/databaseCalls.ts';
import { defineRule, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { calleeName } from './_kit/text.ts';
import { managedScope } from './_kit/transactionScopes.ts';

export const rule = defineRule({
  id: 'query-in-loop',
  lens: 'resource-exhaustion',
  axis: 'load-saturation',
  faultClass: 'backpressure',
  severity: 'medium',
  blocking: false,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'A loop or mapped callback reads the database once for each element, by a key of that element, where one query could read them all.',
    why: 'A list of a thousand elements costs a thousand round trips and holds connections that long. It is unnoticed with test data and grows with the customer.',
    remedy:
      'Read before the loop with `in (…)` over the keys, put the rows into a Map, and look them up inside; or join.',
    whenNot:
      'Retry, polling and page loops, loops that stop at the first match, loops whose next query depends on the last one.',
  },
  incidents: ['n-plus-one', 'pool-exhaustion'],
  fixKind: 'none',
  detect(ctx) {
    // One finding a loop: the queries in it are mended together.
    const seen = new Set<AnyNode>();
    for (const site of ctx.sites) check(ctx, site, seen);
  },
});

interface Loop {
  /** Names that stand for the element. */
  readonly names: ReadonlySet<number>;
  readonly body: readonly AnyNode[];
  readonly iter: Expr | null;
  readonly concurrent: boolean;
  readonly fn: number;
}

function check(ctx: RuleContext, site: Site, seen: Set<AnyNode>): void {
  const { effect, file } = site;
  if (!isDatabaseCall(site) || effect?.op !== 'read' || site.node.k === 'tag') return;
  if (effect.spec.lockAt && some(site.node, (n) => n.k === 'obj' && n.props.some((p) => p.key === 'lock')))
    return;
  if (
    site.chain.some(
      (c) =>
        c.refines === 'lock' ||
        (c.refines === 'limit' && /^limit$/.test(c.name) && takesMany(c.node.args[0])),
    )
  )
    return;
  const loop = loopAround(ctx, site);
  if (!loop || !usesElement(site, loop)) return;
  if (
    isShortList(ctx, file, loop.iter) ||
    leavesEarly(site, loop) ||
    carried(site, loop) ||
    externalInside(ctx, site, loop)
  )
    return;
  // Calls of one tick on unique keys are joined into one query by the library itself.
  if (loop.concurrent && effect.pack?.id === 'prisma' && /^findUnique/.test(nameOf(site))) return;
  // Steps of a transaction are ordered on purpose.
  if (standingOf(ctx.model, site) === 'inside' || managedScope(ctx.model, file, site.node, site.fn)) return;
  if (pagesEach(ctx, site)) return;
  const first = loop.body[0];
  if (!first || seen.has(first)) return;
  seen.add(first);
  const name = calleeName(site);
  const list = loop.iter ? file.text.slice(loop.iter.s, loop.iter.e).replace(/\s+/g, ' ') : '';
  const of = list.length > 0 && list.length <= 40 ? ` of \`${list}\`` : '';
  ctx.report({
    at: site.node.callee as { s: number; e: number },
    message: `\`${name}\` runs once for each element${of}: the number of queries grows with the list.`,
    trigger: 'a list that is much longer than in tests',
    scenario: `At \`${name}\`, when the list${of} is long, then each element costs a round trip of its own${loop.concurrent ? ', all asked of the pool at once' : ', one after the other'}.`,
    detection: 'When somebody finds it slow: nothing fails.',
    fix: 'Read all rows by their keys before the loop and look them up in it.',
    anchor: name,
    // Work in the background may take its time.
    ...(ctx.unitsReaching(ctx.model.outermost(file, site.fn)).some((u) => WAITED_FOR.has(u.unit.kind))
      ? {}
      : { severity: 'low' as const }),
  });
}

/** Somebody waits for the answer. */
const WAITED_FOR: ReadonlySet<string> = new Set([
  'http',
  'graphql',
  'rpc',
  'server-action',
  'webhook',
  'socket',
]);

function nameOf(site: Site): string {
  return site.node.k === 'call' && site.node.callee.k === 'mem' ? site.node.callee.prop : '';
}

/** `limit(100)` in the loop: a page of many rows for each element, which no single query gives. */
function takesMany(arg: Expr | undefined): boolean {
  return arg?.k === 'lit' ? typeof arg.value === 'number' && arg.value > 1 : arg !== undefined;
}

/** A page of rows for each element: no single query gives that. */
function pagesEach(ctx: RuleContext, site: Site): boolean {
  const { effect, node } = site;
  if (!effect?.spec.many || node.k === 'tag') return false;
  return (effect.spec.limitAt ?? []).some(
    (at) => readOption(ctx.model.values, site.file, node, at).k === 'value',
  );
}

const CONCURRENT = /^(?:map|flatMap|forEach)$/;

function loopAround(ctx: RuleContext, site: Site): Loop | null {
  const { file } = site;
  for (const frame of ctx.model.frames.around(file, site.node, site.fn)) {
    if (frame.k === 'catch') return null;
    if (frame.k === 'loop') return ofLoop(ctx, site, frame);
    if (frame.k !== 'callback') continue;
    if (
      frame.roles.has('retry') ||
      frame.roles.has('step') ||
      frame.roles.has('listener') ||
      frame.roles.has('consumer') ||
      frame.roles.has('handler')
    )
      return null;
    if (frame.iterates) {
      const fact = file.facts.functions[frame.fn];
      const target = fact?.params[frame.iterates.startsWith('reduce') ? 1 : 0]?.target;
      if (!fact || !target || frame.iterates === 'sort') return null;
      const names = boundBy(target);
      const iter = frame.call.callee.k === 'mem' ? frame.call.callee.obj : null;
      return { names, body: fact.body, iter, concurrent: CONCURRENT.test(frame.iterates), fn: frame.fn };
    }
    if (!frame.roles.has('sync') && !frame.roles.has('limit') && !frame.roles.has('timeout')) return null;
  }
  return null;
}

function ofLoop(ctx: RuleContext, site: Site, frame: Frame & { k: 'loop' }): Loop | null {
  const { node } = frame;
  if (ctx.model.frames.isRetryLoop(site.file, frame, site.node)) return null;
  if (node.k === 'forof' && !node.await) {
    const names = new Set((node.decl?.decls ?? []).flatMap((d) => [...boundBy(d.target)]));
    return { names, body: [node.body], iter: node.iter, concurrent: false, fn: frame.fn };
  }
  // `for (let i = 0; i < list.length; i++)`: by index over a list, not page by page.
  if (
    node.k === 'for' &&
    node.init?.k === 'var' &&
    node.test?.k === 'bin' &&
    node.test.r.k === 'mem' &&
    node.test.r.prop === 'length' &&
    node.update?.k === 'un'
  ) {
    const names = new Set<number>();
    for (const d of node.init.decls) if (d.target.k === 'pid') names.add(d.target.b);
    return { names, body: [node.body], iter: node.test.r.obj, concurrent: false, fn: frame.fn };
  }
  return null;
}

/** The query names the element, or something read from it. */
function usesElement(site: Site, loop: Loop): boolean {
  const { file } = site;
  const known = new Set(loop.names);
  const within = (b: Binding): boolean => loop.body.some((part) => b.s >= part.s && b.s < part.e);
  for (let round = 0; round < 3; round++)
    for (const [i, binding] of file.facts.bindings.entries())
      if (
        !known.has(i) &&
        binding.decl?.k === 'init' &&
        within(binding) &&
        some(binding.decl.init, (n) => n.k === 'id' && known.has(n.b))
      )
        known.add(i);
  const parts: AnyNode[] = site.node.k === 'call' ? [...site.node.args, site.node.callee] : [];
  for (const c of site.chain) parts.push(...c.node.args);
  return parts.some((part) => some(part, (n) => n.k === 'id' && known.has(n.b)));
}

/** A list that is written out, cut or handed over in parts. */
function isShortList(ctx: RuleContext, file: Site['file'], iter: Expr | null): boolean {
  if (!iter) return false;
  const text = file.text.slice(iter.s, iter.e);
  if (
    /chunk|batch|page|partition|slice\(|take\(|splice\(|Object\.(?:keys|values|entries)\(\w*(?:[A-Z]|config|options|settings)/i.test(
      text,
    )
  )
    return true;
  if (iter.k === 'arr') return true;
  const value = ctx.model.values.of(file, iter);
  return value.k === 'node' && value.expr.k === 'arr' && !value.expr.items.some((i) => i.k === 'spread');
}

/** The loop stops at the first match, or its steps are meant one after the other. */
function leavesEarly(site: Site, loop: Loop): boolean {
  const { file } = site;
  for (const part of loop.body)
    if (
      some(part, (n) => {
        if (n.k === 'break') return nearestLoop(file, n, loop);
        return (
          n.k === 'ret' &&
          !loop.concurrent &&
          loop.fn === file.index.functionOf(site.node) &&
          isInnermostFunction(n, loop) &&
          loop.iter !== null &&
          part.k !== 'ret' &&
          isSequential(loop)
        );
      })
    )
      return true;
  return false;
}

function isSequential(loop: Loop): boolean {
  return loop.body.length === 1 && loop.body[0]?.k === 'block';
}

function nearestLoop(file: Site['file'], node: AnyNode, loop: Loop): boolean {
  for (let at = file.index.parent(node); at; at = file.index.parent(at)) {
    if (loop.body.includes(at)) return true;
    if (
      at.k === 'switch' ||
      at.k === 'for' ||
      at.k === 'forof' ||
      at.k === 'while' ||
      at.k === 'do' ||
      at.k === 'forin'
    )
      return false;
  }
  return false;
}

function isInnermostFunction(node: AnyNode, loop: Loop): boolean {
  return loop.body.some((part) => part.s <= node.s && node.e <= part.e);
}

/** The query uses what an earlier round left behind. */
function carried(site: Site, loop: Loop): boolean {
  const { file } = site;
  const parts: AnyNode[] = site.node.k === 'call' ? [...site.node.args] : [];
  for (const c of site.chain) parts.push(...c.node.args);
  return parts.some((part) =>
    some(part, (n) => {
      if (n.k !== 'id') return false;
      const binding = file.facts.bindings[n.b];
      if (!binding || loop.names.has(n.b) || binding.writes.length === 0) return false;
      return !loop.body.some((b) => binding.s >= b.s && binding.s < b.e);
    }),
  );
}

/** Each round waits for somebody else anyway: the query is not what it costs. */
function externalInside(ctx: RuleContext, site: Site, loop: Loop): boolean {
  const start = Math.min(...loop.body.map((b) => b.s));
  const end = Math.max(...loop.body.map((b) => b.e));
  for (const other of ctx.model.sitesWithin(site.file, ctx.model.outermost(site.file, site.fn))) {
    if (other.node.s < start || other.node.e > end || other === site) continue;
    const kind = other.effect?.kind ?? '';
    if (/^(?:http|sdk|rpc|mail|queue|sleep|lock)$/.test(kind)) return true;
    // Rows that are changed one by one are worked on one by one.
    if (isDatabaseCall(other) && other.effect?.write) return true;
    if (
      other.target.k === 'fn' &&
      ctx.model
        .reach(other.target.value.file, other.target.value.fn)
        .some(
          (r) =>
            r.via.length < 3 &&
            (/^(?:http|sdk|rpc|mail|queue)$/.test(r.site.effect?.kind ?? '') ||
              (isDatabaseCall(r.site) && r.site.effect?.write === true)),
        )
    )
      return true;
  }
  return precededBy(ctx.model, site, 'lock');
}

export const examples: readonly RuleExample[] = [
  {
    title: 'A status read for each monitor',
    bad: `import { PrismaClient } from '@prisma/client';
const prisma = new PrismaClient();
export async function statuses(monitors: { id: string }[]) {
  const found = [];
  for (const monitor of monitors) {
    found.push(await prisma.status.findMany({ where: { monitorId: monitor.id } }));
  }
  return found;
}
`,
    good: `import { PrismaClient } from '@prisma/client';
const prisma = new PrismaClient();
export async function statuses(monitors: { id: string }[]) {
  return prisma.status.findMany({ where: { monitorId: { in: monitors.map((monitor) => monitor.id) } } });
}
`,
  },
];
