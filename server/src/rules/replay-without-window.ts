/** Signed messages that stay valid for ever. */
import type { Expr } from '../facts/ir.ts';
import { bare, some, uncast } from '../facts/walk.ts';
import type { SourceFile } from '../model/project.ts';
import type { Site } from '../model/sites.ts';
import { numberOf } from '../model/options.ts';
import { defineRule, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { calleeName } from './_kit/text.ts';
import { verificationsIn, type Verification } from './_kit/verification.ts';

export const rule = defineRule({
  id: 'replay-without-window',
  lens: 'hostile-input',
  axis: 'data-consistency',
  faultClass: 'trust',
  severity: 'medium',
  blocking: false,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'A signature covers a timestamp, and nothing looks at how old that timestamp is.',
    why: 'The sender signs the time so that a message that was recorded once cannot be sent again. Without a look at it, whoever got hold of one genuine request, from a log or a proxy, repeats it for as long as the secret lives.',
    remedy:
      'Refuse what is older than a few minutes, after the signature has been checked; or remember the id of each message.',
    whenNot: 'Each message id is claimed before its effects, so that a second one changes nothing.',
  },
  incidents: ['forged-input', 'duplicate-delivery'],
  fixKind: 'none',
  detect(ctx) {
    if (!/createHmac|constructEvent/.test(ctx.file.text)) return;
    for (const fn of ctx.functions)
      for (const found of verificationsIn(ctx, ctx.sites, fn.id)) {
        if (found.by === 'hmac') checkHmac(ctx, found);
        else checkTolerance(ctx, found.site);
      }
  },
});

