/** A webhook that acts on what anybody can send. */
import type { Call, Expr, FunctionFact } from '../facts/ir.ts';
import { some, uncast, walk, type AnyNode } from '../facts/walk.ts';
import type { Reached } from '../model/model.ts';
import type { SourceFile } from '../model/project.ts';
import type { Site } from '../model/sites.ts';
import type { UnitRef } from '../units/discover.ts';
import { lastName } from './_kit/promises.ts';
import { defineRule, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { soundsSecret } from './_kit/secrets.ts';
import { calleeName, exprName } from './_kit/text.ts';

export const rule = defineRule({
  id: 'unverified-webhook',
  lens: 'hostile-input',
  axis: 'data-consistency',
  faultClass: 'trust',
  severity: 'critical',
  blocking: true,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'A webhook endpoint changes data or calls others by what its payload says, and nothing on the way checks a signature, token or secret: not in the handler, not in what it calls, not in a wrapper or middleware.',
    why: 'The address of a webhook is no secret. Anybody who knows or guesses it can post "payment succeeded" or "user deleted", and the endpoint does as told.',
    remedy:
      "Verify the provider's signature over the raw body before anything else, with the provider's own library where there is one, and answer 400 when it does not match.",
    whenNot:
      'The endpoint is reachable from inside only, or it uses the payload as a hint and reads the truth back from the provider.',
  },
  incidents: ['forged-input'],
  fixKind: 'none',
  detect(ctx) {
    for (const ref of ctx.units) check(ctx, ref);
    if (/\bhandler\b/.test(ctx.file.text) && /Integration|HandlerProps/.test(ctx.file.text))
      for (const fn of ctx.functions) checkIntegration(ctx, fn);
  },
});

