/**
 * Where secrets and what is checked against them come from: keyed digests, secrets of the environment, headers and
 * other parts of a request. Owns the evidence; a name alone is none.
 */
import type { Expr } from '../../facts/ir.ts';
import { bare, uncast } from '../../facts/walk.ts';
import type { Model } from '../../model/model.ts';
import type { SourceFile } from '../../model/project.ts';
import { returnsOf, type Value } from '../../model/values.ts';
import { lastName } from './promises.ts';

export type SecretKind =
  | 'mac' /* a keyed digest */
  | 'digest' /* a plain digest */
  | 'secret' /* a secret of the environment or configuration */
  | 'request' /* what a caller sent */
  | 'literal'
  | 'other';

const ENV_SECRET = /(?:SECRET|TOKEN|PASSWORD|PASSWD|PASSPHRASE|_KEY|APIKEY|SIGNATURE|CREDENTIALS?)$|^KEY$/;
const NOT_SECRET =
  /PUBLIC|PUBLISHABLE|KEY_ID|TYPE|URL|TTL|EXPIR|NAME|HEADER|COOKIE|ENABLED|DISABLE|CACHE_KEY|SORT_KEY|PARTITION_KEY|PRIMARY_KEY/i;
const CONFIG_SECRET =
  /(?:secret|token|password|passphrase|api_?key|signing_?key|auth_?key|private_?key|signature)$/i;
const CONFIG_ROOT =
  /^(?:env|ENV|process|config|configuration|settings|secrets|options|serverEnv|appConfig|Config)$/;
const SIGNS = /sign|hmac|(?:^|[a-z_])mac$|^mac|signature/i;
const NOT_SIGNING =
  /design|assign|signal|signin|sign_?in|signup|sign_?up|signout|sign_?out|signer$|significant/i;

export function secretKind(model: Model, file: SourceFile, expr: Expr, depth = 0): SecretKind {
  if (depth > 8) return 'other';
  const inner = bare(expr);
  switch (inner.k) {
    case 'lit':
    case 'fn':
    case 'obj':
    case 'arr':
      return 'literal';
    case 'un':
      return 'literal';
    case 'tmpl':
      return inner.exprs.length === 0
        ? 'literal'
        : strongest(inner.exprs.map((x) => secretKind(model, file, x, depth + 1)));
    case 'bin':
      if (inner.op === '+' || inner.op === '??' || inner.op === '||')
        return strongest([
          secretKind(model, file, inner.l, depth + 1),
          secretKind(model, file, inner.r, depth + 1),
        ]);
      return 'other';
    case 'call':
      return ofCall(model, file, inner, depth);
    case 'mem':
    case 'idx':
      return ofAccess(model, file, inner, depth);
    case 'id':
      return ofName(model, file, inner, depth);
    default:
      return 'other';
  }
}

function strongest(kinds: readonly SecretKind[]): SecretKind {
  for (const kind of ['mac', 'secret', 'digest', 'request'] as const) if (kinds.includes(kind)) return kind;
  return 'other';
}

function ofValue(value: Value): SecretKind | null {
  if (value.k !== 'inst') return null;
  if (value.pack.id === 'crypto')
    return value.type === 'Mac' ? 'mac' : value.type === 'Digest' ? 'digest' : null;
  return value.type === 'Input' ? 'request' : null;
}

function ofCall(model: Model, file: SourceFile, call: Expr & { k: 'call' }, depth: number): SecretKind {
  const known = ofValue(model.values.of(file, call));
  if (known) return known;
  const { callee } = call;
  const name = lastName(callee) ?? '';
  if (callee.k === 'mem') {
    if (isHeaders(callee.obj) && (name === 'get' || name === 'header')) return 'request';
    if (/^(?:header|getHeader)$/.test(name) && call.args.length === 1) return 'request';
    const first = call.args[0];
    if (
      /^(?:get|getOrThrow)$/.test(name) &&
      first?.k === 'lit' &&
      typeof first.value === 'string' &&
      isSecretName(first.value)
    )
      return 'secret';
    // Text methods keep what they work on; `update(body).digest('hex')` of a local wrapper too.
    if (
      /^(?:toString|trim|slice|substring|substr|replace|split|toLowerCase|toUpperCase|at|pop|shift|digest)$/.test(
        name,
      )
    )
      return secretKind(model, file, callee.obj, depth + 1);
  }
  if (callee.k === 'id' && callee.name === 'String' && call.args[0])
    return secretKind(model, file, call.args[0], depth + 1);
  const target = model.values.of(file, callee);
  if (target.k === 'fn') {
    for (const returned of returnsOf(target.file, target.fn)) {
      const kind = secretKind(model, target.file, returned, depth + 2);
      if (kind === 'mac' || kind === 'digest') return kind;
    }
  }
  return SIGNS.test(name) &&
    !NOT_SIGNING.test(name) &&
    !/^(?:verify|is|has|get|parse|extract|read|decode)/.test(name)
    ? 'mac'
    : 'other';
}

