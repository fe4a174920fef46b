/** A cache that every caller fills by itself while the first one is still at it. */
import type { Call, Expr, Stmt } from '../facts/ir.ts';
import { some, uncast, walk, type AnyNode } from '../facts/walk.ts';
import { placeOfPath } from '../model/place.ts';
import type { SourceFile } from '../model/project.ts';
import type { Site } from '../model/sites.ts';
import { isOneOff, isSerialised } from './_kit/guards.ts';
import { defineRule, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { exprName, short } from './_kit/text.ts';

export const rule = defineRule({
  id: 'unguarded-cache-fill',
  lens: 'resource-exhaustion',
  axis: 'load-saturation',
  faultClass: 'backpressure',
  severity: 'medium',
  blocking: false,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'A cache is asked, on a miss a costly value is worked out and awaited, and only then stored: callers that come in between all work it out again.',
    why: 'When the entry of a busy key runs out, every request that arrives until the first one is done does the costly work: the upstream gets the load that the cache was there to keep away, all at once.',
    remedy:
      'Keep the promise of the running load in a map and hand it to whoever asks meanwhile, or take a lock for the key across processes, or serve the old value while one caller renews it.',
    whenNot: 'The value is cheap, or one caller at a time asks for it.',
  },
  incidents: ['cache-stampede', 'thundering-herd'],
  fixKind: 'none',
  detect(ctx) {
    if (
      isOneOff(ctx.file) ||
      placeOfPath(ctx.file.path) === 'script' ||
      /(?:^|\/)(?:stores|composables)\//.test(ctx.file.path)
    )
      return;
    const byFunction = new Map<number, Site[]>();
    for (const site of ctx.sites) {
      if (site.fn === 0 || site.node.k !== 'call') continue;
      const list = byFunction.get(site.fn) ?? [];
      list.push(site);
      byFunction.set(site.fn, list);
    }
    for (const sites of byFunction.values()) if (sites.some((s) => isSet(s))) look(ctx, sites);
  },
});

const CACHE_NAME = /cache|memo(?:ry|ize|ise|s)?\b|memo[A-Z]|redis|(?:^|\.)kv\b|keyv/i;
const GET = /^(?:get|getData|getItem|getCache|getJson|getBuffer|getCached|match|hget|hGet)$/i;
const SET = /^(?:set|put|setData|setItem|setCache|setJson|setex|setEx|psetex|hset|hSet)$/i;
/** The code shares a running load, or knows about staleness. */
const SHARED =
  /in_?flight|pending(?!Status)|coalesc|single_?flight|ongoing|dedup|getOrSet|revalidat|\bstale|leader|Promise\.withResolvers|promises?\.(?:get|has|set)\b|Promise(?:s|Map|Cache)\b/i;

function memberOf(site: Site): string {
  return site.node.k === 'call' && site.node.callee.k === 'mem' ? site.node.callee.prop : '';
}

function receiverOf(site: Site): string {
  const { node, file } = site;
  return node.k === 'call' && node.callee.k === 'mem'
    ? file.text.slice(node.callee.obj.s, node.callee.obj.e).replace(/[?!\s]/g, '')
    : '';
}

function isCache(site: Site): boolean {
  return site.effect?.kind === 'cache' || CACHE_NAME.test(receiverOf(site));
}

/** A map of one call is no cache that callers share. */
function isOwn(site: Site): boolean {
  const { node, file } = site;
  if (node.k !== 'call' || node.callee.k !== 'mem' || node.callee.obj.k !== 'id') return false;
  const binding = file.facts.bindings[node.callee.obj.b];
  if (!binding || binding.fn === 0) return false;
  return binding.decl?.k === 'init'
    ? uncast(binding.decl.init).k === 'new'
    : binding.decl?.k === 'param' && /Map/.test(binding.decl.type?.name ?? '');
}

function isSet(site: Site): boolean {
  return SET.test(memberOf(site)) && isCache(site);
}

function look(ctx: RuleContext, sites: readonly Site[]): void {
  const { file, model } = ctx;
  const done = new Set<string>();
  for (const get of sites) {
    if (!GET.test(memberOf(get)) || !isCache(get) || isOwn(get)) continue;
    const receiver = receiverOf(get);
    const key = keyText(get);
    if (key === null || done.has(`${receiver} ${key}`)) continue;
    const set = sites.find(
      (s) => s.node.s > get.node.e && isSet(s) && receiverOf(s) === receiver && keyText(s) === key,
    );
    if (!set || set.node.k !== 'call') continue;
    const cost = costBetween(ctx, sites, get, set);
    if (!cost || !filledAfterwards(file, get, set, cost.site)) continue;
    const outer = file.facts.functions[model.outermost(file, get.fn)];
    if (
      !outer ||
      SHARED.test(file.text.slice(outer.s, outer.e)) ||
      isSerialised(model, file, get.fn, set.node)
    )
      continue;
    if (/^(?:warm|prime|preload|refresh|sync)/i.test(outer.name ?? '')) continue;
    done.add(`${receiver} ${key}`);
    report(ctx, get, set, cost);
  }
}

