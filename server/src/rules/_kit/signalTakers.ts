/**
 * Calls that could hear an abort: functions that take a signal, and pauses. Owns the telling of what a call accepts
 * and whether it was given it; where that cannot be read, it was.
 */
import type { Call, Expr, FileFacts, Param, TypeRef } from '../../facts/ir.ts';
import { uncast } from '../../facts/walk.ts';
import { numberOf } from '../../model/options.ts';
import type { Site } from '../../model/sites.ts';
import type { RuleContext } from './rule.ts';

/** How a call that is not given a signal could take one. */
export type SignalGap =
  | { readonly k: 'argument'; readonly index: number; readonly controller: boolean }
  | { readonly k: 'property'; readonly index: number; readonly key: string }
  /** A pause that has no place for a signal, in milliseconds where known. */
  | { readonly k: 'pause'; readonly ms: number | null; readonly listens: boolean };

const SIGNAL_NAME = /^(?:abortS|cancelS|s)ignal$/;
const CONTROLLER_NAME = /^abort(?:Controller|er)$/;
/** A pause that is over sooner is waited out by anybody. */
const LONG_PAUSE_MS = 1000;

export function signalGap(ctx: RuleContext, site: Site): SignalGap | null {
  const { node, target, file } = site;
  if (node.k === 'tag' || node.args.some((a) => a.k === 'spread')) return null;
  if (
    target.k === 'package' &&
    /^(?:node:)?timers\/promises$/.test(target.pkg) &&
    /(?:^|\.)setTimeout$/.test(target.path)
  ) {
    if (node.args[2]) return null;
    const ms = node.args[0] ? numberOf(ctx.model.values, file, node.args[0]) : 0;
    return ms !== null && ms < LONG_PAUSE_MS ? null : { k: 'pause', ms, listens: true };
  }
  if (node.k === 'new') return barePause(ctx, site, node);
  // A callback that is run in place hears the signal by itself.
  if (target.k !== 'fn' || node.args.some((a) => uncast(a).k === 'fn')) return null;
  const callee = target.value.file.facts.functions[target.value.fn];
  if (!callee) return null;
  for (const [index, param] of callee.params.entries()) {
    const gap = param.rest ? null : ofParameter(target.value.file.facts, param, index, node.args[index]);
    if (gap) return gap;
  }
  return null;
}

function ofParameter(
  facts: FileFacts,
  param: Param,
  index: number,
  given: Expr | undefined,
): SignalGap | null {
  const target = param.target.k === 'pdef' ? param.target.target : param.target;
  const name = target.k === 'pid' ? target.name : '';
  const types = alternatives(param.type);
  const controller = types.some((t) => t.name === 'AbortController') || CONTROLLER_NAME.test(name);
  if (controller || types.some((t) => t.name === 'AbortSignal') || SIGNAL_NAME.test(name))
    return given ? null : { k: 'argument', index, controller };
  const arg = given ? uncast(given) : null;
  if (!given || arg?.k !== 'obj' || arg.props.some((p) => p.kind === 'spread' || p.key === null)) return null;
  const keys = new Set<string>();
  for (const type of types)
    for (const [key, t] of Object.entries(membersOf(facts, type)))
      if (alternatives(t).some((a) => a.name === 'AbortSignal')) keys.add(key);
  if (target.k === 'pobj')
    for (const p of target.props) if (p.key && SIGNAL_NAME.test(p.key)) keys.add(p.key);
  const key = [...keys][0];
  return key === undefined || arg.props.some((p) => p.key !== null && keys.has(p.key))
    ? null
    : { k: 'property', index, key };
}

function alternatives(type: TypeRef | null): readonly TypeRef[] {
  return type === null ? [] : type.name === '|' ? type.args : [type];
}

function membersOf(facts: FileFacts, type: TypeRef): Readonly<Record<string, TypeRef>> {
  return type.members ?? facts.interfaces.find((i) => i.name === type.name)?.members ?? {};
}

/** `new Promise(resolve => setTimeout(resolve, 60_000))`: nothing but the time ends it. */
function barePause(ctx: RuleContext, site: Site, node: Expr & { k: 'new' }): SignalGap | null {
  const { file } = site;
  if (site.target.k !== 'builtin' || site.target.name !== 'Promise' || file.index.parent(node)?.k !== 'await')
    return null;
  const executor = node.args[0];
  const fact = executor?.k === 'fn' ? file.facts.functions[executor.fn] : undefined;
  if (!fact) return null;
  const calls = (file.index.calls[fact.id] ?? []).filter((c): c is Call => c.k === 'call');
  const timer = calls[0];
  if (
    !timer ||
    calls.length !== 1 ||
    timer.callee.k !== 'id' ||
    timer.callee.name !== 'setTimeout' ||
    timer.callee.b >= 0
  )
    return null;
  const ms = timer.args[1] ? numberOf(ctx.model.values, file, timer.args[1]) : 0;
  return ms !== null && ms < LONG_PAUSE_MS ? null : { k: 'pause', ms, listens: false };
}
