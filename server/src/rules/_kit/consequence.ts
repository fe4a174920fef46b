/**
 * What is lost when a piece of code fails and nobody hears of it. Owns the difference between work (a write, a request,
 * a publish) and tidying up (closing, deleting a temporary file, a cache hint).
 */
import type { Call, Expr } from '../../facts/ir.ts';
import { some, uncast, walk, type AnyNode } from '../../facts/walk.ts';
import type { Model } from '../../model/model.ts';
import type { SourceFile } from '../../model/project.ts';
import type { Site } from '../../model/sites.ts';
import { isLogCall } from './detection.ts';
import { lastName, letsFailureOut } from './promises.ts';

export interface Loss {
  readonly site: Site;
  /** Something outside the process is changed. */
  readonly write: boolean;
  /** Known by effect, not by the name of the call alone. */
  readonly confidence: 'shown' | 'assumed';
}

const TIDY =
  /^(?:close|end|quit|destroy|release|disconnect|dispose|abort|cancel|kill|stop|terminate|shutdown|unlock|unsubscribe|unref|off|removeListener|removeAllListeners|rollback|abortTransaction|endSession|cleanup|clear|clearCache|flush|flushAll|unlink|unlinkSync|rm|rmSync|rmdir|rmdirSync|remove|del|evict|invalidate|purge|expire|cleanUp|teardown|return|unpipe|detach|drain|ack|nack|noAck|ping)$|^(?:clean[Uu]p|tear[Dd]own|close|destroy|dispose|release|rollback|abort|cancel|invalidate|purge|evict|revalidate|unlink|removeTemp|deleteTemp|cleanTemp)[A-Z_]/;
const HINT =
  /^(?:track|capture|identify|analytics|telemetry|metric|metrics|beacon|prefetch|preload|warm[A-Z]?|prime|heartbeat|touch|log|debug|trace|report|record(?:Metric|Usage|Event|View|Click)|increment(?:View|Click|Usage)|emitMetric|logEvent|trackEvent|captureEvent)|(?:Analytics|Telemetry|Metrics?|Stats)$/;

/** Names of functions whose own purpose is tidying up. */
export function isTidyName(name: string | null): boolean {
  return name !== null && TIDY.test(name);
}

/** Cache entries, counters, telemetry: the code may lose them. */
export function isHintName(name: string | null): boolean {
  return name !== null && HINT.test(name);
}

const WORK = new Set(['http', 'sdk', 'rpc', 'db', 'queue', 'mail', 'file', 'process', 'connection']);

/** The heaviest loss among the calls of a piece of code: a write before a read, what is known before what a name says. */
export function lossIn(model: Model, file: SourceFile, root: AnyNode): Loss | null {
  let best: Loss | null = null;
  for (const call of callsIn(file, root)) {
    const found = lossOf(model, file, call);
    if (found && (!best || weight(found) > weight(best))) best = found;
  }
  return best;
}

function weight(loss: Loss): number {
  return (loss.write ? 2 : 0) + (loss.confidence === 'shown' ? 1 : 0);
}

/** Calls of a subtree, with those of the functions written inside it. */
function callsIn(file: SourceFile, root: AnyNode): Call[] {
  const out: Call[] = [];
  const visit = (node: AnyNode): void =>
    walk(node, (n) => {
      if (n.k === 'call') out.push(n);
      if (n.k === 'fn') for (const st of file.facts.functions[n.fn]?.body ?? []) visit(st);
    });
  visit(root);
  return out;
}

export function lossOf(model: Model, file: SourceFile, call: Call): Loss | null {
  const site = model.sites.at(file, call);
  if (!site) return null;
  const name = lastName(call.callee);
  if (isTidyName(name) && !isDatabaseDelete(site)) return null;
  if (isHintName(name)) return null;
  if (site.effect) {
    if (!WORK.has(site.effect.kind) || site.effect.spec.bestEffort) return null;
    // Deleting one row that is already gone is what most ORMs throw for.
    if (site.effect.op === 'delete' && name === 'delete') return null;
    if (/^(?:release|rollback|nack|wait)$/.test(site.effect.op)) return null;
    return {
      site,
      write: site.effect.write || site.effect.op === 'commit',
      confidence: site.effect.confidence,
    };
  }
  if (site.target.k === 'fn') {
    const { value } = site.target;
    if (reportsItself(model, value.file, value.fn)) return null;
    const reached = model.reach(value.file, value.fn).filter((r) => {
      const effect = r.site.effect;
      return (
        effect !== null &&
        WORK.has(effect.kind) &&
        !effect.spec.bestEffort &&
        effect.op !== 'release' &&
        effect.op !== 'rollback'
      );
    });
    const write = reached.find((r) => r.site.effect?.write);
    if (write) return { site, write: true, confidence: 'shown' };
    if (reached.length > 0) return { site, write: false, confidence: 'shown' };
    return null;
  }
  // A transaction is known by its shape: a callback that takes the handle.
  const last = call.args[0] ? uncast(call.args[0]) : null;
  if (name === 'transaction' && last?.k === 'fn' && (file.facts.functions[last.fn]?.params.length ?? 0) > 0)
    return { site, write: true, confidence: 'assumed' };
  if (site.target.k === 'unresolved' && isAwaited(file, site.top) && WRITE_NAME.test(name ?? ''))
    return { site, write: true, confidence: 'assumed' };
  return null;
}

/** The function logs its own failures before it lets them out, or lets none out. */
function reportsItself(model: Model, file: SourceFile, fn: number): boolean {
  const fact = file.facts.functions[fn];
  if (!fact || fact.body.length === 0) return false;
  if (fact.async && !letsFailureOut(model, file, fn)) return true;
  return model
    .within(file, fn)
    .some((f) =>
      (file.index.tries[f.id] ?? []).some(
        (t) => t.handler !== null && some(t.handler, (n) => n.k === 'call' && isLogCall(model, file, n)),
      ),
    );
}

const WRITE_NAME =
  /^(?:save|create|update|insert|upsert|send|publish|enqueue|notify|charge|refund|transfer|capturePayment|store|persist|submit|sync|process|handle|import|export|dispatch|deliver|provision|register|subscribe|assign|grant|revoke|approve|complete|finali[sz]e|migrate)(?:[A-Z_]\w*)?$/;

function isDatabaseDelete(site: Site): boolean {
  return site.effect?.kind === 'db';
}

function isAwaited(file: SourceFile, expr: Expr): boolean {
  let at: AnyNode | undefined = file.index.parent(expr);
  while (at?.k === 'as') at = file.index.parent(at);
  return at?.k === 'await';
}
