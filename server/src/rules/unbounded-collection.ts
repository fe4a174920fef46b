/** Memory that takes an entry per request and never gives one back. */
import type { Binding, Expr } from '../facts/ir.ts';
import { some, uncast, walk } from '../facts/walk.ts';
import { placeOfPath } from '../model/place.ts';
import type { SourceFile } from '../model/project.ts';
import { isOneOff } from './_kit/guards.ts';
import { defineRule, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { short } from './_kit/text.ts';
import { usesOf } from './_kit/uses.ts';

export const rule = defineRule({
  id: 'unbounded-collection',
  lens: 'resource-exhaustion',
  axis: 'load-saturation',
  faultClass: 'backpressure',
  severity: 'high',
  blocking: false,
  stage: 'experimental',
  since: '0.1.0',
  docs: {
    what: 'A map, set, list or object that lives as long as the process gets an entry under a key that comes with each request or message, and nothing in the module takes one out, looks at the size or lets entries run out.',
    why: 'Memory grows with the number of different callers, addresses or tokens that were ever seen. The process slows down under garbage collection and is killed, usually days after the release, and whoever sends the requests chooses how fast.',
    remedy:
      'Use a cache with a limit and an expiry, delete the entry when its work ends, or key it by the object in a `WeakMap`.',
    whenNot: 'The keys come from a small fixed set.',
  },
  incidents: ['memory-exhaustion', 'unbounded-growth'],
  fixKind: 'none',
  detect(ctx) {
    const { file } = ctx;
    if (!/\bnew (?:Map|Set)\b|[=:]\s*(?:\{\}|\[\])/.test(file.text)) return;
    if (isOneOff(file) || placeOfPath(file.path) === 'script' || /(?:^|\/)stores\//.test(file.path)) return;
    for (const [b, binding] of file.facts.bindings.entries()) {
      if (binding.decl?.k !== 'init' || binding.decl.path.length > 0 || !isEmptyCollection(binding.decl.init))
        continue;
      if (binding.fn === 0 ? !file.facts.exports.some((x) => x.local === b) : isFactory(file, binding))
        named(ctx, b, binding);
    }
    for (const cls of file.facts.classes)
      for (const prop of cls.props)
        if (
          prop.init &&
          isEmptyCollection(prop.init) &&
          (prop.static || isLongLived(cls.name, cls.decorators.length > 0, file, cls.decorators))
        )
          field(ctx, cls, prop);
  },
});

function isEmptyCollection(expr: Expr): boolean {
  const inner = uncast(expr);
  if (inner.k === 'new')
    return (
      inner.callee.k === 'id' &&
      inner.callee.b < 0 &&
      /^(?:Map|Set)$/.test(inner.callee.name) &&
      inner.args.length === 0
    );
  return (
    (inner.k === 'obj' && inner.props.length === 0) ||
    (inner.k === 'arr' && inner.items.length === 0) ||
    (inner.k === 'call' &&
      inner.callee.k === 'mem' &&
      inner.callee.prop === 'create' &&
      inner.args[0]?.k === 'lit')
  );
}

/** Made once and closed over by what it returns. */
function isFactory(file: SourceFile, binding: Binding): boolean {
  const fact = file.facts.functions[binding.fn];
  return (
    binding.kind === 'const' &&
    !!fact &&
    !fact.async &&
    !fact.generator &&
    /factory|memo|middleware|limiter|cached?/i.test(fact.name ?? '') &&
    (fact.parent <= 0 || fact.cls >= 0)
  );
}

function isLongLived(
  name: string | null,
  decorated: boolean,
  file: SourceFile,
  decorators: readonly Expr[],
): boolean {
  if (
    decorated &&
    decorators.some(
      (d) =>
        /Injectable|Controller|Service|Resolver/.test(file.text.slice(d.s, d.e)) &&
        !/REQUEST|TRANSIENT/.test(file.text.slice(d.s, d.e)),
    )
  )
    return true;
  return (
    name !== null &&
    /(?:Service|Manager|Provider|Controller|Registry|Gateway|Limiter|Server|Cache)$/.test(name)
  );
}

/** Keys of which there are as many as callers, addresses or messages. */
const MANY =
  /(?:^|[._])(?:full|request|target|page|image|remote|client)?_?(?:urls?|uris?|href|ip|ipAddress|remoteAddress|emails?|tokens?|jwt|apiKey|api_key|session_?id|socket_?id|request_?id|message_?id|event_?id|job_?id|run_?id|trace_?id|order_?id|customer_?id|user_?id|visitor_?id|document_?id|doc_?id|account_?id|device_?id|connection_?id|host_?name|host|domain|phone|query|search)$/i;
const LOOKS =
  /^(?:get|has|includes|indexOf|forEach|keys|values|entries|find|some|every|map|filter|join|set|add|push|reduce|toString)$/;
const SHRINKS = /^(?:delete|clear|shift|pop|splice|size|prune|evict)$/;
const STARTS =
  /^(?:constructor|init\w*|setup\w*|register\w*|load\w*|start\w*|boot\w*|configure\w*|define\w*|use|declare\w*|mount\w*|onModuleInit|build\w*|extend\w*|subscribe\w*)$/i;

interface Growth {
  readonly at: { readonly s: number; readonly e: number };
  readonly key: Expr;
  readonly fn: number;
}

function named(ctx: RuleContext, b: number, binding: Binding): void {
  const { file } = ctx;
  if (binding.writes.length > 0) return;
  const growths: Growth[] = [];
  for (const use of usesOf(file, b)) {
    const how = useOf(file, use);
    if (how === 'bounded') return;
    if (how) growths.push(how);
  }
  // An index assignment is no read of the name in every form; it is seen above through its parent.
  // What a factory closes over lives as long as what it gives back: there the place that grows it tells more.
  const at = binding.fn === 0 ? { s: binding.s, e: binding.s + binding.name.length } : null;
  judge(ctx, at, binding.name, binding.fn, growths, binding.fn !== 0);
}

function field(
  ctx: RuleContext,
  cls: SourceFile['facts']['classes'][number],
  prop: SourceFile['facts']['classes'][number]['props'][number],
): void {
  const { file } = ctx;
  const { name } = prop;
  const growths: Growth[] = [];
  let bounded = false;
  for (const fn of file.facts.functions) {
    if (fn.s < cls.s || fn.e > cls.e) continue;
    for (const st of fn.body)
      walk(st, (n) => {
        if (
          n.k !== 'mem' ||
          n.prop !== name ||
          !(n.obj.k === 'this' || (n.obj.k === 'id' && n.obj.name === cls.name))
        )
          return !bounded;
        const parent = file.index.parent(n);
        if (parent?.k === 'asg' && parent.target === n) bounded = true;
        const how = useOf(file, n);
        if (how === 'bounded') bounded = true;
        else if (how) growths.push(how);
        return !bounded;
      });
  }
  if (bounded) return;
  const head = file.text.slice(prop.s, prop.e).indexOf(name);
  const s = prop.s + Math.max(head, 0);
  const shown = prop.static ? `${cls.name ?? 'static'}.${name}` : `this.${name}`;
  judge(ctx, { s, e: s + name.length }, shown, -1, growths, !prop.static);
}

/** What a use of the collection does: grows it, bounds it (or hands it to somebody who can), or neither. */
function useOf(file: SourceFile, use: Expr): Growth | 'bounded' | null {
  let at: Expr = use;
  let parent = file.index.parent(at);
  while (parent?.k === 'as') {
    at = parent;
    parent = file.index.parent(at);
  }
  if (!parent) return 'bounded';
  if (parent.k === 'mem') {
    if (parent.obj !== at) return null;
    if (SHRINKS.test(parent.prop)) return 'bounded';
    const up = file.index.parent(parent);
    if (parent.prop === 'length') return up?.k === 'bin' || up?.k === 'asg' ? 'bounded' : null;
    if (up?.k !== 'call' || up.callee !== parent) return 'bounded';
    const [first] = up.args;
    if (/^(?:set|add|push|unshift)$/.test(parent.prop) && first)
      return { at: parent, key: first, fn: file.index.functionOf(up) };
    return LOOKS.test(parent.prop) ? null : 'bounded';
  }
  if (parent.k === 'idx') {
    if (parent.obj !== at) return null;
    const up = file.index.parent(parent);
    if (up?.k === 'un' && up.op === 'delete') return 'bounded';
    if (up?.k === 'asg' && up.target === parent) {
      if (
        up.op === '=' &&
        uncast(up.value).k === 'id' &&
        (uncast(up.value) as { name: string }).name === 'undefined'
      )
        return 'bounded';
      return { at: parent, key: parent.index, fn: file.index.innermost(up.s) };
    }
    return null;
  }
  if (parent.k === 'bin' && parent.op === 'in') return null;
  if (parent.k === 'forof' || parent.k === 'forin') return null;
  return 'bounded';
}

/** `at`: the declaration, where a limit or an expiry belongs; null for the place that grows it. */
function judge(
  ctx: RuleContext,
  at: { readonly s: number; readonly e: number } | null,
  name: string,
  owner: number,
  growths: readonly Growth[],
  assumed: boolean,
): void {
  const { file, model } = ctx;
  for (const growth of growths) {
    const fact = file.facts.functions[growth.fn];
    if (growth.fn === 0 || growth.fn === owner || !fact) continue;
    const outer = model.outermost(file, growth.fn);
    const outerName = file.facts.functions[outer]?.name ?? '';
    if (owner !== outer && STARTS.test(outerName)) continue;
    if (fact.kind === 'constructor' || (fact.name && STARTS.test(fact.name))) continue;
    // A closure's own callback over a list ends with the call that made the collection.
    if (owner > 0 && (fact.name === null || file.index.argumentSite(growth.fn))) continue;
    if (!isGiven(file, growth.key, owner) || !isManifold(file, growth.key)) continue;
    const units = ctx.unitsReaching(outer);
    const key = short(file.text.slice(growth.key.s, growth.key.e));
    ctx.report({
      at: at ?? growth.at,
      message: `\`${name}\` takes an entry for every \`${key}\` and never gives one back: the memory of the process grows until it is killed.`,
      trigger: 'the process runs long enough, or somebody sends many different values',
      scenario: `At \`${name}\`, when a new \`${key}\` comes, then one more entry stays for as long as the process lives.`,
      detection: 'Days, by memory alerts or restarts: nothing fails before that.',
      fix: `Give \`${name}\` a limit or an expiry, or delete the entry when its work ends.`,
      anchor: name,
      confidence: assumed || units.length === 0 ? 'assumed' : 'shown',
      ...(assumed || units.length === 0 ? { severity: 'medium' as const } : {}),
    });
    return;
  }
}

/** The key comes from a parameter of a function inside the owner. */
function isGiven(file: SourceFile, key: Expr, owner: number, depth = 0): boolean {
  if (depth > 3) return false;
  return some(key, (n) => {
    if (n.k !== 'id' || n.b < 0) return false;
    const binding = file.facts.bindings[n.b];
    if (!binding || binding.fn === owner) return false;
    if (binding.kind === 'param') return true;
    return binding.decl?.k === 'init' && binding.fn !== 0
      ? isGiven(file, binding.decl.init, owner, depth + 1)
      : binding.decl?.k === 'each' && binding.fn !== 0;
  });
}

function isManifold(file: SourceFile, key: Expr, depth = 0): boolean {
  const inner = uncast(key);
  if (depth > 3) return false;
  if (inner.k === 'id' || inner.k === 'mem') {
    const text = inner.k === 'id' ? inner.name : inner.prop;
    if (MANY.test(text.replace(/[A-Z]/g, (c, i: number) => (i > 0 ? `_${c}` : c))) || MANY.test(text))
      return true;
    if (
      /^id$/i.test(text) &&
      inner.k === 'mem' &&
      /(?:user|session|socket|message|job|event|request|req|order|document|client|customer|run)$/i.test(
        file.text.slice(inner.obj.s, inner.obj.e),
      )
    )
      return true;
    const decl = inner.k === 'id' ? file.facts.bindings[inner.b]?.decl : undefined;
    return decl?.k === 'init' && decl.path.length === 0 ? isManifold(file, decl.init, depth + 1) : false;
  }
  if (inner.k === 'tmpl') return inner.exprs.some((e) => isManifold(file, e, depth + 1));
  if (inner.k === 'bin') return isManifold(file, inner.l, depth + 1) || isManifold(file, inner.r, depth + 1);
  if (inner.k === 'call')
    return (
      inner.callee.k === 'mem' &&
      /^(?:toString|toLowerCase|trim|slice)$/.test(inner.callee.prop) &&
      isManifold(file, inner.callee.obj as Expr, depth + 1)
    );
  return false;
}

export const examples: readonly RuleExample[] = [
  {
    title: 'Attempts by address',
    bad: `const attempts = new Map<string, number>();

export function countAttempt(ip: string) {
  const so = (attempts.get(ip) ?? 0) + 1;
  attempts.set(ip, so);
  return so;
}
`,
    good: `const attempts = new Map<string, number>();

export function countAttempt(ip: string) {
  const so = (attempts.get(ip) ?? 0) + 1;
  attempts.set(ip, so);
  setTimeout(() => attempts.delete(ip), 60_000).unref();
  return so;
}
`,
  },
];
