/** A check that lets everybody through when it cannot be made. */
import type { Block, Expr, FunctionFact, Stmt, Try } from '../facts/ir.ts';
import { some, uncast, walk } from '../facts/walk.ts';
import { exits } from '../model/frames.ts';
import type { SourceFile } from '../model/project.ts';
import { catchKeyword } from './_kit/logFixes.ts';
import { explainedBefore, explains } from './_kit/reasons.ts';
import { defineRule, type RuleContext, type RuleExample } from './_kit/rule.ts';

export const rule = defineRule({
  id: 'fail-open-catch',
  lens: 'hostile-input',
  axis: 'none',
  faultClass: 'trust',
  severity: 'critical',
  blocking: true,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'The check of a permission, session, signature, ban or limit fails, and the handler of that failure answers "allowed".',
    why: 'Whoever can make the check fail, by a malformed token or by loading the store behind it, gets in. And while that store is down, everybody does: no limit holds and no ban counts, with nothing but a log line to show for it.',
    remedy: 'Answer "denied" when the check cannot be made, or let the error out.',
    whenNot: 'A limit that is meant to let requests through while its store is down: say so in a comment.',
  },
  incidents: ['auth-bypass', 'swallowed-error'],
  fixKind: 'none',
  detect(ctx) {
    for (const fn of ctx.functions)
      for (const node of ctx.file.index.tries[fn.id] ?? []) check(ctx, node, fn);
  },
});

/** What is checked, by words of the name. `Limit` last: it weighs less. */
const GRANTS =
  /(?:authori[sz]|authenticat|allow|permi(?:t|ssion)|access|signature|hmac|token|session|admin|owner|(?:^|[a-z_])[rR]ole|scope|csrf|captcha|turnstile|entitle|licen[sc]e|trust|credential|password|secret|grant|privilege)/i;
const LIMITS = /rate_?limit|throttl|quota|limit(?:er)?(?:Check|Ok|Reached|Exceeded)?$|within_?limit/i;
/** Names that answer true for "let through". */
const POSITIVE =
  /^(?:_?)(?:is|are|has|have|can|may|check|verify|validate|authori[sz]e|authenticate|allow|ensure|assert|enforce|require|guard|does|matches|evaluate)(?:[A-Z_]|$)/;
/** Names that answer true for "keep out". */
const NEGATIVE =
  /^(?:_?)(?:is|are|was|has|check|check(?:If)?(?:Is)?)_?\w*?(?:Blocked|Banned|Revoked|RateLimited|Throttled|LimitExceeded|LimitReached|QuotaExceeded|OverLimit|OverQuota|Denied|Forbidden|Blacklisted|Denylisted|Suspended|Locked(?:Out)|Disposable|Replayed?)(?:[A-Z]\w*)?$/;

const YES =
  /^(?:allowed?|authori[sz]ed|isAuthori[sz]ed|isAllowed|permitted|granted|valid|isValid|verified|isVerified|authenticated|isAuthenticated|hasAccess|canAccess|hasPermission|success|ok|pass(?:ed)?)$/;
const NO =
  /^(?:blocked|isBlocked|banned|isBanned|revoked|limited|isLimited|rateLimited|isRateLimited|limitReached|exceeded|denied|forbidden)$/;

function check(ctx: RuleContext, node: Try, fn: FunctionFact): void {
  const { file, model } = ctx;
  const { handler } = node;
  if (!handler) return;
  if (!some(node.block, (n) => n.k === 'call')) return;
  if (explains(node.handlerComment) || explainedBefore(file, node.s)) return;
  // A log line that says so is a decision.
  if (
    /fail(?:s|ing|ed)?[- _]?open|allow(?:ing|ed)|let(?:ting)? .{0,20}through|bypass|skip(?:ping)?/i.test(
      textOf(file, handler),
    )
  )
    return;
  const owner = ctx.functions[model.outermost(file, fn.id)];
  const name = fn.name ?? owner?.name ?? null;
  const answer = name ? grantedByValue(file, handler, name, node) : null;
  if (answer && name) {
    const weight = LIMITS.test(name) ? 'medium' : GRANTS.test(name) ? 'critical' : 'high';
    report(ctx, node, name, weight, `\`${name}\` answers ${answer}`);
    return;
  }
  checkMiddleware(ctx, node, handler, fn);
}