function check(ctx: RuleContext, ref: UnitRef): void {
  const { unit } = ref;
  if (unit.kind !== 'webhook' || (unit.method !== null && unit.method !== 'POST' && unit.method !== 'PUT'))
    return;
  // A callback that a browser is sent back to carries a code or state, and is checked against the session.
  if (/oauth|sso|saml|oidc|login|auth\/|signin/i.test(unit.route ?? '')) return;
  // A secret part of the address is a check of its own.
  if (/[:[{][^/]*(?:token|secret|key|signature|hash)/i.test(unit.route ?? '')) return;
  const { model } = ctx;
  const fact = ref.file.facts.functions[ref.fn];
  if (!fact || fact.id === 0 || !readsPayload(ref)) return;
  const reached = model.reach(ref.file, ref.fn);
  const act = reached.find((r) => actsOutside(r.site));
  if (!act) return;
  if (reached.some((r) => checksCaller(r))) return;
  if (checksInline(ref) || readsBack(reached, act) || managesWebhooks(reached)) return;
  if (guardedOutside(ctx, ref)) return;
  const what = calleeName(act.via[0]?.file === ref.file ? act.via[0] : act.site);
  const at = anchorOf(ctx, ref);
  if (!at) return;
  ctx.report({
    at,
    message: `Whoever knows the address can post to ${unit.name}, and \`${what}\` acts on it: nothing checks who sent it.`,
    trigger: 'somebody other than the provider posts a payload of its shape',
    scenario: `At ${unit.name}, when a forged payload comes in, then \`${what}\` runs as if the provider had sent it.`,
    detection: 'When a user complains or the data is compared: a forged event looks like a real one.',
    fix: "Verify the provider's signature over the raw body before acting.",
    anchor: unit.name,
    path: [...act.via, act.site],
    ...(act.site.effect?.confidence === 'assumed'
      ? { confidence: 'assumed' as const, severity: 'high' as const }
      : {}),
  });
}

// ---- handlers that an integration platform calls

/** The function is the `handler` of an integration: by the type it is given, or as a part of `new …Integration({…})`. */
function isIntegrationHandler(file: SourceFile, fn: FunctionFact): boolean {
  if (fn.name !== 'handler' || fn.params.length === 0) return false;
  const declared = file.text.slice(Math.max(0, fn.s - 120), fn.bs);
  if (/\bhandler\s*:\s*[\w$.]*Integration\w*\[['"]handler['"]\]\s*=/.test(declared)) return true;
  if (/\bhandler\b[^;]*[(:]\s*(?:\{[^}]*\}|\w+)\s*:\s*(?:[\w$]+\.)?\w*HandlerProps\b/.test(declared))
    return true;
  for (let at = file.index.holder(fn.id); at; at = file.index.parent(at) as typeof at)
    if ((at as AnyNode).k === 'new') return /(?:^|\.)\w*Integration$/.test(calleeText(file, at as AnyNode));
  return false;
}

function calleeText(file: SourceFile, node: AnyNode): string {
  return node.k === 'new' ? file.text.slice(node.callee.s, node.callee.e) : '';
}

const INTEGRATION_CHECKS =
  /signature|\bhmac|createHmac|timingSafeEqual|(?<!url_)verif(?:y|ie[ds]|ier|ication)|\bjwt|(?:webhook|signing|shared|verify)_?(?:secret|token|key)|headers?\??[.[(]+['"`\w-]*(?:secret|token|auth|key)[\w-]*(?!\w*['"`\])]*\s*=[^=])|svix|\bauthenticate\w*\(|isAuthorized|validate(?:Webhook|Request)|secret(?:Key)?\s*[!=]==?|[!=]==?\s*[\w$.]*secret/i;

/** The body of the request is parsed and acted upon, and no line on the way looks at a signature or a secret. */
function checkIntegration(ctx: RuleContext, fn: FunctionFact): void {
  const { file, model } = ctx;
  if (!isIntegrationHandler(file, fn) || /oauth|login/i.test(file.path)) return;
  const seen = new Set<FunctionFact>([fn]);
  const texts = [file.text.slice(fn.s, fn.e)];
  const add = (of: SourceFile, id: number): void => {
    const fact = of.facts.functions[id];
    if (!fact || id === 0 || seen.has(fact)) return;
    seen.add(fact);
    texts.push(of.text.slice(fact.s, fact.e));
  };
  const reached = model.reach(file, fn.id);
  for (const { site } of reached) {
    add(site.file, site.fn);
    if (site.target.k === 'fn') add(site.target.value.file, site.target.value.fn);
    // What is imported and cannot be read may be the check itself.
    else if (site.node.k === 'call' && INTEGRATION_CHECKS.test(exprName(site.file, site.node.callee))) return;
  }
  if (!texts.some((t) => /\breq(?:uest)?\??\.body\b|\brawBody\b|[{,]\s*body\s*[,}]/.test(t))) return;
  if (!/\bawait\b|\breturn\s+\w[\w.]*\(/.test(texts[0] ?? '')) return;
  if (texts.some((t) => INTEGRATION_CHECKS.test(t))) return;
  const name = fn.name ?? 'handler';
  // Where the payload is first taken for what it says, else the handler's name.
  const taken = ctx.sites.find(
    (x) =>
      x.fn === fn.id &&
      x.node.k === 'call' &&
      /parse/i.test(lastName(x.node.callee) ?? '') &&
      /body/i.test(x.node.args.map((a) => file.text.slice(a.s, a.e)).join()),
  )?.node;
  const head =
    taken?.k === 'call' ? taken.callee : fn.ne > fn.ns ? { s: fn.ns, e: fn.ne } : { s: fn.s, e: fn.s + 1 };
  ctx.report({
    at: head,
    message: `Whoever knows the address can post to \`${name}\`, and it acts on what they send: nothing checks who sent it.`,
    trigger: 'somebody other than the provider posts a payload of its shape',
    scenario: `At \`${name}\`, when a forged payload comes in, then it is dispatched as if the provider had sent it.`,
    detection: 'When a user complains or the data is compared: a forged event looks like a real one.',
    fix: "Verify the provider's signature over the raw body before parsing it.",
    anchor: name,
    confidence: 'assumed',
    severity: 'high',
  });
}

/** The registration where it is in this file, else the handler's head. */
function anchorOf(ctx: RuleContext, ref: UnitRef): { s: number; e: number } | null {
  const { unit } = ref;
  if (unit.file !== ctx.file.path) return null;
  const calls = ctx.sites.filter((s) => s.node.k === 'call' && s.node.s === unit.startOffset);
  const call = calls[0]?.node;
  if (call?.k === 'call') return call.callee;
  const fact = ref.file === ctx.file ? ref.file.facts.functions[ref.fn] : undefined;
  if (fact && fact.ne > fact.ns) return { s: fact.ns, e: fact.ne };
  return { s: unit.startOffset, e: Math.min(unit.endOffset, unit.startOffset + 1) };
}

/** The handler looks at a body at all. */
function readsPayload(ref: UnitRef): boolean {
  const fact = ref.file.facts.functions[ref.fn];
  if (!fact) return false;
  return /\bbody\b|\.json\(|\.text\(|formData|payload|rawBody|\.body|Payload|\bdata\b|event/.test(
    ref.file.text.slice(fact.s, fact.e),
  );
}

function actsOutside(site: Site): boolean {
  const { effect } = site;
  if (!effect) return false;
  if (
    effect.kind === 'db' ||
    effect.kind === 'queue' ||
    effect.kind === 'mail' ||
    effect.kind === 'sdk' ||
    effect.kind === 'http'
  )
    return effect.write && !effect.spec.bestEffort;
  return false;
}

const CHECKS =
  /verif|signature|constructEvent|timingSafeEqual|authenticat|authoriz|hmac|unwrap(?:Webhook|Event)?$|checkToken|checkSecret|validate(?:Webhook|Request|Token|Secret|Hook|Signature|ApiKey)|(?:require|ensure|assert|with|get|check|is|use)(?:Auth|Session|User|Admin|Permission|ApiKey|Login|Token|Access|Workspace|Signed)|getServerSession|currentUser|getToken$|protect|guard|apiKey|webhooks\.(?:receive|process)|safeCompare|safeEqual|secureCompare|decrypt|parseWebhook|fromWebhook|validateSig|jwtVerify|decodeJwt|verifyIdToken|basicAuth|passport|jwt/i;

function checksCaller(reached: Reached): boolean {
  const { site } = reached;
  const name = site.node.k === 'tag' ? '' : exprName(site.file, site.node.callee);
  if (CHECKS.test(name)) return true;
  // What an unknown receiver is told of the signature, it checks.
  if (site.node.k === 'tag') return false;
  return (
    site.target.k !== 'lib' &&
    site.node.args.some(
      (a) =>
        soundsSecret(a) &&
        !/^(?:get|header)$/.test(lastName(site.node.k === 'tag' ? site.node.tag : site.node.callee) ?? ''),
    )
  );
}

/** Compares something named like a secret, or refuses when a header of that name is not right. */
function checksInline(ref: UnitRef): boolean {
  const { file } = ref;
  const root = file.facts.functions[ref.fn];
  if (!root) return false;
  let found = false;
  const visit = (node: AnyNode): void =>
    walk(node, (n) => {
      if (
        n.k === 'bin' &&
        /^[!=]==?$/.test(n.op) &&
        (soundsSecret(n.l) || soundsSecret(n.r)) &&
        !isNull(n.l) &&
        !isNull(n.r)
      )
        found = true;
      if (n.k === 'fn') for (const st of file.facts.functions[n.fn]?.body ?? []) visit(st);
    });
  for (const st of root.body) visit(st);
  return found;
}

function isNull(expr: Expr): boolean {
  const inner = uncast(expr);
  return (
    (inner.k === 'lit' && (inner.value === null || inner.value === '')) ||
    (inner.k === 'id' && inner.name === 'undefined')
  );
}

/** The truth is read from the provider before anything is changed: the payload is a hint. */
function readsBack(reached: readonly Reached[], act: Reached): boolean {
  const at = reached.indexOf(act);
  return reached.slice(0, at).some((r) => {
    const { effect } = r.site;
    return (effect?.kind === 'sdk' || effect?.kind === 'http') && !effect.write;
  });
}

/** An interface for users to set up their own webhooks, not one that is called. */
function managesWebhooks(reached: readonly Reached[]): boolean {
  return reached.some(
    (r) =>
      r.site.effect?.kind === 'db' &&
      /webhook|subscription_?endpoint|hook_?config/i.test(r.site.effect.entity ?? ''),
  );
}

/** A wrapper, middleware or router-wide hook checks, or cannot be read. */
function guardedOutside(ctx: RuleContext, ref: UnitRef): boolean {
  const { file, model } = ctx;
  const registration = ctx.sites.find((s) => s.node.k === 'call' && s.node.s === ref.unit.startOffset)?.node;
  if (registration?.k === 'call') {
    for (const arg of registration.args)
      if (!isHandler(ctx, arg, ref) && mayCheck(ctx, file, arg)) return true;
    if (routerWide(ctx, registration)) return true;
  }
  // `export const POST = withSignature(handler)`
  for (const call of wrappersOf(ctx, ref)) {
    if (CHECKS.test(exprName(file, call.callee))) return true;
    const value = model.values.of(file, call.callee);
    if (value.k !== 'fn') return true;
    if (
      model.reach(value.file, value.fn).some((r) => checksCaller(r)) ||
      checksInline({ ...ref, file: value.file, fn: value.fn })
    )
      return true;
  }
  const fact = ref.file.facts.functions[ref.fn];
  const cls = fact && fact.cls >= 0 ? ref.file.facts.classes[fact.cls] : undefined;
  // Guards of Nest and the like: decorators on the method or its class.
  return [...(fact?.decorators ?? []), ...(cls?.decorators ?? [])].some(
    (d) =>
      /guard|auth|verif|signature|webhook/i.test(ref.file.text.slice(d.s, d.e)) &&
      /UseGuards|UseInterceptors|Auth|Verif|Signature|Guard/.test(ref.file.text.slice(d.s, d.e)),
  );
}

function isHandler(ctx: RuleContext, arg: Expr, ref: UnitRef): boolean {
  const value = ctx.model.values.of(ctx.file, arg);
  return value.k === 'fn' && value.file === ref.file && value.fn === ref.fn;
}

/** An argument of the registration beside the handler: a string or body parser checks nothing, the rest is read. */
function mayCheck(ctx: RuleContext, file: SourceFile, arg: Expr): boolean {
  const inner = uncast(arg);
  if (inner.k === 'lit' || inner.k === 'tmpl') return false;
  if (inner.k === 'arr') return inner.items.some((item) => mayCheck(ctx, file, item));
  if (inner.k === 'obj')
    return (
      some(inner, (n) => (n.k === 'id' || n.k === 'mem') && CHECKS.test(exprName(file, n))) ||
      inner.props.some((p) => /preHandler|onRequest|preValidation|middleware|guards?|auth/i.test(p.key ?? ''))
    );
  const text = file.text.slice(inner.s, inner.e);
  if (CHECKS.test(text)) return true;
  if (
    /^(?:express\.)?(?:json|raw|text|urlencoded)\(|bodyParser|multer|upload\.|cors\(|rateLimit|limiter/i.test(
      text,
    )
  )
    return false;
  const value = ctx.model.values.of(file, inner);
  if (value.k === 'fn') return ctx.model.reach(value.file, value.fn).some((r) => checksCaller(r));
  if (inner.k === 'call') {
    const callee = ctx.model.values.of(file, inner.callee);
    if (callee.k === 'fn')
      return (
        ctx.model.reach(callee.file, callee.fn).some((r) => checksCaller(r)) ||
        inner.args.some((a) => mayCheck(ctx, file, a))
      );
    return true;
  }
  return inner.k !== 'fn';
}

/** `router.use(verify)` on the same receiver. */
function routerWide(ctx: RuleContext, registration: Call): boolean {
  if (registration.callee.k !== 'mem') return false;
  const receiver = exprName(ctx.file, registration.callee.obj);
  return ctx.sites.some(
    (s) =>
      s.node.k === 'call' &&
      s.node.callee.k === 'mem' &&
      /^(?:use|addHook|all)$/.test(s.node.callee.prop) &&
      exprName(ctx.file, s.node.callee.obj) === receiver &&
      s.node.args.some((a) => mayCheck(ctx, ctx.file, a)),
  );
}

/** Calls that the handler is an argument of, other than its registration. */
function wrappersOf(ctx: RuleContext, ref: UnitRef): Call[] {
  if (ref.file !== ctx.file) return [];
  const out: Call[] = [];
  let holder: AnyNode | undefined = ref.file.index.holder(ref.fn);
  while (holder) {
    const parent: AnyNode | undefined = ref.file.index.parent(holder);
    if (parent?.k === 'call' && parent.callee !== holder && parent.s !== ref.unit.startOffset)
      out.push(parent);
    if (!parent || parent.k === 'expr' || parent.k === 'ret' || parent.k === 'var') break;
    holder = parent;
  }
  const name = ref.file.facts.functions[ref.fn]?.name;
  // `export default withWebhook(handler)` and a name bound once.
  if (name)
    for (const site of ctx.sites)
      if (
        site.node.k === 'call' &&
        site.node.s !== ref.unit.startOffset &&
        site.node.args.some((a) => uncast(a).k === 'id' && lastName(a) === name)
      )
        out.push(site.node);
  return out;
}

export const examples: readonly RuleExample[] = [
  {
    title: 'A payment event that anybody can send',
    bad: `import express from 'express';
import { Pool } from 'pg';
const app = express();
const pool = new Pool();
app.post('/webhooks/payments', async (req, res) => {
  if (req.body.type === 'payment.succeeded') {
    await pool.query('UPDATE orders SET paid = true WHERE id = $1', [req.body.orderId]);
  }
  res.sendStatus(200);
});
`,
    good: `import express from 'express';
import { Pool } from 'pg';
import { verifySignature } from './signature';
const app = express();
const pool = new Pool();
app.post('/webhooks/payments', express.raw({ type: '*/*' }), async (req, res) => {
  const event = verifySignature(req.body, req.get('x-signature'));
  if (event.type === 'payment.succeeded') {
    await pool.query('UPDATE orders SET paid = true WHERE id = $1', [event.orderId]);
  }
  res.sendStatus(200);
});
`,
  },
];