function ofAccess(
  model: Model,
  file: SourceFile,
  expr: Expr & { k: 'mem' | 'idx' },
  depth: number,
): SecretKind {
  const known = ofValue(model.values.of(file, expr));
  if (known) return known;
  if (isHeaders(expr.obj)) return 'request';
  if (expr.k === 'idx')
    return secretKind(model, file, expr.obj, depth + 1) === 'request'
      ? 'request'
      : envAccess(expr)
        ? 'secret'
        : 'other';
  if (envAccess(expr)) return 'secret';
  return 'other';
}

/** `process.env.X_SECRET`, `env.X_SECRET`, `config.webhookSecret`. */
function envAccess(expr: Expr & { k: 'mem' | 'idx' }): boolean {
  const name =
    expr.k === 'mem'
      ? expr.prop
      : expr.index.k === 'lit' && typeof expr.index.value === 'string'
        ? expr.index.value
        : null;
  if (name === null) return false;
  const root = rootName(expr.obj);
  return root !== null && CONFIG_ROOT.test(root) && isSecretName(name);
}

function isSecretName(name: string): boolean {
  if (NOT_SECRET.test(name)) return false;
  return /^[A-Z0-9_]+$/.test(name) ? ENV_SECRET.test(name) : CONFIG_SECRET.test(name);
}

function rootName(expr: Expr): string | null {
  const inner = bare(expr);
  if (inner.k === 'id') return inner.name;
  if (inner.k !== 'mem') return null;
  return inner.obj.k === 'this'
    ? inner.prop
    : CONFIG_ROOT.test(inner.prop)
      ? inner.prop
      : rootName(inner.obj);
}

function isHeaders(expr: Expr): boolean {
  const inner = bare(expr);
  if (inner.k === 'call') return lastName(inner.callee) === 'headers';
  return lastName(inner) === 'headers' || (inner.k === 'id' && /^(?:req|request)?headers$/i.test(inner.name));
}

function ofName(model: Model, file: SourceFile, expr: Expr & { k: 'id' }, depth: number): SecretKind {
  if (expr.b < 0) return expr.name === 'undefined' || expr.name === 'NaN' ? 'literal' : 'other';
  const known = ofValue(model.values.of(file, expr));
  if (known) return known;
  const decl = file.facts.bindings[expr.b]?.decl;
  if (decl?.k === 'init') {
    const last = decl.path.at(-1);
    const kind = secretKind(model, file, decl.init, depth + 1);
    // A constant under a name is still a constant; part of a request is one.
    if (decl.path.length === 0 || kind === 'request') return kind;
    if (isHeaders(decl.init)) return 'request';
    const root = bare(decl.init);
    if (
      typeof last === 'string' &&
      isSecretName(last) &&
      (root.k === 'mem' || root.k === 'id') &&
      CONFIG_ROOT.test(lastName(root) ?? '')
    )
      return 'secret';
    return 'other';
  }
  if (decl?.k === 'import') {
    const value = model.values.of(file, expr);
    if (value.k === 'node')
      return uncast(value.expr).k === 'lit'
        ? 'literal'
        : secretKind(model, value.file, value.expr, depth + 1);
    return /^[A-Z0-9_]+$/.test(expr.name) &&
      isSecretName(expr.name) &&
      /(?:env|config|settings|secrets)/i.test(decl.from)
      ? 'secret'
      : 'other';
  }
  return 'other';
}

/** A name under which something secret, or a proof of knowing it, is kept. */
export function soundsSecret(expr: Expr): boolean {
  const inner = bare(expr);
  if (
    inner.k === 'call' &&
    inner.callee.k === 'mem' &&
    /^(?:toString|trim|slice|substring|replace|toLowerCase)$/.test(inner.callee.prop)
  )
    return soundsSecret(inner.callee.obj);
  if (inner.k === 'tmpl') return inner.exprs.some(soundsSecret);
  if (inner.k === 'idx')
    return (
      inner.index.k === 'lit' && typeof inner.index.value === 'string' && SECRET_WORD.test(inner.index.value)
    );
  const name = lastName(inner);
  return name !== null && SECRET_WORD.test(name) && !NOT_SECRET.test(name);
}

const SECRET_WORD =
  /signature|(?:^|_|[a-z])sig$|^sig|hmac|(?:^|[a-z_])[mM]ac$|secret|token|api[_-]?key|password|passwd|passcode|passphrase|authorization|^auth$|auth(?:Header|String|Value|Key)$|bearer|credential|csrf/i;