/** The key as written, followed through a name that is given once. */
function keyText(site: Site): string | null {
  if (site.node.k !== 'call') return null;
  const arg = site.node.args[0];
  if (!arg) return null;
  const inner = uncast(arg);
  if (inner.k === 'obj' || inner.k === 'fn') return null;
  const binding = inner.k === 'id' ? site.file.facts.bindings[inner.b] : undefined;
  const from =
    binding?.decl?.k === 'init' && binding.writes.length === 0 && binding.decl.path.length === 0
      ? binding.decl.init
      : inner;
  return site.file.text.slice(from.s, from.e).replace(/\s+/g, '');
}

interface Cost {
  readonly site: Site;
  readonly shown: boolean;
}

/** What is awaited between the look-up and the fill, and costs more than one look-up elsewhere. */
function costBetween(ctx: RuleContext, sites: readonly Site[], get: Site, set: Site): Cost | null {
  let assumed: Cost | null = null;
  for (const site of sites) {
    if (site.node.s < get.node.e || site.node.s > set.node.e || site === set) continue;
    if (!isAwaited(ctx.file, site.top) || isCache(site)) continue;
    const how = costOf(ctx, site);
    if (how === 'shown') return { site, shown: true };
    if (how === 'assumed') assumed ??= { site, shown: false };
  }
  return assumed;
}

const SLOW =
  /^(?:fetch|download|clone|crawl|scrape|unfurl|render|compile|generate|compute|calculate|aggregate|resolveAll|search)(?:$|[A-Z])/;

function costOf(ctx: RuleContext, site: Site): 'shown' | 'assumed' | null {
  const { effect, target } = site;
  if (effect) return isCostly(site) ? 'shown' : null;
  if (target.k === 'fn') {
    const inside = ctx.model.reach(target.value.file, target.value.fn).map((r) => r.site);
    if (inside.some((s) => s.effect?.kind === 'cache' || s.effect?.kind === 'lock')) return null;
    if (inside.some(isCostly)) return 'shown';
    return inside.filter((s) => s.effect?.kind === 'db' && s.effect.op === 'read').length >= 3
      ? 'shown'
      : null;
  }
  const name =
    memberOf(site) || (site.node.k === 'call' && site.node.callee.k === 'id' ? site.node.callee.name : '');
  return SLOW.test(name) ? 'assumed' : null;
}

