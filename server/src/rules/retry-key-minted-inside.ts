/** An idempotency key that every attempt makes anew. */
import type { Expr } from '../facts/ir.ts';
import { uncast, walk, type AnyNode } from '../facts/walk.ts';
import { indentAt, lineEnd } from '../fixes/edits.ts';
import { readOption } from '../model/options.ts';
import type { SourceFile } from '../model/project.ts';
import type { Site } from '../model/sites.ts';
import { DETECTION_BY_COMPARISON } from './_kit/detection.ts';
import { retriesOf } from './_kit/retries.ts';
import { defineRule, type FixDraft, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { namesAround } from './_kit/scope.ts';
import { calleeName } from './_kit/text.ts';

export const rule = defineRule({
  id: 'retry-key-minted-inside',
  lens: 'clock',
  axis: 'data-consistency',
  faultClass: 'idempotency',
  severity: 'high',
  blocking: true,
  stage: 'stable',
  since: '0.2.0',
  docs: {
    what: 'The idempotency key of a call that is repeated on failure is made inside the repeated part, from a random value or the time.',
    why: 'The key is there so that the other side knows a repeat when it sees one. Made anew for each attempt it says the opposite: an attempt whose answer was lost and the one after it count as two orders, two charges, two jobs.',
    remedy:
      'Make the key once, before the first attempt, from what is being done: the id of the order, the event, the job.',
    whenNot: 'Where each attempt is meant to count by itself.',
  },
  incidents: ['double-charge', 'duplicate-side-effect'],
  fixKind: 'safe',
  detect(ctx) {
    for (const site of ctx.sites) {
      const key = keyOf(ctx, site);
      if (key) check(ctx, site, key);
    }
  },
});

const HEADER =
  /^(?:x-)?(?:idempotency-?key|idempotency_key|idempotencykey|request-id-key|paypal-request-id|clienttoken|clientrequesttoken|client_token|messagededuplicationid|singletonkey)$/i;

/** The expression that is sent as the key of a call. */
function keyOf(ctx: RuleContext, site: Site): Expr | null {
  const { node, effect, file } = site;
  if (node.k === 'tag' || !effect?.network) return null;
  const at = effect.spec.idempotency?.at;
  if (at) {
    const read = readOption(ctx.model.values, file, node, at);
    if (read.k === 'value' && read.file === file) return read.expr;
  }
  let found: Expr | null = null;
  for (const arg of node.args)
    walk(arg, (n) => {
      if (n.k === 'obj')
        for (const p of n.props) {
          const name = p.key ?? (p.computed?.k === 'lit' ? String(p.computed.value) : '');
          if (HEADER.test(name)) found ??= p.value;
        }
      return found === null;
    });
  return found;
}

function check(ctx: RuleContext, site: Site, key: Expr): void {
  const { file } = site;
  const minted = mintedAt(file, key);
  if (!minted) return;
  const repeated = repeatedAround(ctx, site);
  if (!repeated || minted.node.s < repeated.s || minted.node.e > repeated.e) return;
  const name = calleeName(site);
  const made = file.text.slice(minted.node.s, minted.node.e);
  ctx.report({
    at: minted.node,
    message: `Each attempt of \`${name}\` sends a new key: when an answer is lost, the other side takes the next attempt for another request and does it again.`,
    trigger: 'the call is carried out and its answer is lost or late',
    scenario: `At \`${name}\`, when the first attempt took effect and its answer was lost, then the second one comes with another key and takes effect as well.`,
    detection: DETECTION_BY_COMPARISON,
    fix: 'Make the key before the first attempt, from what is being done.',
    anchor: made.length > 40 ? name : made,
    fixes: moveOut(file, minted, repeated),
  });
}

interface Minted {
  /** The call that makes the value. */
  readonly node: Expr;
}

const RANDOM =
  /^(?:crypto\.|globalThis\.crypto\.|webcrypto\.|node_crypto\.)?(?:randomUUID|randomBytes|getRandomValues)$|^(?:uuid|uuidv[147]|v[147]|nanoid|ulid|cuid|createId|createId2|ksuid|shortid|uniqid|generateId|generateUuid|generateUUID)$|^(?:uuid|ulid|shortid|crypto|nanoid)\.\w+$|^Math\.random$|^Date\.now$/;

/** The random or time-made part of a key, written in place or behind one name. */
function mintedAt(file: SourceFile, key: Expr, depth = 0): Minted | null {
  let found: Minted | null = null;
  const inner = uncast(key);
  if (inner.k === 'id' && depth < 3) {
    const binding = file.facts.bindings[inner.b];
    if (binding?.decl?.k !== 'init' || binding.decl.path.length > 0 || binding.writes.length > 0) return null;
    return mintedAt(file, binding.decl.init, depth + 1);
  }
  walk(inner, (n) => {
    if (n.k === 'call' && RANDOM.test(file.text.slice(n.callee.s, n.callee.e).replace(/\?\./g, '.')))
      found ??= { node: n };
    if (n.k === 'new' && n.callee.k === 'id' && n.callee.name === 'Date' && n.args.length === 0)
      found ??= { node: n };
    return found === null;
  });
  return found;
}

/** The part that runs again when the call fails: the loop's body, or the function that is handed to a retry helper. */
function repeatedAround(
  ctx: RuleContext,
  site: Site,
): { readonly s: number; readonly e: number; readonly outer: AnyNode } | null {
  const { file } = site;
  for (const frame of ctx.model.frames.around(file, site.node, site.fn)) {
    if (frame.k === 'loop' && isRetryLoop(ctx, frame.node))
      return { s: frame.node.body.s, e: frame.node.body.e, outer: frame.node };
    if (frame.k === 'callback' && frame.roles.has('retry')) {
      const fact = file.facts.functions[frame.fn];
      return fact ? { s: fact.s, e: fact.e, outer: frame.call } : null;
    }
  }
  return null;
}

function isRetryLoop(
  ctx: RuleContext,
  loop: AnyNode,
): loop is AnyNode & { k: 'for' | 'while' | 'do' | 'forof' } {
  return (
    (loop.k === 'for' || loop.k === 'while' || loop.k === 'do' || loop.k === 'forof') &&
    retriesOf(ctx.model, ctx.file).some((r) => r.kind === 'loop' && r.node === loop)
  );
}

/** A name before the repeated part holds the value. */
function moveOut(
  file: SourceFile,
  minted: Minted,
  repeated: { readonly s: number; readonly outer: AnyNode },
): FixDraft[] {
  const stmt = file.index.statementOf(repeated.outer);
  if (!stmt) return [];
  const holder = file.index.parent(stmt);
  if (holder && holder.k !== 'block') return [];
  // What it is made from may be known only inside.
  if (minted.node.k !== 'call' && minted.node.k !== 'new') return [];
  if (minted.node.args.some((a) => a.k !== 'lit')) return [];
  const text = file.text.slice(minted.node.s, minted.node.e);
  const taken = namesAround(file, minted.node);
  const name = ['idempotencyKey', 'requestKey', 'attemptKey'].find((n) => !taken.has(n));
  if (!name) return [];
  return [
    {
      id: 'key-outside',
      title: 'Make the key before the first attempt',
      kind: 'safe',
      edits: () => [
        {
          file: file.path,
          edits: [
            {
              start: stmt.s,
              end: stmt.s,
              newText: `const ${name} = ${text};${lineEnd(file.text)}${indentAt(file.text, stmt.s)}`,
            },
            { start: minted.node.s, end: minted.node.e, newText: name },
          ],
        },
      ],
    },
  ];
}

export const examples: readonly RuleExample[] = [
  {
    title: 'A payout that is tried three times',
    bad: `import { randomUUID } from 'node:crypto';
import pRetry from 'p-retry';
import Stripe from 'stripe';
const stripe = new Stripe('sk');

export async function payOut(account: string, amount: number) {
  return pRetry(
    () => stripe.transfers.create({ destination: account, amount, currency: 'eur' }, { idempotencyKey: randomUUID() }),
    { retries: 3 },
  );
}
`,
    good: `import pRetry from 'p-retry';
import Stripe from 'stripe';
const stripe = new Stripe('sk');

export async function payOut(payoutId: string, account: string, amount: number) {
  return pRetry(
    () => stripe.transfers.create({ destination: account, amount, currency: 'eur' }, { idempotencyKey: payoutId }),
    { retries: 3 },
  );
}
`,
    fixed: `import { randomUUID } from 'node:crypto';
import pRetry from 'p-retry';
import Stripe from 'stripe';
const stripe = new Stripe('sk');

export async function payOut(account: string, amount: number) {
  const idempotencyKey = randomUUID();
  return pRetry(
    () => stripe.transfers.create({ destination: account, amount, currency: 'eur' }, { idempotencyKey: idempotencyKey }),
    { retries: 3 },
  );
}
`,
  },
];
