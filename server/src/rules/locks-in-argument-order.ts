/** Two locks taken in the order that a caller happens to name them, or in opposite orders by two functions. */
import type { Expr, Stmt, VarStmt } from '../facts/ir.ts';
import { some, uncast, walk, type AnyNode } from '../facts/walk.ts';
import { indentAt, lineEnd } from '../fixes/edits.ts';
import { exclusive, mayFollow } from '../model/paths.ts';
import type { SourceFile } from '../model/project.ts';
import type { Site } from '../model/sites.ts';
import { isTransactionHandle, receiverOf, rootOfSite, sameRoot } from './_kit/databaseCalls.ts';
import { lockOf, type Lock } from './_kit/locks.ts';
import { defineRule, type FixDraft, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { eachName } from './_kit/scope.ts';
import { calleeName, short } from './_kit/text.ts';
import { openTransaction } from './_kit/transactionScopes.ts';

export const rule = defineRule({
  id: 'locks-in-argument-order',
  lens: 'concurrency',
  axis: 'cascading-failure',
  faultClass: 'partition',
  severity: 'high',
  blocking: true,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'One scope takes two or more locks (rows, advisory keys, mutexes), and which comes first is decided by the caller: by the order of arguments or of a list. Or two functions take the same two locks in opposite orders.',
    why: 'Two calls that name the same two things the other way round each hold one lock and wait for the other. A database ends one of them after its deadlock check; mutexes wait for ever, and every later call behind them.',
    remedy:
      'Take the locks in one order that does not depend on the caller: sort the keys first, or lock all rows with one statement that has an ORDER BY.',
    whenNot: 'Where an outer lock or a single consumer already lets only one such call run at a time.',
  },
  incidents: ['lock-order'],
  fixKind: 'previewed',
  detect(ctx) {
    const byFunction = new Map<number, Lock[]>();
    for (const site of ctx.sites) {
      if (!mayLock(site)) continue;
      const lock = lockOf(ctx.model, site);
      if (!lock) continue;
      const outer = ctx.model.outermost(ctx.file, site.fn);
      const list = byFunction.get(outer) ?? [];
      list.push(lock);
      byFunction.set(outer, list);
    }
    for (const [outer, locks] of byFunction) {
      locks.sort((a, b) => a.site.node.s - b.site.node.s);
      pairs(ctx, outer, locks);
      loops(ctx, outer, locks);
    }
    opposite(ctx, byFunction);
  },
});

function mayLock(site: Site): boolean {
  return site.target.k === 'fn' || site.effect?.kind === 'db' || site.effect?.kind === 'lock';
}

// ---- two locks whose order the arguments decide

function pairs(ctx: RuleContext, outer: number, locks: readonly Lock[]): void {
  const { file } = ctx;
  const reported = new Set<Lock>();
  for (const [i, first] of locks.entries())
    for (const second of locks.slice(i + 1)) {
      if (reported.has(second) || first.what !== second.what || first.kind !== second.kind) continue;
      if (!heldTogether(ctx, first, second) || alreadyHeld(ctx, outer, first)) continue;
      const keys = decidedKeys(ctx, first, second);
      if (!keys || isOrdered(file, outer, keys[0], keys[1])) continue;
      reported.add(second);
      reportPair(ctx, outer, first, second, keys, locks);
    }
}

function heldTogether(ctx: RuleContext, first: Lock, second: Lock): boolean {
  const { file, model } = ctx;
  const a = first.site;
  const b = second.site;
  if (a.node.e > b.node.s && first.kind !== 'mutex') return false;
  if (exclusive(file, a.node, b.node) || !mayFollow(file, a.node, b.node)) return false;
  if (first.kind === 'mutex') {
    // The second is taken within the first one's callback, or before the first is given back.
    if (b.node.s > a.node.s && b.node.e < a.node.e) return true;
    return !ctx.sites.some((s) => s.effect?.op === 'release' && s.node.s > a.node.e && s.node.e < b.node.s);
  }
  const roots = sameRoot(rootOfSite(a), rootOfSite(b)) || a.target.k === 'fn';
  if (!roots) return false;
  if (first.kind === 'row' || first.kind === 'advisory') return true;
  const scopeA = openTransaction(model, a);
  const scopeB = openTransaction(model, b);
  if (scopeA || scopeB) return scopeA?.opener === scopeB?.opener;
  return a.fn === b.fn && isTransactionHandle(receiverOf(a)) && isTransactionHandle(receiverOf(b));
}

