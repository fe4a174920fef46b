/** A failure that is caught and then forgotten. */
import type { Block, Call, Expr, FunctionFact, Stmt, Try } from '../facts/ir.ts';
import { boundBy, some, uncast, walk, type AnyNode } from '../facts/walk.ts';
import { inherited } from '../model/packIndex.ts';
import type { SourceFile } from '../model/project.ts';
import type { Site } from '../model/sites.ts';
import { isHintName, isTidyName, lossIn, lossOf, type Loss } from './_kit/consequence.ts';
import { isLogCall } from './_kit/detection.ts';
import { catchKeyword, promiseFixes, tryFixes } from './_kit/logFixes.ts';
import { lastName } from './_kit/promises.ts';
import { commentsIn, explainedBefore, explains, trailingComment } from './_kit/reasons.ts';
import { defineRule, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { calleeName, exprName } from './_kit/text.ts';

export const rule = defineRule({
  id: 'swallowed-error',
  lens: 'partial-failure',
  axis: 'silent-failure',
  faultClass: 'network',
  severity: 'high',
  blocking: true,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'A failure of work (a write, a request, a publish) is caught by a block, a `.catch`, an error-first callback or an error listener that does nothing with it: it does not rethrow, report, log, count, retry or answer, or it answers as if all had gone well.',
    why: 'The work did not happen and everything after it goes on as if it had. No log line, no metric and no caller knows. The gap is found when a user complains or when the data is compared, long after the cause is gone.',
    remedy:
      'Let the error go on to the caller, or log it with the ids at hand and answer with a failure. Where the failure does not matter, catch that one error by its code and say why in a comment.',
    whenNot:
      'Tidying up (closing, removing a temporary file), hints that may be lost (cache, telemetry), and handlers whose comment says why nothing is done.',
  },
  incidents: ['swallowed-error', 'silent-failure'],
  fixKind: 'safe',
  detect(ctx) {
    for (const fn of ctx.functions) {
      for (const node of ctx.file.index.tries[fn.id] ?? []) checkTry(ctx, node, fn);
    }
    for (const site of ctx.sites) {
      if (site.node.k !== 'call') continue;
      checkPromiseHandler(ctx, site, site.node);
      checkCallback(ctx, site, site.node);
      checkErrorListener(ctx, site, site.node);
    }
  },
});

// ---- catch blocks

function checkTry(ctx: RuleContext, node: Try, fn: FunctionFact): void {
  const { handler } = node;
  const { file } = ctx;
  if (!handler) return;
  const verdict = verdictOf(ctx, file, node, handler, fn);
  if (verdict === null) return;
  if (explains(node.handlerComment) || explainedBefore(file, node.s)) return;
  if (isTidying(ctx, file, node, fn)) return;
  const loss =
    lossIn(ctx.model, file, node.block) ??
    (verdict === 'success' ? firstAwaited(ctx, file, node.block) : null);
  if (!loss) return;
  // What a read leaves behind when it fails is a value, and whether that value is told apart is another question.
  if (!loss.write && verdict === 'nothing' && givesValue(file, node)) return;
  if (verdict === 'nothing' && loss.confidence === 'assumed' && givesValue(file, node)) return;
  const head = catchKeyword(file, node);
  const name = calleeName(loss.site);
  ctx.report({
    at: head,
    ...words(name, loss, verdict),
    fixes: verdict === 'nothing' ? tryFixes(ctx, file, node, fn, name) : [],
  });
}

type Verdict = 'nothing' | 'success';

/** What a handler does with the failure: nothing, or answers success; null when it handles it. */
function verdictOf(
  ctx: RuleContext,
  file: SourceFile,
  node: Try,
  handler: Block,
  fn: FunctionFact,
): Verdict | null {
  if (isInert(handler.body)) return 'nothing';
  if (answersSuccess(ctx, file, node, handler, fn) || goesOnToSuccess(ctx, file, node, handler, fn))
    return 'success';
  return null;
}

