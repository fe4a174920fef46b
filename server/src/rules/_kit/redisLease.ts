/** Locks that are a key in Redis: `SET key value NX`, `SETNX`. Owns telling a lock from a mark that is meant to stay, and reading its expiry. */
import type { Expr } from '../../facts/ir.ts';
import { uncast } from '../../facts/walk.ts';
import type { Model } from '../../model/model.ts';
import { numberOf, readPath } from '../../model/options.ts';
import type { SourceFile } from '../../model/project.ts';
import type { Site } from '../../model/sites.ts';

export interface Lease {
  readonly site: Site;
  readonly key: Expr;
  readonly keyText: string;
  readonly value: Expr | null;
  readonly expiry: 'given' | 'absent' | 'unknown';
  /** Milliseconds where the code says. */
  readonly ms: number | null;
}

/** Lower-case command of a call on a Redis client; empty for everything else. */
export function redisCommand(site: Site): string {
  if (site.effect?.kind !== 'cache' || site.node.k !== 'call' || site.node.callee.k !== 'mem') return '';
  return site.node.callee.prop.toLowerCase();
}

export function keyTextOf(site: Site): string | null {
  const key = site.node.k === 'call' ? site.node.args[0] : undefined;
  if (!key) return null;
  const inner = uncast(key);
  const only = inner.k === 'arr' && inner.items.length === 1 ? inner.items[0] : inner;
  return only ? site.file.text.slice(only.s, only.e) : null;
}

const LOCK =
  /(?:^|[^a-z])(?:lock|mutex|lease|semaphore|leader)|(?:Lock|Mutex|Lease|Semaphore|Leader)|LOCK|MUTEX|LEASE/;
/** Marks that hold one caller off for a time on purpose. */
const NO_LOCK = /block|cooldown|throttle|clock|unlocked/i;

/** The key, what it is built from, or the function around says that it is a lock. */
function isLockName(file: SourceFile, key: Expr, around: string | null): boolean {
  const inner = uncast(key);
  const decl = inner.k === 'id' ? file.facts.bindings[inner.b]?.decl : undefined;
  const built = decl?.k === 'init' ? file.text.slice(decl.init.s, decl.init.e) : '';
  const text = `${file.text.slice(key.s, key.e)} ${built}`;
  if (NO_LOCK.test(text)) return false;
  return LOCK.test(text) || LOCK.test(around ?? '');
}

/** The lock that a call takes; null when it takes none. */
export function leaseOf(model: Model, site: Site): Lease | null {
  const name = redisCommand(site);
  const { node, file } = site;
  if (node.k !== 'call' || (name !== 'set' && name !== 'setnx')) return null;
  const key = node.args[0];
  if (!key || node.args.some((a) => a.k === 'spread')) return null;
  // A queued command: what else is sent with it cannot be told here.
  if (/\b(?:multi|pipeline)\b/i.test(file.text.slice(node.callee.s, node.callee.e))) return null;
  const rest = node.args.slice(2);
  if (name === 'set' && !rest.some((a) => asksForNew(model, file, a))) return null;
  if (!isLockName(file, key, file.facts.functions[model.outermost(file, site.fn)]?.name ?? null)) return null;
  return {
    site,
    key,
    keyText: file.text.slice(key.s, key.e),
    value: node.args[1] ?? null,
    ...(name === 'setnx' ? { expiry: 'absent' as const, ms: null } : expiryOf(model, file, rest)),
  };
}

function asksForNew(model: Model, file: SourceFile, arg: Expr): boolean {
  const inner = uncast(arg);
  if (inner.k === 'lit') return typeof inner.value === 'string' && inner.value.toUpperCase() === 'NX';
  for (const key of ['NX', 'nx']) {
    const read = readPath(model.values, file, inner, [key]);
    if (read.k === 'value') return true;
  }
  return false;
}

const UNITS: Readonly<Record<string, number>> = { ex: 1000, px: 1 };

function expiryOf(
  model: Model,
  file: SourceFile,
  args: readonly Expr[],
): { readonly expiry: Lease['expiry']; readonly ms: number | null } {
  for (const [i, arg] of args.entries()) {
    const inner = uncast(arg);
    if (inner.k === 'lit') {
      const word = String(inner.value).toLowerCase();
      const next = args[i + 1];
      if (/^(?:ex|px|exat|pxat|keepttl)$/.test(word)) {
        const n = next && UNITS[word] ? numberOf(model.values, file, next) : null;
        return { expiry: 'given', ms: n === null ? null : n * (UNITS[word] ?? 1) };
      }
      continue;
    }
    if (inner.k === 'obj') {
      for (const key of ['EX', 'ex', 'PX', 'px', 'EXAT', 'exat', 'PXAT', 'pxat', 'expiration']) {
        const read = readPath(model.values, file, inner, [key]);
        if (read.k === 'unknown') return { expiry: 'unknown', ms: null };
        if (read.k !== 'value') continue;
        const unit = UNITS[key.toLowerCase()];
        const n = unit ? numberOf(model.values, read.file, read.expr) : null;
        return { expiry: 'given', ms: n === null || !unit ? null : n * unit };
      }
      continue;
    }
    // Words and numbers that are handed in: which they are cannot be read.
    return { expiry: 'unknown', ms: null };
  }
  return { expiry: 'absent', ms: null };
}
