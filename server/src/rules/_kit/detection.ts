/**
 * How long until somebody knows: derived from what the code does with the failure. Owns the wording of detection lag.
 */
import type { Stmt } from '../../facts/ir.ts';
import { some, uncast, type AnyNode } from '../../facts/walk.ts';
import type { Model } from '../../model/model.ts';
import type { SourceFile } from '../../model/project.ts';
import type { Site } from '../../model/sites.ts';
import type { RuleContext } from './rule.ts';

/** What happens to an error that is thrown at a place. */
export type Fate =
  | 'framework' /* reaches a framework that logs it and answers 5xx or fails the job */
  | 'logged'
  | 'swallowed'
  | 'caller'; /* goes to callers that are not known */

/** Follows an error from a node outwards through the handlers of its function. */
export function fateOfError(
  ctx: RuleContext,
  file: SourceFile,
  node: { s: number; e: number } & Site['node'],
  fn: number,
): Fate {
  for (const frame of ctx.model.frames.around(file, node, fn)) {
    if (frame.k !== 'try' || !frame.node.handler) continue;
    const caught = chainedCatch(ctx.model, file, node, frame.node);
    const fate = caught ?? fateInHandler(ctx.model, file, frame.node);
    if (fate !== null) return fate;
  }
  const caught = chainedCatch(ctx.model, file, node, null);
  if (caught !== null) return caught;
  return isHandler(ctx, file, fn) ? 'framework' : 'caller';
}

/** `call().catch(handler)` around the node, within `outer`; null when there is none, or when it passes the error on. */
function chainedCatch(
  model: Model,
  file: SourceFile,
  node: Site['node'],
  outer: AnyNode | null,
): Fate | null {
  for (const at of file.index.ancestors(node)) {
    if (at === outer || at.k === 'fn') return null;
    if (at.k !== 'call' || at.callee.k !== 'mem' || at.callee.prop !== 'catch') continue;
    if (node.s < at.callee.obj.s || node.e > at.callee.obj.e) continue;
    const handler = at.args[0] ? uncast(at.args[0]) : null;
    if (handler?.k !== 'fn') return null;
    const body = file.facts.functions[handler.fn]?.body ?? [];
    if (body.some((st) => some(st, (n) => n.k === 'throw'))) continue;
    return body.some((st) => some(st, (n) => n.k === 'call' && isLogCall(model, file, n)))
      ? 'logged'
      : 'swallowed';
  }
  return null;
}

/** The place is in a unit's own handler, so that what is thrown reaches the framework and no function in between. */
function isHandler(ctx: RuleContext, file: SourceFile, fn: number): boolean {
  const units = ctx.unitsReaching(ctx.model.outermost(file, fn));
  for (let at = fn; at > 0; at = file.facts.functions[at]?.parent ?? 0)
    if (units.some((u) => u.fn === at && u.file === file)) return true;
  return false;
}

/** Null when the handler passes the error on. */
export function fateInHandler(model: Model, file: SourceFile, node: Stmt & { k: 'try' }): Fate | null {
  const handler = node.handler;
  if (!handler) return null;
  if (some(handler, (n) => n.k === 'throw')) return null;
  return some(handler, (n) => n.k === 'call' && isLogCall(model, file, n)) ? 'logged' : 'swallowed';
}

const LOG_NAME =
  /(?:^|[._])(?:log(?:ger)?|console|winston|pino|sentry|bugsnag|rollbar|newrelic|honeybadger|metrics?|statsd|tracer?|telemetry|debug)\b/i;
const LOG_METHOD =
  /^(?:log|error|warn|info|debug|trace|fatal|verbose|notice|critical|captureException|captureMessage|recordException|reportError|logError|handleError|onError|notify|increment|inc|count)$/i;

/** A call that leaves a trace for people: logger, console, error tracker, metric. By effect where a pack knows it, else by name. */
export function isLogCall(model: Model, file: SourceFile, node: Site['node']): boolean {
  if (node.k !== 'call') return false;
  const site = model.sites.at(file, node);
  if (site?.effect?.kind === 'log' || site?.effect?.kind === 'metric') return true;
  const callee = node.callee;
  if (callee.k === 'mem')
    return LOG_METHOD.test(callee.prop) || LOG_NAME.test(file.text.slice(callee.obj.s, callee.obj.e));
  if (callee.k === 'id')
    return (
      LOG_METHOD.test(callee.name) ||
      /^(?:log|report|track|capture|warn)[A-Z_]|^(?:log|warn|debug|report)$|(?:log|logger|logError|handleError)$/i.test(
        callee.name,
      )
    );
  return false;
}

/** For a call that never settles. */
export function detectionWhenHeld(ctx: RuleContext, site: Site): string {
  const units = ctx.unitsReaching(ctx.model.outermost(site.file, site.fn));
  const kind = units[0]?.unit.kind;
  if (kind === 'consumer' || kind === 'job' || kind === 'cron')
    return 'When the backlog is noticed: a worker that waits raises no error.';
  if (kind)
    return 'When users wait, or when enough requests wait for the service to slow down: one that waits raises no error.';
  return 'When callers complain: a call that waits raises no error.';
}

/** For a failure that is thrown at a place. */
export function detectionWhenThrown(ctx: RuleContext, site: Site): string {
  switch (fateOfError(ctx, site.file, site.node, site.fn)) {
    case 'framework':
      return 'Minutes, by the error rate: the error reaches the framework.';
    case 'logged':
      return 'When somebody reads the log: the error is logged and goes no further.';
    case 'swallowed':
      return 'When a user complains or the data is compared: the error is swallowed.';
    default:
      return 'By whoever calls this: the error goes to the caller.';
  }
}

/** What Node makes of a rejection that no handler takes: ends a sentence. */
export const UNHANDLED =
  'the rejection is unhandled, which ends a Node process that has no process-wide handler for it';

export const DETECTION_WHEN_UNHANDLED =
  'By an unhandled rejection in the log, or by the process that ends on it: no caller sees it.';

/** An `error` event without listener. */
export const DETECTION_WHEN_THROWN_LOOSE =
  'By an uncaught exception in the log, or by the process that ends on it: no caller sees it.';

/** For damage that raises no error at all. */
export const DETECTION_BY_COMPARISON = 'When a user complains or the data is compared: nothing fails.';