/** Statements that leave no trace: empty, a bare return, going on with the loop. */
function isInert(body: readonly Stmt[]): boolean {
  return body.every((st) => {
    switch (st.k) {
      case 'empty':
      case 'continue':
        return true;
      case 'ret':
        return st.arg === null || isUndefined(st.arg);
      case 'expr':
        return (
          isUndefined(st.expr) ||
          (st.expr.k === 'un' && st.expr.op === 'void' && st.expr.arg.k === 'id') ||
          st.expr.k === 'id'
        );
      case 'block':
        return isInert(st.body);
      default:
        return false;
    }
  });
}

function isUndefined(expr: Expr): boolean {
  return (
    (expr.k === 'id' && expr.name === 'undefined' && expr.b < 0) ||
    (expr.k === 'un' && expr.op === 'void' && expr.arg.k === 'lit')
  );
}

/**
 * The handler gives back what the block gives back on success: `return true` in both, `{ success: true }` in both, or a
 * result object made by the same class. The error goes no further than a log line.
 */
function answersSuccess(
  ctx: RuleContext,
  file: SourceFile,
  node: Try,
  handler: Block,
  fn: FunctionFact,
): boolean {
  const back = handler.body.at(-1);
  if (back?.k !== 'ret' || !back.arg || !handler.body.slice(0, -1).every((st) => isLogOnly(ctx, file, st)))
    return false;
  if (some(handler, (n) => n.k === 'throw' || n.k === 'if' || n.k === 'cond')) return false;
  // A boolean of a predicate that is true either way says nothing on success; see only results of work.
  const answer = uncast(back.arg);
  if (usesError(file, node, answer)) return false;
  const inBlock: Expr[] = [];
  walk(node.block, (n) => {
    if (n.k === 'ret' && n.arg) inBlock.push(uncast(n.arg));
  });
  const last = inBlock.at(-1);
  if (
    !last ||
    /^(?:is|has|can|should|check|validate|exists|verify|needs|allow|may)(?:[A-Z_]|$)/.test(fn.name ?? '')
  )
    return false;
  return saysSuccess(last) && saysSuccess(answer) ? true : sameMaker(last, answer);
}

/**
 * The handler only logs and the function goes on to the answer of a success: the same `{ success: true }`, or the object
 * that the block would have handed out with the outcome of the work added to it.
 */
function goesOnToSuccess(
  ctx: RuleContext,
  file: SourceFile,
  node: Try,
  handler: Block,
  fn: FunctionFact,
): boolean {
  if (handler.body.length === 0 || !handler.body.every((st) => isLogOnly(ctx, file, st))) return false;
  if (lossIn(ctx.model, file, node.block)?.write !== true) return false;
  const answer = answerAfter(file, node);
  if (!answer) return false;
  const given = node.block.body.at(-1);
  const inBlock = given?.k === 'ret' && given.arg ? uncast(given.arg) : null;
  if (!inBlock) return saysSuccess(answer) && isOnlyWork(ctx, file, node, fn);
  if (saysSuccess(inBlock)) return saysSuccess(answer);
  const base = inBlock.k === 'obj' ? inBlock.props[0] : undefined;
  if (inBlock.k !== 'obj' || inBlock.props.length < 2 || base?.kind !== 'spread' || answer.k !== 'id')
    return false;
  const from = uncast(base.value.k === 'spread' ? base.value.arg : base.value);
  return from.k === 'id' && from.b === answer.b;
}

/** What the function returns when the statement ends normally and nothing else lies in between. */
function answerAfter(file: SourceFile, node: Try): Expr | null {
  let at: AnyNode = node;
  for (;;) {
    const parent = file.index.parent(at);
    const body: readonly Stmt[] =
      parent?.k === 'block'
        ? parent.body
        : !parent
          ? (file.facts.functions[file.index.functionOf(at)]?.body ?? [])
          : [];
    const here = body.indexOf(at as Stmt);
    const next = here < 0 ? undefined : body[here + 1];
    if (next) return next.k === 'ret' && next.arg ? uncast(next.arg) : null;
    if (!parent || !['block', 'if', 'try', 'label'].includes(parent.k)) return null;
    if (parent.k === 'try' && at === parent.final) return null;
    at = parent;
  }
}