/** Rows that one statement, or locks looked at by themselves, have taken before they are written; or one lock around it all. */
function alreadyHeld(ctx: RuleContext, outer: number, first: Lock): boolean {
  const { model, file } = ctx;
  const before = model.sitesWithin(file, outer).filter((s) => s.node.e <= first.site.node.s);
  if (first.kind === 'update' && before.some((s) => locksRows(ctx, s, first.what))) return true;
  if (first.kind === 'mutex') return false;
  for (const frame of model.frames.around(file, first.site.node, first.site.fn))
    if (frame.k === 'callback' && frame.roles.has('lock')) return true;
  return before.some((s) => s.effect?.kind === 'lock' && s.effect.op === 'acquire');
}

function locksRows(ctx: RuleContext, site: Site, table: string): boolean {
  if (site.effect?.sql?.forUpdate && site.effect.entity === table) return true;
  if (site.effect?.sql?.advisory) return true;
  const lock = lockOf(ctx.model, site);
  return lock !== null && lock.kind !== 'update' && lock.what === table;
}

/** The two parts that differ, when the caller decides both. */
function decidedKeys(ctx: RuleContext, first: Lock, second: Lock): readonly [Expr, Expr] | null {
  const { file } = ctx;
  const mine = first.keys.flatMap((k) => leaves(file, k));
  const theirs = second.keys.flatMap((k) => leaves(file, k));
  const text = (e: Expr): string => file.text.slice(e.s, e.e);
  const onlyMine = mine.filter((e) => !theirs.some((o) => text(o) === text(e)));
  const onlyTheirs = theirs.filter((e) => !mine.some((o) => text(o) === text(e)));
  if (onlyMine.length !== 1 || onlyTheirs.length !== 1) return null;
  const [a] = onlyMine;
  const [b] = onlyTheirs;
  if (!a || !b || !fromCaller(file, a, 0, first.site.node) || !fromCaller(file, b, 0, first.site.node))
    return null;
  return [a, b];
}

/** Names and member chains of an expression, constants and operators of query builders left out. */
function leaves(file: SourceFile, expr: Expr): Expr[] {
  const out: Expr[] = [];
  walk(expr, (n) => {
    if (n.k === 'call') {
      for (const arg of n.args) out.push(...leaves(file, arg));
      return false;
    }
    if (n.k === 'mem' || n.k === 'idx') {
      if (isDataPath(file, n)) out.push(n);
      return false;
    }
    if (n.k === 'id') {
      if (n.b >= 0 && file.facts.bindings[n.b]?.fn !== 0) out.push(n);
      return false;
    }
    return true;
  });
  return out;
}

function isDataPath(file: SourceFile, expr: Expr): boolean {
  const root = rootId(expr);
  return root !== null && (root < 0 ? false : file.facts.bindings[root]?.fn !== 0);
}

function rootId(expr: Expr): number | null {
  let at = uncast(expr);
  while (at.k === 'mem' || at.k === 'idx') at = uncast(at.obj);
  return at.k === 'id' ? at.b : null;
}

/** The value comes from a parameter without being put in order, and not out of what the first lock read. */
function fromCaller(file: SourceFile, expr: Expr, depth: number, lock: AnyNode): boolean {
  if (depth > 6) return false;
  const inner = uncast(expr);
  switch (inner.k) {
    case 'mem':
    case 'idx':
      return fromCaller(file, inner.obj, depth + 1, lock);
    case 'await':
      return fromCaller(file, inner.arg, depth + 1, lock);
    case 'call':
      if (
        /sort|min|max|order/i.test(
          inner.callee.k === 'mem' ? inner.callee.prop : inner.callee.k === 'id' ? inner.callee.name : '',
        )
      )
        return false;
      if (inner.callee.k === 'mem' && fromCaller(file, inner.callee.obj, depth + 1, lock)) return true;
      return inner.args.some((a) => fromCaller(file, a, depth + 1, lock));
    case 'obj':
      return inner.props.some((p) => fromCaller(file, p.value, depth + 1, lock));
    case 'tmpl':
      return inner.exprs.some((e) => fromCaller(file, e, depth + 1, lock));
    case 'bin':
      return inner.op === '??' || inner.op === '||' ? fromCaller(file, inner.l, depth + 1, lock) : false;
    case 'id': {
      const binding = file.facts.bindings[inner.b];
      if (!binding?.decl) return false;
      if (binding.decl.k === 'param') return true;
      if (binding.decl.k === 'init') {
        const { init } = binding.decl;
        if (init.s <= lock.s && lock.e <= init.e) return false;
        return fromCaller(file, init, depth + 1, lock);
      }
      return binding.decl.k === 'each' && fromCaller(file, binding.decl.iter, depth + 1, lock);
    }
    default:
      return false;
  }
}

