/** As many calls at once as a list has elements. */
import type { Call, Expr, ForEach } from '../facts/ir.ts';
import { some, uncast, type AnyNode } from '../facts/walk.ts';
import { indentAt, indentUnit, lineEnd } from '../fixes/edits.ts';
import type { Reached } from '../model/model.ts';
import { placeOf } from '../model/place.ts';
import type { SourceFile } from '../model/project.ts';
import type { Site } from '../model/sites.ts';
import type { FnValue } from '../model/values.ts';
import { listSize, type ListSize } from './_kit/listSize.ts';
import { lastName } from './_kit/promises.ts';
import { defineRule, type FixDraft, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { calleeName, exprName } from './_kit/text.ts';

export const rule = defineRule({
  id: 'unbounded-concurrency',
  lens: 'resource-exhaustion',
  axis: 'load-saturation',
  faultClass: 'backpressure',
  severity: 'high',
  blocking: false,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: '`Promise.all` (or `allSettled`) starts one request or query per element of a list whose length nothing bounds: a parameter, a query without limit, request data.',
    why: 'With ten elements it is fast. With ten thousand it opens ten thousand requests or queues ten thousand queries on a pool of ten: waits for a connection time out, the other side answers 429 or falls over, memory grows with the list, and every other request of the process waits behind it.',
    remedy:
      'Run the calls under a limit (`p-limit`, `p-map` with `concurrency`), in batches of a fixed size, or replace them by one call that takes the whole list.',
    whenNot:
      'The list is a literal, a slice or a page of fixed size, or all calls share one connection and run one after the other anyway.',
  },
  incidents: ['unbounded-concurrency', 'connection-pool-exhaustion', 'thundering-herd'],
  fixKind: 'previewed',
  detect(ctx) {
    for (const site of ctx.sites) {
      if (site.node.k !== 'call' || site.target.k !== 'builtin') continue;
      if (site.target.name !== 'Promise.all' && site.target.name !== 'Promise.allSettled') continue;
      check(ctx, site, site.node);
    }
  },
});

interface Fan {
  /** The list whose elements are worked on. */
  readonly source: Expr;
  readonly callback: FnValue | null;
  /** The call that starts one piece of work, where it is no callback. */
  readonly body: Call | null;
  readonly map: Call | null;
}

function check(ctx: RuleContext, site: Site, call: Call): void {
  const { file, model } = ctx;
  const list = call.args[0];
  const fan = list ? fanOf(ctx, file, list, site.fn, 0) : null;
  if (!fan) return;
  const work = workOf(ctx, file, fan);
  if (!work) return;
  const size = asCallersGive(ctx, listSize(model, file, fan.source));
  if (size.k !== 'unbounded' || (size.confidence === 'assumed' && !isHeavy(work.site))) return;
  if (inTransaction(ctx, call, site.fn) || oneConnection(ctx, work.site, site.fn)) return;
  const name = exprName(file, call.callee);
  const what = calleeName(work.site);
  const library = work.site.effect?.library ?? '';
  ctx.report({
    at: call.callee,
    message: `All \`${what}\` calls start at once, and their number is set by ${size.by}: nothing here bounds it.`,
    trigger: `${size.by} holds many elements`,
    scenario: `At \`${name}\`, when the list is long, then one \`${what}\` per element runs at the same time${work.site.effect?.kind === 'db' ? ` and takes what ${library} has of connections` : ''}.`,
    detection: 'When the list grows: waits for a connection get long or time out, or the other side refuses.',
    fix: 'Run them under a limit or in batches of a fixed size.',
    anchor: name,
    confidence: size.confidence,
    ...(size.small || size.confidence === 'assumed'
      ? { severity: 'low' as const }
      : work.site.effect?.kind === 'db' && work.site.effect.op === 'read'
        ? { severity: 'medium' as const }
        : {}),
    path: [...work.via, work.site],
    fixes: fixesFor(ctx, site, call, fan),
  });
}

