/**
 * Timers that outlive what they were started for. Owns the telling of a timer that nobody clears, one that is cleared
 * on one way out only, and one that runs on after its owner was closed.
 */
import type { Call } from '../../facts/ir.ts';
import { some, uncast, type AnyNode } from '../../facts/walk.ts';
import { exits } from '../../model/frames.ts';
import { numberOf } from '../../model/options.ts';
import type { SourceFile } from '../../model/project.ts';
import type { Site } from '../../model/sites.ts';
import type { RuleContext } from './rule.ts';
import { settled, takenBy, usesOf } from './uses.ts';

export interface LeftTimer {
  /** `settled`: its promise is settled by something else; `done`: never cleared; `failed`: not when the work fails; `closed`: its owner was closed. */
  readonly when: 'settled' | 'done' | 'failed' | 'closed';
  readonly call: Call;
  /** Milliseconds where the code says. */
  readonly ms: number | null;
  /** Name of the method that closes the owner. */
  readonly closer: string | null;
}

const CLOSER =
  /^(?:stop|close|destroy|shutdown|dispose|disconnect|terminate|teardown|unsubscribe|onModuleDestroy|onApplicationShutdown|beforeApplicationShutdown|\[Symbol\.(?:async)?[dD]ispose\])$/;
/** Below this a timer that is left is gone before anybody could miss it. */
const SHORT_MS = 1000;

export function leftTimer(ctx: RuleContext, site: Site): LeftTimer | null {
  const { target, node, file } = site;
  if (target.k !== 'builtin' || node.k !== 'call') return null;
  if (target.name === 'setInterval') return leftInterval(file, site.fn, node);
  if (target.name !== 'setTimeout') return null;
  const ms = node.args[1] ? numberOf(ctx.model.values, file, node.args[1]) : 0;
  if (ms !== null && ms < SHORT_MS) return null;
  if (isUnreffed(file, node)) return null;
  const when = inPromise(file, site.fn, node) ? 'settled' : watchTimer(ctx, site, node);
  return when ? { when, call: node, ms, closer: null } : null;
}

function textOf(file: SourceFile, node: { readonly s: number; readonly e: number }): string {
  return file.text.slice(node.s, node.e);
}

function isUnreffed(file: SourceFile, call: Call): boolean {
  const parent = file.index.parent(call);
  return parent?.k === 'mem';
}

/** In `new Promise((resolve, reject) => …)`: the timer settles it, and so does a listener, after which the timer stays. */
function inPromise(file: SourceFile, fn: number, timer: Call): boolean {
  const around = file.index.argumentSite(fn);
  const executor = file.facts.functions[fn];
  if (
    !executor ||
    around?.call.k !== 'new' ||
    around.call.callee.k !== 'id' ||
    around.call.callee.name !== 'Promise'
  )
    return false;
  if (file.index.parent(timer)?.k !== 'expr' && !isUnreadName(file, timer)) return false;
  const settlers = executor.params.flatMap((p) => (p.target.k === 'pid' ? [p.target.b] : []));
  const uses = settlers.flatMap((b) => usesOf(file, b));
  const within = (at: { s: number; e: number }): boolean => at.s >= timer.s && at.e <= timer.e;
  if (!uses.some(within)) return false;
  // In another function: what settles it at once, before the timer is set, leaves no timer.
  if (
    !uses.some(
      (u) => !within(u) && (file.index.innermost(u.s) !== fn || isHandedOn(file, u)) && u.s >= executor.s,
    )
  )
    return false;
  return !/\bclearTimeout\b|\.unref\b/.test(textOf(file, executor));
}

/** `socket.once('close', resolve)` */
function isHandedOn(file: SourceFile, id: { s: number; e: number }): boolean {
  const parent = file.index.parent(id as never);
  return parent?.k === 'call' && parent.callee !== id;
}

function isUnreadName(file: SourceFile, timer: Call): boolean {
  const held = takenBy(file, settled(file, timer));
  return held?.target.k === 'pid' && usesOf(file, held.target.b).length === 0;
}

