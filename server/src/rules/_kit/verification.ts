/**
 * The checks of who sent a webhook: where a signature is computed or verified, over what, and whether the function
 * compares it with what came along. Owns how such code is recognised.
 */
import type { Call, Expr } from '../../facts/ir.ts';
import { bare, uncast } from '../../facts/walk.ts';
import type { SourceFile } from '../../model/project.ts';
import type { Site } from '../../model/sites.ts';
import type { RuleContext } from './rule.ts';

/** A call that tells whether a payload is genuine, with the expression of the signed payload. */
export interface Verification {
  readonly site: Site;
  readonly payload: Expr;
  /** Name for messages: `createHmac`, `stripe.webhooks.constructEvent`. */
  readonly by: 'hmac' | 'provider';
}

const PROVIDER =
  /(?:^|\.)(?:webhooks\.(?:constructEvent|constructEventAsync|verify|unwrap)|constructEvent(?:Async)?|verifyAndReceive)$/;
const VERIFY_NAME =
  /^(?:verify|validate|check|assert|authenticate)\w*(?:Signature|Webhook|Hmac|Hook|Event|Request|Payload)\w*$|^is(?:Valid|Authentic)\w*(?:Signature|Webhook|Request)\w*$|^constructEvent/i;

export function isVerifying(file: SourceFile, call: Call): boolean {
  const name = file.text.slice(call.callee.s, call.callee.e).replace(/\s+/g, '');
  return PROVIDER.test(name) || VERIFY_NAME.test(name.slice(name.lastIndexOf('.') + 1));
}

/** Verifications written in one function; a signature of what is sent out is none. */
export function verificationsIn(ctx: RuleContext, sites: readonly Site[], fn: number): Verification[] {
  const { file } = ctx;
  const out: Verification[] = [];
  for (const site of sites) {
    if (site.fn !== fn || site.node.k !== 'call') continue;
    const { node } = site;
    const name = file.text.slice(node.callee.s, node.callee.e).replace(/\s+/g, '');
    if (PROVIDER.test(name) && node.args.length >= 2) {
      const payload = node.args[0];
      if (payload) out.push({ site, payload, by: 'provider' });
      continue;
    }
    if (node.callee.k !== 'mem' || node.callee.prop !== 'update' || node.args.length === 0) continue;
    const root = hashRoot(file, node.callee.obj);
    const payload = node.args[0];
    if (root && payload && comparesWithGiven(file, fn)) out.push({ site, payload, by: 'hmac' });
  }
  return out;
}

/** `createHmac(…)` that a chain or a name begins with. */
function hashRoot(file: SourceFile, expr: Expr): boolean {
  let at: Expr = bare(uncast(expr));
  for (let guard = 0; guard < 12; guard++) {
    if (at.k === 'call') {
      const callee = uncast(at.callee);
      const name = callee.k === 'mem' ? callee.prop : callee.k === 'id' ? callee.name : '';
      if (name === 'createHmac') return true;
      at = callee.k === 'mem' ? callee.obj : at;
      if (callee.k !== 'mem') return false;
    } else if (at.k === 'id') {
      const decl = file.facts.bindings[at.b]?.decl;
      if (decl?.k !== 'init' || decl.path.length > 0) return false;
      at = bare(uncast(decl.init));
    } else return false;
  }
  return false;
}

/** The function compares a signature that it was given. */
function comparesWithGiven(file: SourceFile, fn: number): boolean {
  const fact = file.facts.functions[fn];
  if (!fact) return false;
  const text = file.text.slice(fact.s, fact.e);
  return (
    /timingSafeEqual|safeCompare|secureCompare|safeEqual|constantTime/i.test(text) ||
    /(?:[sS]ig(?:nature)?|[hH]mac|[hH]ash|[dD]igest|[eE]xpected\w*|[cC]omputed\w*)\b[)\]"']*\s*[!=]==?(?!\s*(?:null|undefined|['"]))/.test(
      text,
    )
  );
}