function isCostly(site: Site): boolean {
  const { effect } = site;
  if (!effect) return false;
  if (effect.kind === 'http' || effect.kind === 'sdk' || effect.kind === 'rpc' || effect.kind === 'process')
    return true;
  return (
    effect.kind === 'db' &&
    effect.sql !== null &&
    /\b(?:group\s+by|count\s*\(|sum\s*\(|avg\s*\()/i.test(effect.sql.text)
  );
}

function isAwaited(file: SourceFile, expr: Expr): boolean {
  let child: AnyNode = expr;
  for (let at = file.index.parent(expr); at; child = at, at = file.index.parent(at)) {
    if (at.k === 'await') return true;
    // `await fetch(url).then(…)`
    if (at.k === 'mem' && at.obj === child) continue;
    if (at.k === 'call' && at.callee === child) continue;
    if (at.k === 'arr' || at.k === 'as' || at.k === 'cond') continue;
    if (at.k === 'call' && at.callee.k === 'mem' && /^(?:all|race|resolve)$/.test(at.callee.prop)) continue;
    return false;
  }
  return false;
}

/** The look-up decides whether the load runs, and what is stored is a value: a promise would be shared. */
function filledAfterwards(file: SourceFile, get: Site, set: Site, load: Site): boolean {
  if (set.node.k !== 'call') return false;
  const value = set.node.args.find((a, i) => i > 0 && uncast(a).k !== 'lit');
  if (!value || isPromise(file, value)) return false;
  return decidedBy(file, get, load);
}

function isPromise(file: SourceFile, expr: Expr): boolean {
  const inner = uncast(expr);
  if (inner.k === 'new') return inner.callee.k === 'id' && inner.callee.name === 'Promise';
  if (inner.k === 'call')
    return inner.callee.k === 'mem' && /^(?:then|catch|finally)$/.test(inner.callee.prop);
  if (inner.k !== 'id') return false;
  const decl = file.facts.bindings[inner.b]?.decl;
  if (/promise/i.test(inner.name)) return true;
  return (
    decl?.k === 'init' &&
    decl.path.length === 0 &&
    uncast(decl.init).k === 'call' &&
    some(decl.init, (n) => n.k === 'mem' && n.prop === 'then')
  );
}

/** A branch on what the cache gave lies between: it leaves before the load, or holds it. */
function decidedBy(file: SourceFile, get: Site, load: Site): boolean {
  const names = namesFrom(file, get);
  const about = (test: Expr): boolean =>
    (test.s <= get.node.s && get.node.e <= test.e) || some(test, (n) => n.k === 'id' && names.has(n.b));
  const held = (st: AnyNode): boolean => st.s <= load.node.s && load.node.e <= st.e;
  let found = false;
  for (const st of file.facts.functions[get.fn]?.body ?? [])
    walk(st, (n) => {
      if (found || n.s > load.node.s) return false;
      if (n.k === 'if' && about(n.test) && !held(n.test)) {
        if (held(n.then) || (n.else && held(n.else)) || (n.e <= load.node.s && leaves(n.then))) found = true;
      } else if (n.k === 'bin' && /^(?:\?\?|\|\|)$/.test(n.op) && held(n.r) && about(n.l)) found = true;
      return !found;
    });
  return found;
}

function namesFrom(file: SourceFile, get: Site): ReadonlySet<number> {
  const names = new Set<number>();
  for (let round = 0; round < 3; round++)
    for (const st of file.facts.functions[get.fn]?.body ?? [])
      walk(st, (n) => {
        if (n.k === 'var')
          for (const d of n.decls)
            if (
              d.init &&
              d.target.k === 'pid' &&
              (holds(d.init, get.node) || (n.s > get.node.s && names.size > 0 && mentions(d.init, names)))
            )
              names.add(d.target.b);
        if (n.k === 'asg' && n.target.k === 'id' && holds(n.value, get.node)) names.add(n.target.b);
        return true;
      });
  return names;
}

function holds(outer: AnyNode, inner: AnyNode): boolean {
  return outer.s <= inner.s && inner.e <= outer.e;
}

function mentions(expr: Expr, names: ReadonlySet<number>): boolean {
  return !some(expr, (n) => n.k === 'await') && some(expr, (n) => n.k === 'id' && names.has(n.b));
}

/** Some way through the branch ends the function: a hit that is too old may still go on. */
function leaves(st: Stmt): boolean {
  return some(st, (n) => n.k === 'ret' || n.k === 'throw');
}

function report(ctx: RuleContext, get: Site, set: Site, cost: Cost): void {
  const { file, model } = ctx;
  const look = exprName(file, (get.node as Call).callee);
  const store = exprName(file, (set.node as Call).callee);
  const load = short(exprName(file, cost.site.node.k === 'tag' ? cost.site.node.tag : cost.site.node.callee));
  const inUnit = ctx
    .unitsReaching(model.outermost(file, get.fn))
    .some((u) => u.unit.kind !== 'cron' && u.unit.kind !== 'job');
  ctx.report({
    at: (get.node as Call).callee,
    message: `On a miss every caller runs \`${load}\` until the first one reaches \`${store}\`: nothing tells the second that the first is at it.`,
    trigger: 'several callers ask for the same entry just after it ran out',
    scenario: `At \`${look}\`, when a second caller misses before the first one's \`${store}\`, then \`${load}\` runs once more for each of them.`,
    detection: 'By the load of what is called, when a busy entry runs out: nothing fails before that.',
    fix: `Share the running \`${load}\` by its key, or take a lock for the key before it.`,
    anchor: look,
    confidence: cost.shown ? 'shown' : 'assumed',
    // An entry of each caller's own is seldom asked for twice at once.
    ...(inUnit && isForAll(file, (get.node as Call).args[0], 0) ? {} : { severity: 'low' as const }),
  });
}

/** The key is the same for every caller: nothing in it comes from a parameter or from what the function has read. */
function isForAll(file: SourceFile, key: Expr | undefined, depth: number): boolean {
  if (!key || depth > 6) return false;
  return !some(key, (n) => {
    if (n.k === 'this') return true;
    if (n.k !== 'id' || n.b < 0) return false;
    const binding = file.facts.bindings[n.b];
    if (!binding || binding.fn === 0) return false;
    return (
      binding.decl?.k !== 'init' ||
      binding.writes.length > 0 ||
      some(binding.decl.init, (i) => i.k === 'await') ||
      !isForAll(file, binding.decl.init, depth + 1)
    );
  });
}

export const examples: readonly RuleExample[] = [
  {
    title: 'Exchange rates',
    bad: `import { Redis } from 'ioredis';
const redis = new Redis();

export async function ratesOf(currency: string) {
  const known = await redis.get(\`rates:\${currency}\`);
  if (known) return known;
  const response = await fetch(\`https://rates.example/\${currency}\`);
  const rates = await response.text();
  await redis.set(\`rates:\${currency}\`, rates, 'EX', 60);
  return rates;
}
`,
    good: `import { Redis } from 'ioredis';
const redis = new Redis();
const inFlight = new Map<string, Promise<string>>();

async function load(currency: string) {
  const response = await fetch(\`https://rates.example/\${currency}\`);
  const rates = await response.text();
  await redis.set(\`rates:\${currency}\`, rates, 'EX', 60);
  return rates;
}

export async function ratesOf(currency: string) {
  const known = await redis.get(\`rates:\${currency}\`);
  if (known) return known;
  let running = inFlight.get(currency);
  if (!running) {
    running = load(currency).finally(() => inFlight.delete(currency));
    inFlight.set(currency, running);
  }
  return running;
}
`,
  },
];