/** A timer that watches the work that follows in the same function: it aborts a controller, or is cleared after the work. */
function watchTimer(ctx: RuleContext, site: Site, timer: Call): 'done' | 'failed' | null {
  const { file, fn } = site;
  const first = timer.args[0];
  if (!first) return null;
  const aborts = /\babort\s*\(/.test(textOf(file, first));
  const fact = file.facts.functions[fn];
  if (!fact?.async || fact.id === 0) return null;
  const awaits = (from: number, to: number): boolean =>
    fact.body.some((st) =>
      some(
        st,
        (n) =>
          n.k === 'await' &&
          n.s > from &&
          n.e <= to &&
          !/\.catch\s*\(/.test(textOf(file, n)) &&
          !isCaughtBefore(file, n, to),
      ),
    );
  if (!fact.body.some((st) => some(st, (n) => n.k === 'await' && n.s > timer.e))) return null;
  const around = file.facts.functions[ctx.model.outermost(file, fn)] ?? fact;
  const held = takenBy(file, settled(file, timer));
  if (file.index.parent(timer)?.k === 'expr')
    return !aborts || /\bclearTimeout\b/.test(textOf(file, around)) ? null : 'done';
  if (held?.target.k !== 'pid') return null;
  const uses = usesOf(file, held.target.b);
  if (uses.length === 0) return aborts ? 'done' : null;
  const clears: Call[] = [];
  for (const use of uses) {
    const call = file.index.parent(use);
    if (call?.k !== 'call' || uncast(call.callee).k !== 'id' || textOf(file, call.callee) !== 'clearTimeout')
      return null;
    clears.push(call);
  }
  const succeeds = clears.every((c) => {
    if (file.index.innermost(c.s) !== fn) return false;
    for (const at of file.index.ancestors(c))
      if (at.k === 'try' && !(c.s >= at.block.s && c.e <= at.block.e)) return false;
    return awaits(timer.e, c.s);
  });
  return succeeds ? 'failed' : null;
}

/** A handler that goes on takes the failure before the place is reached. */
function isCaughtBefore(file: SourceFile, node: AnyNode, place: number): boolean {
  for (const at of file.index.ancestors(node))
    if (at.k === 'try' && at.handler && at.e <= place && node.e <= at.block.e && !exits(at.handler.body))
      return true;
  return false;
}

/** An interval of a class that can be closed, whose handle is dropped or never read again. */
function leftInterval(file: SourceFile, fn: number, timer: Call): LeftTimer | null {
  let at = fn;
  while (at > 0 && (file.facts.functions[at]?.cls ?? -1) < 0) at = file.facts.functions[at]?.parent ?? 0;
  const member = file.facts.functions[at];
  const cls = file.facts.classes[member?.cls ?? -1];
  // A timer that is made in place within a callback may end with what the callback is for.
  if (!member || !cls || at !== fn) return null;
  const closer = cls.methods
    .map((m) => file.facts.functions[m])
    .find((m) => m?.name && CLOSER.test(m.name) && m.body.length > 0 && m.id !== at);
  if (!closer?.name) return null;
  const parent = file.index.parent(timer);
  const dropped = parent?.k === 'expr';
  const field =
    parent?.k === 'asg' && parent.target.k === 'mem' && parent.target.obj.k === 'this' ? parent.target : null;
  if (!dropped && !field) return null;
  if (dropped && /\bclearInterval\b/.test(textOf(file, timer))) return null;
  if (field && readsOf(file, field.prop)) return null;
  return { when: 'closed', call: timer, ms: null, closer: closer.name };
}

function readsOf(file: SourceFile, prop: string): boolean {
  const name = prop.replace(/[$]/g, '\\$&');
  return new RegExp(`(?:\\.|\\{|,)\\s*${name}\\b(?!\\s*[=:][^=])|['"]${name}['"]`).test(file.text);
}
