/** Listeners that each call adds to something that outlives it. */
import type { Call, Expr } from '../facts/ir.ts';
import { some, uncast } from '../facts/walk.ts';
import { placeOfPath } from '../model/place.ts';
import type { SourceFile } from '../model/project.ts';
import type { Site } from '../model/sites.ts';
import { isOneOff } from './_kit/guards.ts';
import { oneSidedPairs, type OneSidedPair } from './_kit/listenerPairs.ts';
import { defineRule, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { short } from './_kit/text.ts';

export const rule = defineRule({
  id: 'listener-per-request',
  lens: 'resource-exhaustion',
  axis: 'load-saturation',
  faultClass: 'backpressure',
  severity: 'medium',
  blocking: false,
  stage: 'experimental',
  since: '0.1.0',
  docs: {
    what: 'Code that runs once per request or call adds a listener to an emitter or signal that lives longer than the call, and never takes it away. The same holds for two listeners of which the first to fire ends the wait, where one of them leaves the other behind.',
    why: 'Each call leaves its listener behind, with all that it closes over. Memory grows, every later event runs all the old listeners, and they answer for calls that ended long ago.',
    remedy:
      'Add the listener once where the emitter is made, or take it away when the call ends: `off` in `finally`, `once`, `{ once: true }`, `{ signal }`.',
    whenNot: 'The emitter is made for the call and goes away with it.',
  },
  incidents: ['memory-exhaustion', 'resource-exhaustion'],
  fixKind: 'none',
  detect(ctx) {
    if (isOneOff(ctx.file) || placeOfPath(ctx.file.path) === 'script') return;
    for (const site of ctx.sites) {
      if (
        site.fn === 0 ||
        site.node.k !== 'call' ||
        site.node.callee.k !== 'mem' ||
        !ADDS.test(site.node.callee.prop)
      )
        continue;
      check(ctx, site, site.node, site.node.callee.obj);
    }
    for (const pair of oneSidedPairs(ctx.file)) leftBehind(ctx, pair);
  },
});

const ADDS = /^(?:on|addListener|prependListener|addEventListener)$/;
/** Runs when the service starts, or says of itself that it adds something for good. */
const STARTS =
  /^_?(?:init\w*|setup\w*|set[A-Z]\w*|register\w*|start\w*|boot\w*|configure\w*|create\w*|make\w*|build\w*|connect\w*|attach\w*|bind\w*|install\w*|listen\w*|main|run|serve|open\w*|load\w*|on(?:Module|Application)\w*|subscribe\w*|use[A-Z]\w*|add\w*|watch\w*|mount\w*|enable\w*|instrument\w*|wire\w*|hook\w*|get\w*(?:Client|Connection|Pool|Redis|Queue|Instance|Server)|plugin|default|constructor)$/i;
const ONCE_GUARD =
  /listenerCount|listening|attached|registered|initiali[sz]ed|subscribed|hooked|installed|bound\b/i;

function check(ctx: RuleContext, site: Site, node: Call, receiver: Expr): void {
  const { file, model } = ctx;
  const [event, handler, options] = node.args;
  if (!event || !handler || node.args.length > 3) return;
  const named = uncast(event);
  if (named.k !== 'lit' && named.k !== 'tmpl' && named.k !== 'mem' && named.k !== 'id') return;
  // `.on('x', 'y')`, `.on(a, b)` of a query builder takes no function.
  if (!isFunction(ctx, handler)) return;
  if (options && /\b(?:once|signal)\b/.test(file.text.slice(options.s, options.e))) return;
  const outer = model.outermost(file, site.fn);
  const fact = file.facts.functions[outer];
  if (!fact || fact.kind === 'constructor') return;
  const what = receiverKind(file, receiver, node.callee.k === 'mem' ? node.callee.prop : '', named);
  if (!what) return;
  const text = file.text.slice(receiver.s, receiver.e);
  if (isTakenAway(file, text) || ONCE_GUARD.test(file.text.slice(fact.s, fact.e))) return;
  if (within(file, site.fn, outer).some((f) => STARTS.test(f.name ?? ''))) return;
  const units = ctx.unitsReaching(outer);
  const perRequest = units.some((u) => u.unit.kind !== 'lambda' && u.unit.kind !== 'function');
  // A promise that each call makes and settles from the listener.
  const perCall = fact.params.length > 0 && within(file, site.fn, outer).some((f) => isExecutor(file, f.id));
  if (what === 'signal' ? !abortsOwn(file, handler) : !perRequest && !perCall) return;
  const name = short(text);
  ctx.report({
    at: node.callee,
    message:
      what === 'signal'
        ? `Each call leaves a listener on \`${name}\`: where one signal serves many calls, all of them stay until it is dropped.`
        : `Each call adds one more listener to \`${name}\`, which outlives it, and none is taken away: they pile up until the process runs out of memory.`,
    trigger: 'the service runs long enough: one more listener per call',
    scenario: `At \`${name}\`, when the call is over, then its listener stays and runs on every later event.`,
    detection:
      'By a warning about many listeners in the log, or by memory alerts: nothing fails before that.',
    fix:
      what === 'signal'
        ? 'Add it with `{ once: true }` and take it away when the call ends.'
        : 'Add the listener where the emitter is made, or take it away when the call ends.',
    anchor: `${name}.${node.callee.k === 'mem' ? node.callee.prop : 'on'}`,
    confidence: what !== 'signal' && perRequest ? 'shown' : 'assumed',
    ...(what === 'signal' ? { severity: 'low' as const } : {}),
  });
}

/** Two listeners of which the first to fire ends the wait: one takes the other away, and not the reverse. */
function leftBehind(ctx: RuleContext, pair: OneSidedPair): void {
  const { fn, left, receiver, event } = pair;
  ctx.report({
    at: { s: fn.ns, e: Math.max(fn.ne, fn.ns + 1) },
    message: `When \`${event}\` comes first, the listener for \`${left.event}\` stays on \`${receiver}\`: the other way round it is taken away.`,
    trigger: `\`${event}\` comes and \`${left.event}\` does not`,
    scenario: `At \`${short(left.handler)}\`, when \`${event}\` has ended the wait, then the listener stays and answers the next \`${left.event}\`, which belongs to somebody else.`,
    detection:
      'By a warning about many listeners in the log, or by memory alerts: nothing fails before that.',
    fix: `Take \`${short(left.handler)}\` off \`${left.event}\` here too.`,
    anchor: `${event} ${left.event}`,
    confidence: 'assumed',
  });
}

function isFunction(ctx: RuleContext, expr: Expr): boolean {
  const inner = uncast(expr);
  if (inner.k === 'fn') return true;
  if (inner.k === 'call') return inner.callee.k === 'mem' && inner.callee.prop === 'bind';
  return (inner.k === 'id' || inner.k === 'mem') && ctx.model.values.of(ctx.file, inner).k === 'fn';
}

/** What the listener stays on: something of the module or of the process, or a signal that the caller gave. */
function receiverKind(
  file: SourceFile,
  receiver: Expr,
  member: string,
  event: Expr,
): 'module' | 'signal' | null {
  const inner = uncast(receiver);
  if (member === 'addEventListener') {
    if (event.k !== 'lit' || event.value !== 'abort') return null;
    const root = rootOf(inner);
    return root?.k === 'id' && isGiven(file, root.b) && /signal$/i.test(file.text.slice(inner.s, inner.e))
      ? 'signal'
      : null;
  }
  const root = rootOf(inner);
  if (root?.k !== 'id') return null;
  if (root.b < 0) return root.name === 'process' && inner.k === 'id' ? 'module' : null;
  const binding = file.facts.bindings[root.b];
  if (!binding || binding.fn !== 0) return null;
  if (binding.kind === 'import') {
    if (binding.decl?.k !== 'import' || binding.decl.typeOnly) return null;
    // A factory's answer or a class is something else each time.
    return inner.k === 'id' || (inner.k === 'mem' && inner.obj.k === 'id') ? 'module' : null;
  }
  if (binding.kind !== 'const') return null;
  const init = binding.decl?.k === 'init' ? uncast(binding.decl.init) : null;
  return init?.k === 'new' || init?.k === 'call' ? (inner.k === 'id' ? 'module' : null) : null;
}

function rootOf(expr: Expr): Expr | null {
  let at: Expr = uncast(expr);
  while (at.k === 'mem') at = uncast(at.obj);
  return at;
}

function isGiven(file: SourceFile, b: number): boolean {
  const binding = file.facts.bindings[b];
  if (!binding) return false;
  if (binding.kind === 'param') return true;
  if (binding.decl?.k !== 'init') return false;
  return (
    binding.decl.path.length > 0 &&
    some(binding.decl.init, (n) => n.k === 'id' && file.facts.bindings[n.b]?.kind === 'param')
  );
}

/** The listener ends something of this call: `() => controller.abort()`. */
function abortsOwn(file: SourceFile, handler: Expr): boolean {
  return /\.abort\b/.test(file.text.slice(handler.s, handler.e));
}

function isTakenAway(file: SourceFile, receiver: string): boolean {
  const last = receiver.split(/[?!]?\./).at(-1) ?? receiver;
  return new RegExp(
    `\\b${last.replace(/[^\w$]/g, '\\$&')}[?!]?\\.(?:off|removeListener|removeAllListeners|removeEventListener)\\b`,
  ).test(file.text);
}

function within(file: SourceFile, fn: number, outer: number): { id: number; name: string | null }[] {
  const out: { id: number; name: string | null }[] = [];
  for (let at = fn, guard = 0; guard < 32; guard++) {
    const fact = file.facts.functions[at];
    if (!fact || at === 0) break;
    out.push({ id: at, name: fact.name });
    if (at === outer) break;
    at = fact.parent;
  }
  return out;
}

function isExecutor(file: SourceFile, fn: number): boolean {
  const at = file.index.argumentSite(fn);
  return at?.call.k === 'new' && at.call.callee.k === 'id' && at.call.callee.name === 'Promise';
}

export const examples: readonly RuleExample[] = [
  {
    title: 'A driver that reports errors',
    bad: `import driver from 'some-driver';

export function ask(address: string, text: string) {
  return new Promise((resolve, reject) => {
    driver.on('error', (error: Error) => reject(error));
    driver.connect(address).then((c: { ask(t: string): unknown }) => resolve(c.ask(text)), reject);
  });
}
`,
    good: `import driver from 'some-driver';

export function ask(address: string, text: string) {
  return new Promise((resolve, reject) => {
    driver.connect(address).then((c: { ask(t: string): unknown }) => resolve(c.ask(text)), reject);
  });
}
`,
  },
];