/** `catch { return true }` in `isAllowed`, `catch { return false }` in `isBanned`, `{ allowed: true }` anywhere. */
function grantedByValue(file: SourceFile, handler: Block, name: string, node: Try): string | null {
  const back = handler.body.at(-1);
  if (back?.k !== 'ret' || !back.arg) return null;
  // A handler that looks at the error tells one failure from another.
  if (some(handler, (n) => n.k === 'throw' || n.k === 'if' || n.k === 'cond' || n.k === 'switch'))
    return null;
  const value = uncast(back.arg);
  const about = GRANTS.test(name) || LIMITS.test(name);
  if (value.k === 'lit' && value.kind === 'boolean') {
    if (NEGATIVE.test(name)) return value.value === false && answers(node.block, true) ? '`false`' : null;
    return value.value === true && about && POSITIVE.test(name) && answers(node.block, false)
      ? '`true`'
      : null;
  }
  if (value.k !== 'obj' || !about) return null;
  if (value.props.some((p) => /^(?:error|errors|reason|failed)$/.test(p.key ?? ''))) return null;
  for (const p of value.props) {
    if (p.value.k !== 'lit' || p.value.kind !== 'boolean' || p.key === null) continue;
    if (YES.test(p.key) && p.value.value === true && decides(file, node.block, p.key))
      return `\`${p.key}: true\``;
    if (NO.test(p.key) && p.value.value === false && decides(file, node.block, p.key))
      return `\`${p.key}: false\``;
  }
  return null;
}

/** On success the block can answer the other thing: a literal that keeps out, or a value that is computed. */
function answers(block: Block, literal: boolean): boolean {
  let other = false;
  walk(block, (n) => {
    if (n.k !== 'ret' || !n.arg) return;
    const arg = uncast(n.arg);
    if (arg.k === 'lit') other ||= arg.value === literal;
    else other = true;
  });
  return other;
}

function decides(file: SourceFile, block: Block, key: string): boolean {
  return some(
    block,
    (n) =>
      n.k === 'ret' &&
      n.arg !== null &&
      some(
        n.arg,
        (m) =>
          m.k === 'obj' &&
          m.props.some(
            (p) => p.key === key && !(p.value.k === 'lit' && p.value.value === true && YES.test(key)),
          ),
      ),
  );
}

// ---- middleware

const DENIES = /\b(?:401|403|429)\b|Unauthori[sz]ed|Forbidden|TooManyRequests|AccessDenied|NotAllowed/;

/**
 * The block turns requests away (401, 403, 429) and its handler lets them go on: by `next()`, or by coming to its end
 * while the function goes on.
 */
function checkMiddleware(ctx: RuleContext, node: Try, handler: Block, fn: FunctionFact): void {
  const { file } = ctx;
  const denial = deniesIn(file, node.block);
  if (!denial) return;
  if (some(handler, (n) => n.k === 'throw' || n.k === 'if' || n.k === 'switch')) return;
  if (DENIES.test(file.text.slice(handler.s, handler.e))) return;
  const goes = goesOn(file, handler, fn);
  if (!goes) return;
  report(ctx, node, fn.name, denial === '429' ? 'medium' : 'critical', goes);
}

