/** Signatures that are checked over something other than the bytes that were signed, or when it is too late. */
import type { Call, Expr } from '../facts/ir.ts';
import { bare, some, uncast, walk } from '../facts/walk.ts';
import { exclusive, mayFollow } from '../model/paths.ts';
import type { SourceFile } from '../model/project.ts';
import type { Site } from '../model/sites.ts';
import { defineRule, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { externalSource } from './_kit/external.ts';
import { calleeName, exprName } from './_kit/text.ts';
import { isVerifying, verificationsIn, type Verification } from './_kit/verification.ts';

export const rule = defineRule({
  id: 'signature-after-parse',
  lens: 'hostile-input',
  axis: 'data-consistency',
  faultClass: 'trust',
  severity: 'high',
  blocking: true,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'The signature of a webhook is checked over a body that was parsed and written out again, behind a JSON parser that took the raw bytes, or after the payload was acted upon.',
    why: 'The sender signed bytes. Written out again, the same data has other spaces, other escapes, another order of keys or other numbers: genuine events are refused, until somebody turns the check off. And what has been done before the check has been done for whoever posted it.',
    remedy:
      'Keep the raw body (`express.raw` on the route, the `verify` hook of `express.json`, `req.text()`, `rawBody: true`), check it first and parse it then.',
    whenNot: 'The provider signs the re-written form by contract.',
  },
  incidents: ['forged-input'],
  fixKind: 'none',
  detect(ctx) {
    if (
      !/createHmac|constructEvent|webhooks?\.(?:verify|unwrap)|verif\w*\(|validate\w*\(/i.test(ctx.file.text)
    )
      return;
    for (const fn of ctx.functions) {
      for (const found of verificationsIn(ctx, ctx.sites, fn.id)) checkPayload(ctx, found);
    }
    for (const ref of ctx.units)
      if (ref.file === ctx.file && (ref.unit.kind === 'webhook' || ref.unit.kind === 'http'))
        checkOrder(ctx, ref.fn);
  },
});

const DETECTION =
  "By the provider's list of failed deliveries: here a refused event looks like a forged one.";

function checkPayload(ctx: RuleContext, found: Verification): void {
  const { file } = ctx;
  const { site, payload } = found;
  if (site.node.k !== 'call') return;
  const again = rewritten(file, payload);
  if (again && isIncoming(ctx, again.arg, site)) {
    const name = exprName(file, again.arg);
    ctx.report({
      at: again.call,
      message: `The signature is checked over \`JSON.stringify(${name})\`, not over the bytes that were signed: a genuine event that was written differently is refused.`,
      trigger: 'the sender writes JSON with other spaces, escapes or numbers',
      scenario: `At \`${calleeName(site)}\`, when the body was not written exactly as \`JSON.stringify\` writes it, then the signature does not match and the event is refused.`,
      detection: DETECTION,
      fix: 'Check the raw body, then parse it.',
      anchor: `JSON.stringify(${name})`,
    });
    return;
  }
  if (found.by !== 'provider') return;
  const parser = parserAhead(ctx, payload, site);
  if (!parser) return;
  ctx.report({
    at: payload,
    message: `\`${calleeName(site)}\` is given a body that ${parser} has parsed: the signature never matches and every event is refused.`,
    trigger: 'the first event',
    scenario: `At \`${calleeName(site)}\`, when an event comes in, then the body is an object by then and the check fails.`,
    detection: DETECTION,
    fix: 'Give this route the raw body.',
    anchor: exprName(file, payload),
  });
}

/** `JSON.stringify(body)` that the payload is, holds, or was made by. */
function rewritten(file: SourceFile, payload: Expr, depth = 0): { call: Call; arg: Expr } | null {
  if (depth > 4) return null;
  const inner = bare(uncast(payload));
  if (inner.k === 'call') {
    const name = file.text.slice(inner.callee.s, inner.callee.e);
    const arg = inner.args[0];
    if (name === 'JSON.stringify' && arg && inner.args.length === 1) return { call: inner, arg };
    if (name === 'Buffer.from' && arg) return rewritten(file, arg, depth + 1);
    return null;
  }
  if (inner.k === 'tmpl') {
    for (const part of inner.exprs) {
      const found = rewritten(file, part, depth + 1);
      if (found) return found;
    }
    return null;
  }
  if (inner.k === 'bin' && inner.op === '+')
    return rewritten(file, inner.l, depth + 1) ?? rewritten(file, inner.r, depth + 1);
  if (inner.k === 'id') {
    const decl = file.facts.bindings[inner.b]?.decl;
    return decl?.k === 'init' && decl.path.length === 0 ? rewritten(file, decl.init, depth + 1) : null;
  }
  return null;
}

/** The whole of what came in; a part of it, or something put together here, is signed by contract. */
function isIncoming(ctx: RuleContext, arg: Expr, site: Site): boolean {
  const { file } = ctx;
  const inner = bare(uncast(arg));
  if (inner.k === 'mem')
    return (
      inner.prop === 'body' &&
      /^(?:req|request|ctx\.request|c\.req|event|ctx)$/.test(exprName(file, inner.obj))
    );
  if (inner.k !== 'id') return false;
  const decl = file.facts.bindings[inner.b]?.decl;
  if (decl?.k === 'init') {
    const init = bare(uncast(decl.init));
    if (init.k === 'call' && init.callee.k === 'mem' && init.callee.prop === 'json' && init.args.length === 0)
      return externalSource(ctx, file, init)?.kind === 'request';
    return (
      (decl.path.length === 1 && decl.path[0] === 'body' && /^(?:req|request)$/.test(exprName(file, init))) ||
      (decl.path.length === 0 && init.k === 'mem' && isIncoming(ctx, init, site))
    );
  }
  // A decorated parameter of a controller: `@Body() body`.
  if (decl?.k === 'param' && decl.path.length === 0)
    return (file.facts.functions[decl.fn]?.params[decl.index]?.decorators ?? []).some((d) =>
      /^@?Body\(\)/.test(file.text.slice(d.s, d.e)),
    );
  return false;
}

/** What parses the body before the handler of a unit sees it; null where the raw bytes are kept or that cannot be told. */
function parserAhead(ctx: RuleContext, payload: Expr, site: Site): string | null {
  const { file } = ctx;
  const inner = bare(uncast(payload));
  if (
    inner.k === 'call' &&
    inner.callee.k === 'mem' &&
    inner.callee.prop === 'json' &&
    inner.args.length === 0
  )
    return externalSource(ctx, file, inner)?.kind === 'request' ? '`json()`' : null;
  if (inner.k !== 'mem' || inner.prop !== 'body') return null;
  const unit = ctx.units.find((u) => u.file === file && within(file, site.fn, u.fn));
  if (!unit) return null;
  if (unit.unit.framework === 'next-pages' || /(?:^|\/)pages\/api\//.test(file.path))
    return /bodyParser\s*:\s*false/.test(file.text) || unit.unit.file !== file.path ? null : 'Next.js';
  if (/rawBody|raw\(|verify\s*[:(]/.test(file.text)) return null;
  // `app.use(express.json())` in the same file, before the route and on the same app.
  const registration = ctx.sites.find((s) => s.node.k === 'call' && s.node.s === unit.unit.startOffset)?.node;
  if (registration?.k !== 'call' || registration.callee.k !== 'mem') return null;
  const app = exprName(file, registration.callee.obj);
  const json = ctx.sites.find(
    (s) =>
      s.node.k === 'call' &&
      s.node.callee.k === 'mem' &&
      s.node.callee.prop === 'use' &&
      s.node.args.length === 1 &&
      exprName(file, s.node.callee.obj) === app &&
      s.node.s < registration.s &&
      /^(?:express|bodyParser)\.json\(\s*(?:\{\s*limit[^}]*\})?\s*\)$/.test(
        file.text.slice(s.node.args[0]?.s, s.node.args[0]?.e),
      ),
  );
  return json?.node.k === 'call'
    ? `\`${file.text.slice(json.node.args[0]?.s, json.node.args[0]?.e)}\``
    : null;
}

function within(file: SourceFile, fn: number, outer: number): boolean {
  for (let at = fn; at > 0; at = file.facts.functions[at]?.parent ?? 0) if (at === outer) return true;
  return false;
}

/** Something is written or sent out with the payload before the first check of the same function. */
function checkOrder(ctx: RuleContext, fn: number): void {
  const { file, model } = ctx;
  const sites = model.sites.of(file, fn);
  const checks = sites.filter(
    (s) =>
      s.node.k === 'call' &&
      isVerifying(file, s.node) &&
      /sig|hmac|webhook|header/i.test(file.text.slice(s.node.s, s.node.e)),
  );
  const first = checks[0];
  if (!first || first.node.k !== 'call') return;
  // A check that throws or leaves: what comes after it is safe.
  const before = sites.find(
    (s) =>
      s.node.s < first.node.s &&
      s.node.e <= first.node.s &&
      s.effect?.write === true &&
      s.effect.confidence === 'shown' &&
      /^(?:db|queue|mail|sdk|http)$/.test(s.effect.kind) &&
      !s.effect.spec.bestEffort &&
      !/log|audit|event|delivery|received/i.test(s.effect.entity ?? '') &&
      mayFollow(file, s.node, first.node) &&
      !exclusive(file, s.node, first.node) &&
      usesPayload(ctx, s),
  );
  if (!before || before.node.k === 'tag') return;
  const name = calleeName(before);
  ctx.report({
    at: before.node.callee,
    message: `\`${name}\` acts on the payload before \`${calleeName(first)}\` has told whether it is genuine.`,
    trigger: 'somebody other than the provider posts a payload',
    scenario: `At \`${name}\`, when a forged payload comes in, then it has been acted upon by the time the check refuses it.`,
    detection:
      'When a user complains or the data is compared: the forged request is answered with an error all the same.',
    fix: 'Check the signature first.',
    anchor: name,
  });
}

function usesPayload(ctx: RuleContext, site: Site): boolean {
  const { file } = ctx;
  if (site.node.k === 'tag') return false;
  let found = false;
  for (const arg of site.node.args)
    walk(arg, (n) => {
      if (
        (n.k === 'id' || n.k === 'mem') &&
        externalSource(ctx, file, n)?.kind === 'request' &&
        !some(n, (x) => x.k === 'mem' && /^(?:headers|params|query)$/.test(x.prop))
      )
        found = true;
      return !found;
    });
  return found;
}

export const examples: readonly RuleExample[] = [
  {
    title: 'A body that was parsed and written again',
    bad: `import express from 'express';
import { createHmac, timingSafeEqual } from 'node:crypto';
const app = express();
app.post('/webhooks/parcels', express.json(), (req, res) => {
  const expected = createHmac('sha256', 'secret').update(JSON.stringify(req.body)).digest();
  if (!timingSafeEqual(expected, Buffer.from(String(req.get('x-signature')), 'hex'))) return res.sendStatus(401);
  res.sendStatus(204);
});
`,
    good: `import express from 'express';
import { createHmac, timingSafeEqual } from 'node:crypto';
const app = express();
app.post('/webhooks/parcels', express.raw({ type: '*/*' }), (req, res) => {
  const expected = createHmac('sha256', 'secret').update(req.body).digest();
  if (!timingSafeEqual(expected, Buffer.from(String(req.get('x-signature')), 'hex'))) return res.sendStatus(401);
  res.sendStatus(204);
});
`,
  },
];
