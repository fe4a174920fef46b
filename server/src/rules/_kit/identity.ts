/**
 * What a piece of work is about, as code: the expression that stays the same when the same work is done again
 * (`event.id`, `order.id`, `invoiceId`). Owns the choice for keys that fixes write. Never a random value, and never an id
 * of who is charged: a customer buys twice.
 */
import type { Expr } from '../../facts/ir.ts';
import { uncast, walk } from '../../facts/walk.ts';
import type { Model } from '../../model/model.ts';
import type { Site } from '../../model/sites.ts';
import { visibleNames } from './scope.ts';

const PARTY =
  /(?:customer|user|account|member|tenant|team|org|organi[sz]ation|workspace|company|merchant|owner|seller|buyer|payer|payee|stripe|destination|price|product|plan|currency|channel|session|client|method|source|token|locale|region|campaign|promotion|coupon)s?_?(?:id)?$/i;
const WORK =
  /(?:order|invoice|payment|booking|checkout|cart|event|job|message|request|subscription|refund|payout|transfer|transaction|withdrawal|deposit|purchase|charge|task|delivery|shipment|reservation|ticket|run|bill|intent|quote|claim|entry|attempt|renewal|donation|pledge|topup|evt|msg|commission|program|reward|order_?line|idempotency)/i;
const ID_PROP =
  /^(?:id|_id|uuid|guid|eventId|messageId|orderId|invoiceId|paymentId|bookingId|jobId|code|number|reference)$/;

interface Candidate {
  readonly text: string;
  readonly rank: number;
}

/** Null when nothing in scope names the work. `party` allows ids of customers and users: where they are what is created. */
export function workIdentity(model: Model, site: Site, party = false): string | null {
  const { file, node } = site;
  if (node.k === 'tag') return null;
  const visible = visibleNames(file, node);
  const names = new Map(visible.map((v) => [v.name, v]));
  const fact = file.facts.functions[model.outermost(file, site.fn)];
  const text = fact ? file.text.slice(fact.s, fact.e) : '';
  const inLoop = visible.some((v) => v.perTurn);
  const found: Candidate[] = [];
  const offer = (expr: string, root: string, rank: number): void => {
    const name = names.get(root);
    if (root !== 'this' && !name) return;
    // Within a loop, what is the same for every turn would give every turn the same key.
    if (inLoop && !name?.perTurn) return;
    found.push({ text: expr, rank });
  };
  for (const v of visible) {
    if (
      /^(?:event|evt|webhookEvent|stripeEvent)$/i.test(v.name) &&
      new RegExp(`\\b${v.name}\\.(?:id|type)\\b`).test(text)
    )
      offer(`${v.name}.id`, v.name, 0);
    const value = file.facts.bindings[v.b] ? model.values.binding(file, file.facts.bindings[v.b]!) : null;
    if (value?.k === 'inst' && value.type === 'Event' && value.pack.id === 'stripe')
      offer(`${v.name}.id`, v.name, 0);
    if (value?.k === 'inst' && value.type === 'Job') offer(`${v.name}.id`, v.name, 4);
  }
  for (const arg of node.args)
    walk(arg, (n) => {
      const expr = n as Expr;
      if (expr.k === 'mem') {
        const inner = uncast(expr.obj);
        const root = rootOf(expr);
        if (!root || !ID_PROP.test(expr.prop)) return true;
        const owner = inner.k === 'mem' ? inner.prop : inner.k === 'id' ? inner.name : '';
        const about = /^(?:id|_id|uuid|guid|code|number|reference)$/.test(expr.prop) ? owner : expr.prop;
        if (expr.prop === 'code' && !/order|cart|invoice|booking/i.test(owner)) return true;
        if (isWork(about, party))
          offer(
            file.text.slice(expr.s, expr.e),
            root,
            expr.prop === 'code' || expr.prop === 'number' ? 3 : 1,
          );
        return false;
      }
      if (expr.k === 'id' && /(?:Id|_id|Uuid)$/.test(expr.name) && isWork(expr.name, party))
        offer(expr.name, expr.name, 1);
      return true;
    });
  for (const v of visible) {
    if (/(?:Id|_id)$/.test(v.name) && isWork(v.name, party)) offer(v.name, v.name, 2);
    const read = new RegExp(
      `\\b${v.name.replace(/\$/g, '\\$')}\\.(id|_id|uuid|orderId|invoiceId|paymentId)\\b`,
    ).exec(text)?.[1];
    if (read && isWork(v.name, party)) offer(`${v.name}.${read}`, v.name, 2);
  }
  return found.sort((a, b) => a.rank - b.rank)[0]?.text ?? null;
}

function isWork(name: string, party: boolean): boolean {
  if (PARTY.test(name))
    return (
      party &&
      /(?:customer|user|account|member|team|org|organi[sz]ation|workspace)s?_?(?:id)?$/i.test(name) &&
      !/stripe/i.test(name)
    );
  return WORK.test(name);
}

function rootOf(expr: Expr): string | null {
  let at = uncast(expr);
  while (at.k === 'mem') {
    if (at.opt) return null;
    at = uncast(at.obj);
  }
  return at.k === 'id' ? at.name : at.k === 'this' ? 'this' : null;
}