function deniesIn(file: SourceFile, block: Block): '401' | '403' | '429' | null {
  let found: '401' | '403' | '429' | null = null;
  for (const st of block.body)
    walk(st, (n) => {
      if (found || (n.k !== 'ret' && n.k !== 'expr' && n.k !== 'throw')) return;
      const text = file.text.slice(n.s, n.e);
      if (text.length > 400 || !DENIES.test(text)) return;
      if (n.k === 'expr' && !/\.(?:status|sendStatus|code|writeHead)\s*\(/.test(text)) return;
      found = /429|TooMany/.test(text) ? '429' : /403|Forbidden|Denied|NotAllowed/.test(text) ? '403' : '401';
    });
  return found;
}

/** How a request goes on after the handler; null when it does not, or when that cannot be told. */
function goesOn(file: SourceFile, handler: Block, fn: FunctionFact): string | null {
  const next = fn.params.length >= 2 ? fn.params.at(-1) : undefined;
  const binding = next?.target.k === 'pid' && /^next$/i.test(next.target.name) ? next.target.b : -1;
  if (binding < 0) return null;
  const passes = (body: readonly Stmt[]): boolean =>
    body.some((st) =>
      some(st, (n) => n.k === 'call' && n.args.length === 0 && n.callee.k === 'id' && n.callee.b === binding),
    );
  // `optionalAuth` and the like only fill in who is asking.
  if (/optional|maybe|attach|populate|load|soft|try/i.test(fn.name ?? '')) return null;
  if (setsNobody(handler)) return null;
  if (passes(handler.body)) return '`next()` lets the request through';
  if (exits(handler.body) || mentions(handler, binding)) return null;
  const last = fn.body.at(-1);
  return last && last.s > handler.e && passes([last]) && !exits(handler.body)
    ? 'the request goes on to `next()`'
    : null;
}

function mentions(node: Stmt, binding: number): boolean {
  return some(node, (n) => n.k === 'id' && n.b === binding);
}

/** `req.user = null`: the request goes on as nobody's. */
function setsNobody(handler: Block): boolean {
  return some(handler, (n) => n.k === 'asg' && n.target.k === 'mem' && isNobody(n.value));
}

function isNobody(expr: Expr): boolean {
  const inner = uncast(expr);
  return (
    (inner.k === 'lit' && (inner.kind === 'null' || inner.value === false)) ||
    (inner.k === 'id' && inner.name === 'undefined')
  );
}

function textOf(file: SourceFile, node: Block): string {
  return file.text.slice(node.s, node.e).replace(/\ballowed\s*:/g, '');
}

function report(
  ctx: RuleContext,
  node: Try,
  name: string | null,
  weight: 'critical' | 'high' | 'medium',
  how: string,
): void {
  const limit = weight === 'medium';
  const what = name ? `\`${name}\`` : 'the check';
  ctx.report({
    at: catchKeyword(ctx.file, node),
    message: limit
      ? `While the limit cannot be checked, ${how}: nobody is limited.`
      : `When the check itself fails, ${how}: whoever makes it fail is let in.`,
    trigger: limit
      ? 'the store behind the limit is down or slow'
      : 'the check throws: bad input, or what it asks is down',
    scenario: `At ${what}, when the check throws, then the answer is the one for those who passed it.`,
    detection: 'By whoever looks into the damage: requests succeed and nothing fails.',
    fix: 'Answer "denied" where the check fails, or let the error out.',
    anchor: name ?? 'catch',
    severity: weight,
  });
}

export const examples: readonly RuleExample[] = [
  {
    title: 'A permission that everybody has while the database is down',
    bad: `import { Pool } from 'pg';
const pool = new Pool();
export async function hasPermission(userId: string, action: string) {
  try {
    const found = await pool.query('SELECT 1 FROM grants WHERE user_id = $1 AND action = $2', [userId, action]);
    return found.rowCount === 1;
  } catch (error) {
    console.error('permission check failed', userId, error);
    return true;
  }
}
`,
    good: `import { Pool } from 'pg';
const pool = new Pool();
export async function hasPermission(userId: string, action: string) {
  try {
    const found = await pool.query('SELECT 1 FROM grants WHERE user_id = $1 AND action = $2', [userId, action]);
    return found.rowCount === 1;
  } catch (error) {
    console.error('permission check failed', userId, error);
    return false;
  }
}
`,
  },
];