/** Nothing else that the function waits for changes anything: there is no other success that the answer could tell of. */
function isOnlyWork(ctx: RuleContext, file: SourceFile, node: Try, fn: FunctionFact): boolean {
  return !fn.body.some((st) =>
    some(st, (n) => {
      if (n.k !== 'call' || (n.s >= node.s && n.e <= node.e)) return false;
      return lossOf(ctx.model, file, n)?.write === true;
    }),
  );
}

/** Work that only its `await` shows: enough where the answer itself proves that the failure is taken for a success. */
function firstAwaited(ctx: RuleContext, file: SourceFile, block: Block): Loss | null {
  let found: Loss | null = null;
  walk(block, (n) => {
    if (found || n.k !== 'await') return !found;
    const call = uncast(n.arg);
    const site = call.k === 'call' ? ctx.model.sites.at(file, call) : null;
    if (site && !isTidyName(lastName(site.node.k === 'tag' ? site.node.tag : site.node.callee)))
      found = { site, write: true, confidence: 'shown' };
    return !found;
  });
  return found;
}

function isLogOnly(ctx: RuleContext, file: SourceFile, st: Stmt): boolean {
  if (st.k !== 'expr') return false;
  const inner = st.expr.k === 'await' ? st.expr.arg : st.expr;
  return inner.k === 'call' && isLogCall(ctx.model, file, inner);
}

function saysSuccess(expr: Expr): boolean {
  if (expr.k === 'lit') return expr.value === true;
  if (expr.k !== 'obj') return false;
  return expr.props.some(
    (p) =>
      /^(?:success|ok|succeeded|delivered|sent|saved|processed)$/.test(p.key ?? '') &&
      p.value.k === 'lit' &&
      p.value.value === true,
  );
}

function sameMaker(a: Expr, b: Expr): boolean {
  return (
    a.k === 'new' &&
    b.k === 'new' &&
    a.callee.k === 'id' &&
    b.callee.k === 'id' &&
    a.callee.name === b.callee.name &&
    !/Error|Exception|Map|Set|Date|Array|Response/.test(a.callee.name)
  );
}

function usesError(file: SourceFile, node: Try, expr: Expr): boolean {
  if (!node.param) return false;
  const names = boundBy(node.param);
  return some(expr, (n) => n.k === 'id' && names.has(n.b));
}

/** The block hands a value out: it returns one, or sets a name that is declared outside of it. */
function givesValue(file: SourceFile, node: Try): boolean {
  return some(node.block, (n) => {
    if (n.k === 'ret') return n.arg !== null;
    if (n.k !== 'asg') return false;
    if (n.target.k === 'id') {
      const binding = file.facts.bindings[n.target.b];
      return binding !== undefined && (binding.s < node.block.s || binding.s > node.block.e);
    }
    return n.target.k === 'mem' || n.target.k === 'pobj' || n.target.k === 'parr';
  });
}

/** Code whose purpose is to tidy up: in a function of that name, in a `finally`, in another handler, or on the way out. */
function isTidying(
  ctx: RuleContext,
  file: SourceFile,
  node: AnyNode & { s: number; e: number },
  fn: FunctionFact,
): boolean {
  const owner = ctx.functions[ctx.model.outermost(file, fn.id)];
  if (isTidyName(fn.name) || isTidyName(owner?.name ?? null) || isHintName(owner?.name ?? null)) return true;
  if (/^(?:exists|probe|detect|tryLoad|ping|health|isAvailable|supports)/i.test(fn.name ?? '')) return true;
  for (const frame of ctx.model.frames.around(file, node, fn.id))
    if (frame.k === 'catch' || frame.k === 'finally') return true;
  return false;
}

// ---- promise handlers