const TIME = /time_?stamp|(?:^|[a-z_.])ts$|^t$|issued_?at|sent_?at|signed_?at|(?:^|_|[a-z])[tT]ime$/i;
const AGE =
  /Date\.now\(|new Date\(|dayjs\(|moment\(|DateTime\.|performance\.now|toleran|\bmax_?age\b|differenceIn|isBefore|isAfter|isExpired|window|tooOld|stale|\bage\b|expire|freshness|replay|nonce/i;

function checkHmac(ctx: RuleContext, found: Verification): void {
  const { file } = ctx;
  const stamp = stampIn(file, found.payload, 0);
  if (!stamp) return;
  const outer = ctx.model.outermost(file, found.site.fn);
  const fact = file.facts.functions[outer];
  const own = file.facts.functions[found.site.fn];
  if (!fact || !own) return;
  if (AGE.test(file.text.slice(fact.s, fact.e))) return;
  // The age may be looked at, or the id claimed, by who calls it, or by what it calls.
  const units = ctx.unitsReaching(outer);
  if (
    ctx.file.facts.functions.some(
      (f) =>
        f.id !== 0 && AGE.test(f.name ?? '') && /age|toleran|stale|replay|expire|fresh/i.test(f.name ?? ''),
    )
  )
    return;
  for (const unit of units.slice(0, 6)) {
    const reached = ctx.model.reach(unit.file, unit.fn);
    const handler = unit.file.facts.functions[unit.fn];
    if (handler && AGE.test(unit.file.text.slice(handler.s, handler.e))) return;
    if (reached.some((r) => claims(r.site))) return;
    if (
      reached.some((r) => {
        const f = r.site.file.facts.functions[r.site.fn];
        return (
          f !== undefined &&
          f.id !== 0 &&
          /toleran|max_?age|tooOld|replay|nonce/i.test(r.site.file.text.slice(f.s, f.e))
        );
      })
    )
      return;
  }
  if (calledWithAge(ctx, outer)) return;
  const name = calleeName(found.site);
  ctx.report({
    at: stamp,
    message: `The signature covers \`${file.text.slice(stamp.s, stamp.e)}\` but nothing asks how old it is: a recorded request passes for ever.`,
    trigger: 'a genuine request is sent once more, long after',
    scenario: `At \`${name}\`, when a recorded request comes in again, then its signature still matches and it is acted upon again.`,
    detection: 'When a user complains or the data is compared: a repeated request is a genuine one.',
    fix: 'Refuse a timestamp that is older than a few minutes.',
    anchor: name,
    ...(units.length > 0 ? {} : { confidence: 'assumed' as const }),
  });
}

/** The part of the signed text that is a time which came with the request. */
function stampIn(file: SourceFile, payload: Expr, depth: number): Expr | null {
  if (depth > 4) return null;
  const inner = bare(uncast(payload));
  if (inner.k === 'tmpl') {
    if (inner.exprs.length < 2) return null;
    return inner.exprs.find((x) => isStamp(file, x)) ?? null;
  }
  if (inner.k === 'bin' && inner.op === '+') {
    const parts: Expr[] = [];
    const collect = (e: Expr): void => {
      const at = uncast(e);
      if (at.k === 'bin' && at.op === '+') {
        collect(at.l);
        collect(at.r);
      } else parts.push(at);
    };
    collect(inner);
    return parts.length > 1 ? (parts.find((x) => isStamp(file, x)) ?? null) : null;
  }
  if (inner.k === 'call' && inner.callee.k === 'mem' && inner.callee.prop === 'join') {
    const list = bare(uncast(inner.callee.obj));
    return list.k === 'arr' ? (list.items.find((x) => isStamp(file, x)) ?? null) : null;
  }
  if (inner.k === 'id') {
    const decl = file.facts.bindings[inner.b]?.decl;
    return decl?.k === 'init' && decl.path.length === 0 ? stampIn(file, decl.init, depth + 1) : null;
  }
  return null;
}

function isStamp(file: SourceFile, expr: Expr): boolean {
  const inner = bare(uncast(expr));
  const name = inner.k === 'id' ? inner.name : inner.k === 'mem' ? inner.prop : null;
  if (name === null || !TIME.test(name)) return false;
  if (inner.k !== 'id') return true;
  const decl = file.facts.bindings[inner.b]?.decl;
  // A time that is taken here belongs to what is sent out.
  return !(
    decl?.k === 'init' &&
    some(
      decl.init,
      (n) =>
        (n.k === 'call' || n.k === 'new') &&
        /Date|now|time/i.test(file.text.slice(n.callee.s, n.callee.e)) &&
        !/header|get/i.test(file.text.slice(n.s, n.e)),
    )
  );
}

/** A claim on the message: a row or key that only the first one makes. */
function claims(site: Site): boolean {
  const { effect } = site;
  return (
    (effect?.kind === 'db' || effect?.kind === 'cache') &&
    (/event|delivery|message|webhook|idempot|nonce|processed|inbox/i.test(effect.entity ?? '') ||
      (effect.kind === 'cache' && /\bNX\b|setnx/i.test(site.file.text.slice(site.node.s, site.node.e))))
  );
}

/** A caller in this file looks at the time before or after. */
function calledWithAge(ctx: RuleContext, fn: number): boolean {
  return ctx.model.sites.callersIn(ctx.file, ctx.file, fn).some((s) => {
    const caller = ctx.file.facts.functions[ctx.model.outermost(ctx.file, s.fn)];
    return caller !== undefined && caller.id !== 0 && AGE.test(ctx.file.text.slice(caller.s, caller.e));
  });
}

/** `constructEvent(body, header, secret, 0)`: no age is looked at. */
function checkTolerance(ctx: RuleContext, site: Site): void {
  if (site.node.k !== 'call' || site.target.k !== 'lib' || site.target.pack.id !== 'stripe') return;
  const given = site.node.args[3];
  if (!given) return;
  const seconds = numberOf(ctx.model.values, site.file, given);
  if (seconds === null || (seconds > 0 && seconds <= 86_400)) return;
  const name = calleeName(site);
  ctx.report({
    at: given,
    message: `With a tolerance of ${seconds === Infinity ? 'infinity' : `${seconds} s`} \`${name}\` accepts a recorded event ${seconds > 0 && seconds !== Infinity ? 'for that long' : 'for ever'}.`,
    trigger: 'a genuine event is sent once more, long after',
    scenario: `At \`${name}\`, when a recorded event comes in again, then it is acted upon again.`,
    detection: 'When a user complains or the data is compared: a repeated event is a genuine one.',
    fix: 'Leave the tolerance at its default of five minutes.',
    anchor: name,
  });
}

export const examples: readonly RuleExample[] = [
  {
    title: 'A timestamp that is signed and never read',
    bad: `import express from 'express';
import { createHmac, timingSafeEqual } from 'node:crypto';
const app = express();
app.post('/webhooks/calls', express.raw({ type: '*/*' }), (req, res) => {
  const timestamp = String(req.get('x-timestamp'));
  const expected = createHmac('sha256', 'secret').update(\`\${timestamp}.\${req.body}\`).digest('hex');
  if (!timingSafeEqual(Buffer.from(expected), Buffer.from(String(req.get('x-signature'))))) return res.sendStatus(401);
  res.sendStatus(204);
});
`,
    good: `import express from 'express';
import { createHmac, timingSafeEqual } from 'node:crypto';
const app = express();
app.post('/webhooks/calls', express.raw({ type: '*/*' }), (req, res) => {
  const timestamp = String(req.get('x-timestamp'));
  const expected = createHmac('sha256', 'secret').update(\`\${timestamp}.\${req.body}\`).digest('hex');
  if (!timingSafeEqual(Buffer.from(expected), Buffer.from(String(req.get('x-signature'))))) return res.sendStatus(401);
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > 300) return res.sendStatus(401);
  res.sendStatus(204);
});
`,
  },
];