const ORDERED =
  /\.(?:sort|toSorted)\s*\(|localeCompare\(|\bMath\.(?:min|max)\s*\(|\b(?:sortBy|orderBy|sorted|ordered)\w*\b/;

/** The function puts the keys in order somewhere. */
function isOrdered(file: SourceFile, outer: number, a: Expr | null, b: Expr | null): boolean {
  const fact = file.facts.functions[outer];
  if (!fact) return true;
  const text = file.text.slice(fact.bs, fact.e);
  if (ORDERED.test(text)) return true;
  if (!a || !b) return false;
  const x = escape(file.text.slice(a.s, a.e));
  const y = escape(file.text.slice(b.s, b.e));
  return new RegExp(
    `(?:${x})\\)?\\s*[<>]=?\\s*(?:\\w+\\()?(?:${y})|(?:${y})\\)?\\s*[<>]=?\\s*(?:\\w+\\()?(?:${x})`,
  ).test(text);
}

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

function noun(lock: Lock): string {
  return lock.kind === 'mutex'
    ? `lock of \`${short(lock.what)}\``
    : lock.kind === 'advisory'
      ? 'advisory lock'
      : `row of \`${lock.what}\``;
}

function ending(lock: Lock): string {
  return lock.kind === 'mutex'
    ? 'neither goes on, and every later call for these two waits behind them'
    : 'the database notices after its deadlock timeout and ends one of them with an error';
}

function reportPair(
  ctx: RuleContext,
  outer: number,
  first: Lock,
  second: Lock,
  keys: readonly [Expr, Expr],
  all: readonly Lock[],
): void {
  const { file } = ctx;
  const a = short(file.text.slice(keys[0].s, keys[0].e));
  const b = short(file.text.slice(keys[1].s, keys[1].e));
  const fn = file.facts.functions[outer]?.name ?? 'this function';
  const thing = noun(first);
  ctx.report({
    at: calleeOf(second.site),
    message: `Two calls that name the same two the other way round deadlock: each holds one ${thing} and waits for the other's.`,
    trigger: `two calls of \`${fn}\` at the same time, one with \`${a}\` and \`${b}\` exchanged`,
    scenario: `T1 runs \`${fn}\` with (\`${a}\` = A, \`${b}\` = B) and holds A; T2 runs it with (\`${a}\` = B, \`${b}\` = A) and holds B; T1 waits for B, T2 waits for A: ${ending(first)}.`,
    detection:
      first.kind === 'mutex'
        ? 'When callers hang: a call that waits for a lock raises no error.'
        : 'Minutes, by the error rate: the database reports a deadlock to one of the two.',
    fix: `Lock \`${a}\` and \`${b}\` in an order that does not depend on the caller.`,
    anchor: calleeName(second.site),
    confidence: first.confidence,
    ...(first.noWait && second.noWait ? { severity: 'medium' as const } : {}),
    fixes:
      all.filter((l) => l.what === first.what && l.kind === first.kind).length === 2
        ? sortFix(ctx, outer, first, second, keys)
        : [],
  });
}

function calleeOf(site: Site): { s: number; e: number } {
  return site.node.k === 'tag' ? site.node.tag : site.node.callee;
}

// ---- a lock for each element of a list

function loops(ctx: RuleContext, outer: number, locks: readonly Lock[]): void {
  const { file } = ctx;
  for (const lock of locks) {
    if (lock.kind === 'mutex') continue;
    if (lock.kind === 'update' && lock.site.effect?.op !== 'increment' && !isRelative(file, lock.site))
      continue;
    const loop = [...ctx.model.frames.around(file, lock.site.node, lock.site.fn)].find(
      (f) => f.k === 'loop' || f.k === 'function' || f.k === 'callback',
    );
    if (loop?.k !== 'loop' || loop.node.k !== 'forof') continue;
    const names = new Set<number>();
    for (const d of loop.node.decl?.decls ?? []) eachName(d.target, (_, b) => names.add(b));
    const key = lock.keys.flatMap((k) => leaves(file, k)).find((e) => names.has(rootId(e) ?? -2));
    if (!key || !fromCaller(file, loop.node.iter, 0, lock.site.node) || isOrdered(file, outer, null, null))
      continue;
    // One short transaction for each element holds one lock at a time.
    if (lock.site.target.k !== 'fn' && !opensOutside(ctx, lock, loop.node)) continue;
    const list = short(file.text.slice(loop.node.iter.s, loop.node.iter.e));
    const fn = file.facts.functions[outer]?.name ?? 'this function';
    ctx.report({
      at: calleeOf(lock.site),
      message: `Two calls whose \`${list}\` name the same two in different orders deadlock: each holds one ${noun(lock)} and waits for the other's.`,
      trigger: `two calls of \`${fn}\` at the same time whose \`${list}\` share two elements in different orders`,
      scenario: `T1 runs \`${fn}\` with [A, B] and holds A; T2 runs it with [B, A] and holds B; T1 waits for B, T2 waits for A: ${ending(lock)}.`,
      detection: 'Minutes, by the error rate: the database reports a deadlock to one of the two.',
      fix: `Sort \`${list}\` by key before the loop.`,
      anchor: calleeName(lock.site),
      confidence: lock.confidence,
      severity: lock.noWait || lock.kind === 'update' ? 'medium' : 'high',
    });
  }
}

/** The values of an update are relative to what is stored: many callers meet at the same rows. */
function isRelative(file: SourceFile, site: Site): boolean {
  return (
    site.effect?.sql?.relative === true ||
    /\b(?:increment|decrement|\$inc)\b/.test(file.text.slice(site.node.s, site.node.e))
  );
}

function opensOutside(ctx: RuleContext, lock: Lock, loop: AnyNode): boolean {
  const scope = openTransaction(ctx.model, lock.site);
  if (scope) return !(scope.opener.node.s > loop.s && scope.opener.node.e < loop.e);
  return lock.kind !== 'update' || isTransactionHandle(receiverOf(lock.site));
}

// ---- two functions, opposite orders

interface Order {
  readonly outer: number;
  readonly first: Lock;
  readonly second: Lock;
}

function opposite(ctx: RuleContext, byFunction: ReadonlyMap<number, readonly Lock[]>): void {
  const orders: Order[] = [];
  for (const [outer, locks] of byFunction)
    for (const [i, first] of locks.entries())
      for (const second of locks.slice(i + 1))
        if (
          first.kind !== 'update' &&
          second.kind !== 'update' &&
          first.kind === second.kind &&
          nameOf(first) !== nameOf(second) &&
          heldTogether(ctx, first, second)
        )
          orders.push({ outer, first, second });
  for (const order of orders) {
    const other = orders.find(
      (o) =>
        o.outer !== order.outer &&
        nameOf(o.first) === nameOf(order.second) &&
        nameOf(o.second) === nameOf(order.first),
    );
    if (!other) continue;
    const { file } = ctx;
    const mine = file.facts.functions[order.outer]?.name ?? 'this function';
    const theirs = file.facts.functions[other.outer]?.name ?? 'another function';
    const a = nameOf(order.first);
    const b = nameOf(order.second);
    ctx.report({
      at: calleeOf(order.second.site),
      message: `\`${mine}\` takes \`${short(a)}\` and then \`${short(b)}\`, \`${theirs}\` takes them the other way round: at the same time they deadlock.`,
      trigger: `\`${mine}\` and \`${theirs}\` run at the same time`,
      scenario: `T1 runs \`${mine}\` and holds \`${short(a)}\`; T2 runs \`${theirs}\` and holds \`${short(b)}\`; T1 waits for \`${short(b)}\`, T2 waits for \`${short(a)}\`: ${ending(order.first)}.`,
      detection:
        order.first.kind === 'mutex'
          ? 'When callers hang: a call that waits for a lock raises no error.'
          : 'Minutes, by the error rate: the database reports a deadlock to one of the two.',
      fix: `Take \`${short(a)}\` and \`${short(b)}\` in the same order in both functions.`,
      anchor: calleeName(order.second.site),
      confidence: order.first.confidence,
    });
  }
}

/** Rows of one table are told apart by their keys only, so the table stands for them. */
function nameOf(lock: Lock): string {
  if (lock.kind !== 'advisory')
    return lock.kind === 'mutex' && lock.keys.length > 0
      ? `${lock.what}(${lock.keys.map((k) => lock.site.file.text.slice(k.s, k.e)).join()})`
      : lock.what;
  return lock.site.effect?.sql?.text ?? lock.what;
}

// ---- the fix

interface Taken {
  readonly st: Stmt;
  /** Text of the pattern the result goes to; null when it is dropped. */
  readonly into: string | null;
  readonly init: Expr;
}

function takenBy(file: SourceFile, site: Site): Taken | null {
  const st = file.index.statementOf(site.node);
  if (!st) return null;
  if (st.k === 'expr') return { st, into: null, init: st.expr };
  if (st.k !== 'var' || st.decls.length !== 1 || st.kind === 'let' || st.kind === 'var') return null;
  const decl = (st as VarStmt).decls[0];
  return decl?.init ? { st, into: file.text.slice(decl.target.s, decl.target.e), init: decl.init } : null;
}

/** Both locks are taken first, the lesser key before the greater; what they gave then goes back under its old name. */
function sortFix(
  ctx: RuleContext,
  outer: number,
  first: Lock,
  second: Lock,
  keys: readonly [Expr, Expr],
): FixDraft[] {
  const { file } = ctx;
  const one = takenBy(file, first.site);
  const two = takenBy(file, second.site);
  if (!one || !two || file.index.parent(one.st) !== file.index.parent(two.st)) return [];
  if (first.site.fn !== second.site.fn || (one.into === null) !== (two.into === null)) return [];
  const text = (n: { s: number; e: number }): string => file.text.slice(n.s, n.e);
  const [a, b] = [text(keys[0]), text(keys[1])];
  if (occurrences(file, one.init, keys[0]) !== 1 || occurrences(file, two.init, keys[1]) !== 1) return [];
  // The second must not need what is worked out between the two.
  if (one.st.e < two.st.s && needsBetween(file, one.st, two)) return [];
  // Two statements that do the same but for the key can change places; others cannot.
  const shape = (init: Expr, key: Expr): string =>
    text({ s: init.s, e: key.s }) + '$' + text({ s: key.e, e: init.e });
  if (shape(one.init, keys[0]) !== shape(two.init, keys[1])) return [];
  return [
    {
      id: 'sort-keys',
      title: 'Take the two locks in sorted order',
      kind: 'previewed',
      edits: () => {
        const firstKey = unused(file, outer, 'firstKey');
        const secondKey = unused(file, outer, 'secondKey');
        const nl = `${lineEnd(file.text)}${indentAt(file.text, one.st.s)}`;
        const semi = text(one.st).endsWith(';') ? ';' : '';
        const by = (init: Expr, key: Expr, name: string): string =>
          text({ s: init.s, e: key.s }) + name + text({ s: key.e, e: init.e });
        const lines = [
          `const [${firstKey}, ${secondKey}] = ${a} < ${b} ? [${a}, ${b}] : [${b}, ${a}]${semi}`,
        ];
        if (one.into === null)
          lines.push(
            `${by(one.init, keys[0], firstKey)}${semi}`,
            `${by(one.init, keys[0], secondKey)}${semi}`,
          );
        else {
          const [x, y] = [unused(file, outer, 'first'), unused(file, outer, 'second')];
          lines.push(
            `const ${x} = ${by(one.init, keys[0], firstKey)}${semi}`,
            `const ${y} = ${by(one.init, keys[0], secondKey)}${semi}`,
            `const ${one.into} = ${firstKey} === ${a} ? ${x} : ${y}${semi}`,
            `const ${two.into ?? ''} = ${firstKey} === ${a} ? ${y} : ${x}${semi}`,
          );
        }
        const gap = file.text.slice(one.st.e, two.st.s);
        const apart = gap.trim() !== '';
        const edits = [{ start: one.st.s, end: apart ? one.st.e : two.st.e, newText: lines.join(nl) }];
        if (apart) edits.push({ start: lineStart(file.text, two.st.s), end: two.st.e, newText: '' });
        return [{ file: file.path, edits }];
      },
    },
  ];
}

/** Start of the white space before an offset, the line break included. */
function lineStart(text: string, offset: number): number {
  let at = offset;
  while (at > 0 && /[ \t]/.test(text[at - 1] ?? '')) at--;
  if (text[at - 1] === '\n') at--;
  if (text[at - 1] === '\r') at--;
  return at;
}

function occurrences(file: SourceFile, root: Expr, key: Expr): number {
  const wanted = file.text.slice(key.s, key.e);
  let n = 0;
  walk(root, (node) => {
    if (
      (node.k === 'id' || node.k === 'mem' || node.k === 'idx') &&
      file.text.slice(node.s, node.e) === wanted
    ) {
      n++;
      return false;
    }
    return true;
  });
  return n;
}

function needsBetween(file: SourceFile, after: Stmt, two: Taken): boolean {
  const parent = file.index.parent(two.st);
  const body =
    parent?.k === 'block' ? parent.body : (file.facts.functions[file.index.functionOf(two.init)]?.body ?? []);
  const names = new Set<number>();
  for (const st of body) {
    if (st.s <= after.s || st.s >= two.st.s) continue;
    if (st.k === 'var') for (const d of st.decls) eachName(d.target, (_, b) => names.add(b));
  }
  return names.size > 0 && some(two.init, (n) => n.k === 'id' && names.has(n.b));
}

/** A name that the surrounding function does not use. */
function unused(file: SourceFile, fn: number, name: string): string {
  const fact = file.facts.functions[fn];
  const text = fact ? file.text.slice(fact.s, fact.e) : file.text;
  let at = name;
  for (let n = 2; new RegExp(`\\b${at}\\b`).test(text); n++) at = `${name}${n}`;
  return at;
}

export const examples: readonly RuleExample[] = [
  {
    title: 'Moving credit between two accounts',
    bad: `import { Pool, type PoolClient } from 'pg';

async function lockAccount(client: PoolClient, id: string) {
  const { rows } = await client.query('SELECT id, cents FROM accounts WHERE id = $1 FOR UPDATE', [id]);
  return rows[0];
}

export async function move(client: PoolClient, fromId: string, toId: string, cents: number) {
  const from = await lockAccount(client, fromId);
  const to = await lockAccount(client, toId);
  if (!to || from.cents < cents) throw new Error('not possible');
  await client.query('UPDATE accounts SET cents = cents - $1 WHERE id = $2', [cents, from.id]);
  await client.query('UPDATE accounts SET cents = cents + $1 WHERE id = $2', [cents, to.id]);
}
`,
    good: `import { Pool, type PoolClient } from 'pg';

export async function move(client: PoolClient, fromId: string, toId: string, cents: number) {
  await client.query('SELECT id FROM accounts WHERE id = ANY($1) ORDER BY id FOR UPDATE', [[fromId, toId]]);
  await client.query('UPDATE accounts SET cents = cents - $1 WHERE id = $2 AND cents >= $1', [cents, fromId]);
  await client.query('UPDATE accounts SET cents = cents + $1 WHERE id = $2', [cents, toId]);
}
`,
    fixed: `import { Pool, type PoolClient } from 'pg';

async function lockAccount(client: PoolClient, id: string) {
  const { rows } = await client.query('SELECT id, cents FROM accounts WHERE id = $1 FOR UPDATE', [id]);
  return rows[0];
}

export async function move(client: PoolClient, fromId: string, toId: string, cents: number) {
  const [firstKey, secondKey] = fromId < toId ? [fromId, toId] : [toId, fromId];
  const first = await lockAccount(client, firstKey);
  const second = await lockAccount(client, secondKey);
  const from = firstKey === fromId ? first : second;
  const to = firstKey === fromId ? second : first;
  if (!to || from.cents < cents) throw new Error('not possible');
  await client.query('UPDATE accounts SET cents = cents - $1 WHERE id = $2', [cents, from.id]);
  await client.query('UPDATE accounts SET cents = cents + $1 WHERE id = $2', [cents, to.id]);
}
`,
  },
];