function checkPromiseHandler(ctx: RuleContext, site: Site, call: Call): void {
  const { file } = ctx;
  if (call.callee.k !== 'mem') return;
  const { prop, obj } = call.callee;
  const given = prop === 'catch' ? call.args[0] : prop === 'then' ? call.args[1] : undefined;
  if (!given) return;
  const inert = inertFunction(ctx, file, given);
  if (!inert) return;
  if (
    inert.file === file &&
    (explains(commentsIn(file, inert.s, inert.e)) || explains(trailingComment(file, call.e)))
  )
    return;
  const statement = file.index.statementOf(call);
  if (statement && explainedBefore(file, statement.s)) return;
  const fn = ctx.functions[site.fn];
  if (!fn || isTidying(ctx, file, call, fn)) return;
  const loss = lossIn(ctx.model, file, obj);
  if (!loss?.write) return;
  // A second reader of a promise whose first reader sees the rejection: `p.catch(() => {})` keeps it from being unhandled.
  if (uncast(obj).k === 'id') return;
  const name = calleeName(loss.site);
  const at = { s: call.callee.ps, e: call.callee.ps + prop.length };
  ctx.report({
    at,
    ...words(name, loss, 'nothing'),
    fixes: promiseFixes(ctx, file, given, fn, name),
  });
}

interface InertFunction {
  readonly file: SourceFile;
  readonly s: number;
  readonly e: number;
}

/** A function that does nothing and gives nothing back: inline, or called `noop`. */
function inertFunction(ctx: RuleContext, file: SourceFile, expr: Expr): InertFunction | null {
  const inner = uncast(expr);
  if (inner.k !== 'fn' && inner.k !== 'id' && inner.k !== 'mem') return null;
  const value = ctx.model.values.of(file, inner);
  if (value.k !== 'fn')
    return (inner.k === 'id' || inner.k === 'mem') &&
      /^noop$/i.test(inner.k === 'id' ? inner.name : inner.prop)
      ? { file, s: inner.s, e: inner.e }
      : null;
  const fact = value.file.facts.functions[value.fn];
  if (!fact || !isInert(fact.body)) return null;
  return { file: value.file, s: fact.s, e: fact.e };
}

// ---- error-first callbacks and listeners

function checkCallback(ctx: RuleContext, site: Site, call: Call): void {
  const { file } = ctx;
  const last = call.args.at(-1);
  const inner = last ? uncast(last) : null;
  if (
    inner?.k !== 'fn' ||
    !site.effect ||
    (call.callee.k === 'mem' && /^(?:then|catch|finally)$/.test(call.callee.prop))
  )
    return;
  const fact = file.facts.functions[inner.fn];
  const param = fact?.params[0];
  if (!fact || !param || param.target.k !== 'pid' || !/^_?(?:err|error|e)$/i.test(param.target.name)) return;
  if ((file.facts.bindings[param.target.b]?.reads ?? 1) > 0 || fact.async) return;
  if (
    site.target.k === 'lib' &&
    site.target.spec.callbacks?.some((c) => c.arg === 'last' || c.arg === call.args.length - 1)
  )
    return;
  const loss = lossOf(ctx.model, file, call);
  const owner = ctx.functions[site.fn];
  if (!loss || !owner || (!loss.write && fact.params.length > 1)) return;
  if (
    isTidying(ctx, file, call, owner) ||
    explains(commentsIn(file, fact.s, fact.e)) ||
    explainedBefore(file, file.index.statementOf(call)?.s ?? call.s)
  )
    return;
  ctx.report({ at: param, ...words(calleeName(site), loss, 'nothing') });
}