/** A parameter's size is what those who call the function hand over, where they are known. */
function asCallersGive(ctx: RuleContext, size: ListSize): ListSize {
  if (size.k !== 'unbounded' || !size.param) return size;
  const { fn, index } = size.param;
  const name = ctx.functions[fn]?.name;
  if (!name) return size;
  const sizes: ListSize[] = [];
  for (const file of ctx.model.project.loaded()) {
    if (!file.text.includes(name) || placeOf(file) === 'test') continue;
    for (const s of ctx.model.sites.callersIn(file, ctx.file, fn)) {
      const arg = s.node.k === 'tag' ? undefined : s.node.args[index];
      if (arg) sizes.push(listSize(ctx.model, file, arg));
    }
  }
  if (sizes.length === 0) return size;
  if (sizes.every((s) => s.k === 'bounded')) return { k: 'bounded' };
  const open = sizes.filter((s) => s.k === 'unbounded');
  const [first] = open;
  if (!first) return { ...size, small: true };
  return open.every((s) => s.small) ? { ...first, small: true } : size;
}

/** The unit opens one transaction for all that it does, which its statements share: they queue on one connection. */
function oneConnection(ctx: RuleContext, work: Site, fn: number): boolean {
  if (work.effect?.kind !== 'db') return false;
  const units = ctx.unitsReaching(ctx.model.outermost(ctx.file, fn));
  return (
    units.length > 0 &&
    units.every((u) =>
      u.file.facts.functions[u.fn]?.decorators.some((d) =>
        /^@?\(?Transaction(?:al)?\b/.test(u.file.text.slice(d.s, d.e)),
      ),
    )
  );
}

/** Runs only where an option of the function asks for it. */
function isOptional({ site, via }: Reached): boolean {
  if (via.length === 0) return false;
  for (const at of site.file.index.ancestors(site.node)) {
    if (at.k !== 'if' && at.k !== 'cond') continue;
    if (site.node.s >= at.test.s && site.node.e <= at.test.e) continue;
    if (
      some(at.test, (n) => n.k === 'mem' && n.obj.k === 'id' && /^(?:options|opts|flags)$/.test(n.obj.name))
    )
      return true;
  }
  return false;
}

/** A write or a request: what the other side feels. */
function isHeavy(site: Site): boolean {
  return (
    site.effect?.write === true ||
    site.effect?.kind === 'http' ||
    site.effect?.kind === 'sdk' ||
    site.effect?.kind === 'mail'
  );
}

/** The statements of a transaction share its one connection. */
function inTransaction(ctx: RuleContext, call: Call, fn: number): boolean {
  for (const frame of ctx.model.frames.around(ctx.file, call, fn))
    if (
      frame.k === 'callback' &&
      (frame.roles.has('transaction') ||
        /^\$?(?:with)?transaction(?:al)?$/i.test(lastName(frame.call.callee) ?? ''))
    )
      return true;
  return false;
}

/** `xs.map(f)`, a name for it, `Array.from(xs, f)`, or an array that a loop fills with started calls. */
function fanOf(ctx: RuleContext, file: SourceFile, expr: Expr, fn: number, depth: number): Fan | null {
  const inner = uncast(expr);
  if (depth > 3) return null;
  if (inner.k === 'call') {
    const { callee } = inner;
    const isFrom =
      callee.k === 'mem' && callee.prop === 'from' && callee.obj.k === 'id' && callee.obj.name === 'Array';
    const given = isFrom
      ? inner.args[1]
      : callee.k === 'mem' && (callee.prop === 'map' || callee.prop === 'flatMap')
        ? inner.args[0]
        : undefined;
    if (!given || callee.k !== 'mem') return null;
    const value = ctx.model.values.of(file, given);
    const source = isFrom ? inner.args[0] : callee.obj;
    return value.k === 'fn' && source ? { source, callback: value, body: null, map: inner } : null;
  }
  if (inner.k !== 'id') return null;
  const binding = file.facts.bindings[inner.b];
  if (binding?.decl?.k !== 'init' || binding.decl.path.length > 0) return null;
  const init = uncast(binding.decl.init);
  if (init.k === 'arr' && init.items.length === 0) return pushedIn(file, inner.b, fn);
  return fanOf(ctx, file, init, fn, depth + 1);
}

function pushedIn(file: SourceFile, binding: number, fn: number): Fan | null {
  for (const call of file.index.calls[fn] ?? []) {
    if (call.k !== 'call' || call.callee.k !== 'mem' || call.callee.prop !== 'push') continue;
    if (call.callee.obj.k !== 'id' || call.callee.obj.b !== binding) continue;
    const started = call.args[0] ? uncast(call.args[0]) : null;
    if (started?.k !== 'call') return null;
    const loop = loopAround(file, call);
    return loop ? { source: loop.iter, callback: null, body: started, map: null } : null;
  }
  return null;
}

function loopAround(file: SourceFile, node: AnyNode): ForEach | null {
  for (const at of file.index.ancestors(node)) if (at.k === 'forof') return at;
  return null;
}

const LIMITERS =
  /limit|throttl|semaphore|queue|mutex|lock|pool\.(?:run|exec)|acquire|schedul|concurren|debounce|slot|batch|loader/i;

/** The network or database call that each element starts; null when there is none, or something may hold it back. */
function workOf(ctx: RuleContext, file: SourceFile, fan: Fan): Reached | null {
  const { model } = ctx;
  let reached: readonly Reached[];
  if (fan.callback) {
    if (heldBack(ctx, fan.callback)) return null;
    reached = model.reach(fan.callback.file, fan.callback.fn);
  } else {
    const site = fan.body ? model.sites.at(file, fan.body) : null;
    if (!site || LIMITERS.test(exprName(file, site.node.k === 'tag' ? site.node.tag : site.node.callee)))
      return null;
    reached = [
      { site, via: [] },
      ...(site.target.k === 'fn'
        ? model
            .reach(site.target.value.file, site.target.value.fn)
            .map((r) => ({ site: r.site, via: [site, ...r.via] }))
        : []),
    ];
  }
  const work = reached.filter(
    (r) => isLoad(r.site) && !isOptional(r) && !r.via.some((v) => LIMITERS.test(calleeName(v))),
  );
  return (
    work.find((r) => isHeavy(r.site) && r.via.length === 0) ??
    work.find((r) => isHeavy(r.site)) ??
    work[0] ??
    null
  );
}

function isLoad(site: Site): boolean {
  const { effect } = site;
  if (!effect || effect.confidence !== 'shown') return false;
  if (
    effect.kind !== 'http' &&
    effect.kind !== 'sdk' &&
    effect.kind !== 'rpc' &&
    effect.kind !== 'db' &&
    effect.kind !== 'mail' &&
    effect.kind !== 'process'
  )
    return false;
  if (effect.op === 'begin' || effect.op === 'commit' || effect.op === 'rollback' || effect.op === 'release')
    return false;
  const name = site.node.k === 'tag' ? null : lastName(site.node.callee);
  // Prisma joins unique reads of one tick into one query.
  if (effect.pack?.id === 'prisma' && /^findUnique/.test(name ?? '')) return false;
  // One connection runs its statements one after the other.
  const recv = site.target.k === 'lib' ? site.target.recv : null;
  const role = recv ? recv.pack.types[recv.type]?.role : undefined;
  return role !== 'transaction' && role !== 'connection';
}

/** A limiter, or something unknown that takes the work as a function. */
function heldBack(ctx: RuleContext, callback: FnValue): boolean {
  const { model } = ctx;
  for (const site of model.sitesWithin(callback.file, callback.fn)) {
    if (site.node.k !== 'call') continue;
    const { target } = site;
    if (target.k === 'lib' && target.spec.callbacks?.some((c) => c.role === 'limit' || c.role === 'lock'))
      return true;
    if (LIMITERS.test(exprName(callback.file, site.node.callee))) return true;
    const takesWork = site.node.args.some((a) => uncast(a).k === 'fn');
    if (takesWork && (target.k === 'package' || (target.k === 'unresolved' && site.node.callee.k === 'id')))
      return true;
    if (takesWork && target.k === 'fn') {
      const roles = model.frames.rolesOfParameter(
        target.value,
        site.node.args.findIndex((a) => uncast(a).k === 'fn'),
        0,
      );
      if (roles === null || roles.has('limit') || roles.has('lock')) return true;
    }
  }
  return false;
}

// ---- fixes

const SIZE = 10;

function fixesFor(ctx: RuleContext, site: Site, call: Call, fan: Fan): FixDraft[] {
  const { file } = ctx;
  const { map } = fan;
  const awaited = file.index.parent(call);
  if (
    !map ||
    awaited?.k !== 'await' ||
    map.callee.k !== 'mem' ||
    map.callee.prop !== 'map' ||
    uncast(call.args[0] as Expr) !== map
  )
    return [];
  const text = (n: { s: number; e: number }): string => file.text.slice(n.s, n.e);
  const given = map.args[0];
  if (!given || map.args.length > 1) return [];
  const source = text(map.callee.obj);
  const out: FixDraft[] = [];
  const limiter = file.facts.bindings.find(
    (b) => b.fn === 0 && b.decl?.k === 'import' && b.decl.from === 'p-map',
  );
  const isAll = site.target.k === 'builtin' && site.target.name === 'Promise.all';
  if (limiter && isAll)
    out.push({
      id: 'p-map',
      title: 'Limit with p-map',
      kind: 'previewed',
      edits: () => [
        {
          file: file.path,
          edits: [
            {
              start: call.s,
              end: call.e,
              newText: `${limiter.name}(${source}, ${text(given)}, { concurrency: ${SIZE} })`,
            },
          ],
        },
      ],
    });
  const statement = file.index.parent(awaited);
  if (
    statement?.k === 'expr' && /^[\w$.]+$/.test(source) && uncast(given).k === 'fn'
      ? oneParameter(file, given)
      : false
  )
    out.push({
      id: 'batches',
      title: `Run in batches of ${SIZE}`,
      kind: 'previewed',
      edits: () => {
        if (!statement) return null;
        const nl = lineEnd(file.text);
        const indent = indentAt(file.text, statement.s);
        const unit = indentUnit(file.text);
        const body =
          `${text(call.callee)}(${source}.slice(start, start + ${SIZE}).map(${text(given)}))`.replace(
            /\r?\n(?=[^\r\n])/g,
            (m) => `${m}${unit}`,
          );
        const loop = `for (let start = 0; start < ${source}.length; start += ${SIZE}) {${nl}${indent}${unit}await ${body};${nl}${indent}}`;
        return [{ file: file.path, edits: [{ start: statement.s, end: statement.e, newText: loop }] }];
      },
    });
  return out;
}

/** An index parameter counts from the start of the list, which batches would break. */
function oneParameter(file: SourceFile, expr: Expr): boolean {
  const inner = uncast(expr);
  return inner.k === 'fn' && (file.facts.functions[inner.fn]?.params.length ?? 2) <= 1;
}

export const examples: readonly RuleExample[] = [
  {
    title: 'A refund run that opens one request per order',
    bad: `export async function refundAll(ids: string[]) {
  await Promise.all(ids.map(id => fetch(\`https://pay.example.com/refunds/\${id}\`, { method: 'POST' })));
}
`,
    good: `import pMap from 'p-map';
export async function refundAll(ids: string[]) {
  await pMap(ids, id => fetch(\`https://pay.example.com/refunds/\${id}\`, { method: 'POST' }), { concurrency: 5 });
}
`,
    fixed: `export async function refundAll(ids: string[]) {
  for (let start = 0; start < ids.length; start += 10) {
    await Promise.all(ids.slice(start, start + 10).map(id => fetch(\`https://pay.example.com/refunds/\${id}\`, { method: 'POST' })));
  }
}
`,
  },
];