/** `redis.on('error', () => {})`: keeps the process alive and hides why nothing works. */
function checkErrorListener(ctx: RuleContext, site: Site, call: Call): void {
  const { file, model } = ctx;
  if (call.callee.k !== 'mem' || !/^(?:on|once|addListener)$/.test(call.callee.prop)) return;
  const event = call.args[0];
  const given = call.args[1];
  if (event?.k !== 'lit' || event.value !== 'error' || !given) return;
  const base = model.values.of(file, call.callee.obj);
  if (base.k !== 'inst') return;
  const role = inherited(base.pack, base.type, 'role');
  if (role !== 'pool' && role !== 'client' && role !== 'connection' && role !== 'queue' && role !== 'worker')
    return;
  const inert = inertFunction(ctx, file, given);
  if (
    !inert ||
    explains(commentsIn(inert.file, inert.s, inert.e)) ||
    explainedBefore(file, file.index.statementOf(call)?.s ?? call.s)
  )
    return;
  // Quiet on purpose while tests run.
  for (const frame of model.frames.around(file, call, site.fn))
    if (
      frame.k === 'if' &&
      /\b(?:VITEST|JEST|NODE_ENV|test)/i.test(file.text.slice(frame.test.s, frame.test.e))
    )
      return;
  const name = exprName(file, call.callee.obj);
  const library = base.pack.packages[0] ?? base.pack.id;
  ctx.report({
    at: call.callee,
    message: `Errors of \`${name}\` are dropped here: when ${library} loses its server, nothing says so.`,
    trigger: `${library} loses its connection`,
    scenario: `At \`${name}\`, when the connection fails, then the listener drops the error and calls fail one by one elsewhere with no common cause in the log.`,
    detection: 'When enough calls fail elsewhere: the error itself is swallowed.',
    fix: 'Log the error in the listener.',
    anchor: `${name}.${call.callee.prop}`,
    severity: 'medium',
  });
}

// ---- words and fixes

function words(
  name: string,
  loss: Loss,
  verdict: Verdict,
): {
  message: string;
  trigger: string;
  scenario: string;
  detection: string;
  fix: string;
  anchor: string;
  confidence: 'shown' | 'assumed';
  severity: 'high' | 'medium';
} {
  const success = verdict === 'success';
  return {
    message: success
      ? `When \`${name}\` fails, this answers the caller as if it had succeeded.`
      : `When \`${name}\` fails, nothing says so: the error is caught and dropped.`,
    trigger: `\`${name}\` throws or rejects`,
    scenario: success
      ? `At \`${name}\`, when it fails, then the caller gets the answer of a success and goes on without the work being done.`
      : `At \`${name}\`, when it fails, then the code goes on as if the work were done, with no log, no metric and no error for the caller.`,
    detection: 'When a user complains or the data is compared: the error is swallowed.',
    fix: success
      ? 'Rethrow, or answer with a failure that the caller can tell.'
      : `Rethrow the failure of \`${name}\`, or log it and tell the caller.`,
    anchor: name,
    confidence: loss.confidence,
    severity: loss.write && loss.confidence === 'shown' ? 'high' : 'medium',
  };
}

export const examples: readonly RuleExample[] = [
  {
    title: 'A ledger row that is lost without a word',
    bad: `import { Pool } from 'pg';
import pino from 'pino';
const pool = new Pool();
const logger = pino();
export async function settle(orderId: string, cents: number) {
  logger.info({ orderId }, 'settling');
  try {
    await pool.query('INSERT INTO ledger (order_id, cents) VALUES ($1, $2)', [orderId, cents]);
  } catch {}
}
`,
    good: `import { Pool } from 'pg';
import pino from 'pino';
const pool = new Pool();
const logger = pino();
export async function settle(orderId: string, cents: number) {
  logger.info({ orderId }, 'settling');
  try {
    await pool.query('INSERT INTO ledger (order_id, cents) VALUES ($1, $2)', [orderId, cents]);
  } catch (error) {
    logger.error({ err: error, orderId }, 'ledger row not written');
    throw error;
  }
}
`,
    fixed: `import { Pool } from 'pg';
import pino from 'pino';
const pool = new Pool();
const logger = pino();
export async function settle(orderId: string, cents: number) {
  logger.info({ orderId }, 'settling');
  try {
    await pool.query('INSERT INTO ledger (order_id, cents) VALUES ($1, $2)', [orderId, cents]);
  } catch (error) {
    logger.error({ err: error }, 'pool.query failed');
  }
}
`,
  },
];
