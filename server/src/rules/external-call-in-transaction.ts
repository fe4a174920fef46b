/** Waiting for somebody else while a transaction is open. */
import type { Stmt } from '../facts/ir.ts';
import { some, type AnyNode } from '../facts/walk.ts';
import { indentAt, lineEnd } from '../fixes/edits.ts';
import { mayFollow, mustPrecede } from '../model/paths.ts';
import { isIdempotent, type Site } from '../model/sites.ts';
import { isDatabaseWrite, rootOfSite, sameRoot } from './_kit/databaseCalls.ts';
import { detectionWhenHeld, detectionWhenThrown } from './_kit/detection.ts';
import { takesNoHandle } from './_kit/emptyTransactions.ts';
import { neverTaken } from './_kit/optionGuards.ts';
import { defineRule, type FixDraft, type Report, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { calleeName } from './_kit/text.ts';
import { limitOf, type OpenLimit } from './_kit/transactionLimit.ts';
import { isAwaited, openTransaction, type TransactionScope } from './_kit/transactionScopes.ts';
import { urlHost } from './_kit/url.ts';

export const rule = defineRule({
  id: 'external-call-in-transaction',
  lens: 'partial-failure',
  axis: 'cascading-failure',
  faultClass: 'gray-failure',
  severity: 'high',
  blocking: true,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'While a database transaction is open (or a connection is checked out of its pool) the code waits for a network call, a mail or a timer, directly or through functions it calls.',
    why: 'The transaction keeps its connection and its row locks for as long as the other side takes. When that side is slow, a handful of requests hold every connection of the pool and everybody else waits, though the database itself is idle. Where the library ends a transaction that takes too long (Prisma does, after 5 s), the writes are rolled back in the middle of the wait. Either way what was sent stays sent.',
    remedy:
      'Call before the transaction and pass the result in, or after the commit; where the call must follow from the write, store the intent in the same transaction and let a worker send it.',
    whenNot: 'A lock that exists in order to make the call once, on a connection kept for that purpose.',
  },
  incidents: ['pool-exhaustion', 'long-transaction'],
  fixKind: 'previewed',
  detect(ctx) {
    const open = new Map<AnyNode, Open>();
    for (const site of ctx.sites) {
      const wait = directWait(ctx, site) ?? waitBehind(ctx, site);
      if (!wait || !isAwaited(site.file, site.top)) continue;
      const scope = openTransaction(ctx.model, site);
      if (!scope) {
        const held = heldConnection(ctx, site);
        if (held && wait.hit === site) reportHeld(ctx, wait, held);
        continue;
      }
      // What is in a transaction without its handle is in none: that is another finding.
      if (takesNoHandle(ctx.model, scope)) continue;
      const before = open.get(scope.opener.node);
      if (before) before.waits.push(wait);
      else open.set(scope.opener.node, { scope, waits: [wait] });
    }
    for (const { scope, waits } of open.values()) report(ctx, scope, waits);
  },
});

/** One transaction with everything that it waits for. */
interface Open {
  readonly scope: TransactionScope;
  readonly waits: Wait[];
}

interface Wait {
  /** The call in the transaction. */
  readonly site: Site;
  /** The call that waits: `site` itself, or one in the function that it calls. */
  readonly hit: Site;
  readonly what: string;
}

const OUTSIDE = new Set(['http', 'sdk', 'rpc', 'mail']);

function directWait(ctx: RuleContext, site: Site): Wait | null {
  const { effect } = site;
  if (effect && effect.confidence === 'shown') {
    if (OUTSIDE.has(effect.kind) && effect.network && effect.op !== 'consume')
      return { site, hit: site, what: whoOf(ctx, site) };
    if (effect.kind === 'sleep') return { site, hit: site, what: 'the timer' };
  }
  if (site.node.k === 'new' && site.target.k === 'builtin' && site.target.name === 'Promise' && isSleep(site))
    return { site, hit: site, what: 'the timer' };
  return null;
}

/** `new Promise(r => setTimeout(r, ms))`. */
function isSleep(site: Site): boolean {
  if (site.node.k !== 'new') return false;
  const arg = site.node.args[0];
  if (arg?.k !== 'fn') return false;
  const fact = site.file.facts.functions[arg.fn];
  const resolve = fact?.params[0]?.target;
  if (!fact || fact.body.length !== 1 || resolve?.k !== 'pid') return false;
  return fact.body.some((st) =>
    some(
      st,
      (n) =>
        n.k === 'call' &&
        n.callee.k === 'id' &&
        n.callee.name === 'setTimeout' &&
        n.args[0]?.k === 'id' &&
        n.args[0].b === resolve.b,
    ),
  );
}

function whoOf(ctx: RuleContext, site: Site): string {
  const host = urlHost(ctx.model, site);
  if (host) return `\`${host}\``;
  return site.effect?.kind === 'mail'
    ? 'the mail server'
    : site.effect?.kind === 'sdk'
      ? `\`${site.effect.library}\``
      : 'the other side';
}

function waitBehind(ctx: RuleContext, site: Site): Wait | null {
  if (site.target.k !== 'fn') return null;
  // Cheap first: most calls are in no transaction at all.
  if (!openTransaction(ctx.model, site)) return null;
  const { value } = site.target;
  for (const { site: hit, via } of ctx.model.reach(value.file, value.fn)) {
    if (via.length > 4) continue;
    const direct = directWait(ctx, hit);
    if (!direct || !isAwaited(hit.file, hit.top)) continue;
    if (via.some((v) => !isAwaited(v.file, v.top)) || detached(ctx, hit) || via.some((v) => detached(ctx, v)))
      continue;
    if (neverTaken(ctx.model, [site, ...via], hit)) continue;
    return { ...direct, site };
  }
  return null;
}

function detached(ctx: RuleContext, site: Site): boolean {
  for (const frame of ctx.model.frames.around(site.file, site.node, site.fn)) {
    if (frame.k === 'catch') return true;
    if (
      frame.k === 'callback' &&
      (frame.roles.has('listener') ||
        frame.roles.has('after-commit') ||
        frame.roles.has('handler') ||
        frame.roles.has('consumer') ||
        !frame.resolved)
    )
      return true;
  }
  return false;
}

interface Held {
  readonly acquire: Site;
  readonly name: string;
}

function heldConnection(ctx: RuleContext, site: Site): Held | null {
  const { file } = site;
  const sites = ctx.model.sites.of(file, site.fn);
  for (const acquire of sites) {
    if (acquire.effect?.kind !== 'connection' || acquire.effect.op !== 'acquire' || acquire === site)
      continue;
    if (acquire.effect.pack?.id === 'mongodb' || acquire.effect.pack?.id === 'mongoose') continue;
    if (!mustPrecede(file, acquire.node, site.node)) continue;
    const parent = declared(file, acquire.top);
    if (!parent) continue;
    const releases = sites.filter((s) => s.effect?.op === 'release' && sameRoot(rootOfSite(s), parent.root));
    if (releases.length === 0 || releases.some((r) => mustPrecede(file, r.node, site.node))) continue;
    if (releases.some((r) => mayFollow(file, site.node, r.node))) return { acquire, name: parent.name };
  }
  return null;
}

function declared(
  file: Site['file'],
  top: AnyNode,
): { name: string; root: NonNullable<ReturnType<typeof rootOfSite>> } | null {
  for (let at = file.index.parent(top); at; at = file.index.parent(at)) {
    if (at.k === 'await' || at.k === 'as') continue;
    if (at.k !== 'var') return null;
    const target = at.decls.find((d) => d.init && d.init.s <= top.s && top.e <= d.init.e)?.target;
    const binding = target?.k === 'pid' ? file.facts.bindings[target.b] : undefined;
    return target?.k === 'pid' && binding
      ? { name: target.name, root: { binding, index: target.b, field: null } }
      : null;
  }
  return null;
}

const TIMER = 'the timer';

function report(ctx: RuleContext, scope: TransactionScope, waits: readonly Wait[]): void {
  const [wait] = [...waits].sort((a, b) => a.site.node.s - b.site.node.s);
  if (!wait) return;
  const { site, hit } = wait;
  const name = calleeName(site);
  const limit = limitOf(ctx.model, scope.opener);
  const bound = ctx.model.bounds.of(hit)?.parts.total;
  const shorter =
    limit !== null && waits.length === 1 && typeof bound === 'number' && (limit.ms ?? 0) > bound
      ? bound
      : null;
  const words =
    limit === null
      ? heldWords(ctx, scope, wait)
      : shorter === null
        ? endedWords(ctx, scope, waits, wait, limit)
        : { ...heldWords(ctx, scope, wait), severity: 'low' as const };
  const places = waits.map((w) => `\`${calleeName(w.site)}\``).filter((n) => n !== `\`${name}\``);
  const others = [...new Set(places)];
  ctx.report({
    at: (site.node.k === 'tag' ? site.node.tag : site.node.callee) as { s: number; e: number },
    ...words,
    message:
      others.length > 0 ? `${words.message} The same holds for ${listOf(others)} in it.` : words.message,
    fix:
      waits.length > 1
        ? 'Make these calls before the transaction, or after its commit.'
        : 'Make the call before the transaction, or after its commit.',
    anchor: name,
    path: hit === site ? [] : [site, hit],
    fixes: waits.length === 1 ? moveOut(site, scope) : [],
  });
}

function listOf(names: readonly string[]): string {
  const [first = '', ...rest] = names;
  const last = rest.pop();
  if (last === undefined) return first;
  return rest.length > 1
    ? `${first}, ${rest[0] ?? ''} and ${rest.length} more`
    : `${[first, ...rest].join(', ')} and ${last}`;
}

type Words = Pick<Report, 'message' | 'trigger' | 'scenario' | 'detection' | 'severity'>;

/** The transaction lasts as long as the other side takes. */
function heldWords(ctx: RuleContext, scope: TransactionScope, { site, hit, what }: Wait): Words {
  const name = calleeName(site);
  const through = hit === site ? '' : ` (\`${calleeName(hit)}\` in it)`;
  const locked = locksBefore(ctx, scope, site);
  const held = locked ? 'its connection, and the rows it has locked, are held' : 'its connection is held';
  const keeps = locked ? 'a pooled connection and its locks' : 'a pooled connection';
  return {
    message: `The transaction stays open while \`${name}\`${through} waits${what === TIMER ? '' : ` for ${what}`}: ${held} for that long.`,
    trigger:
      what === TIMER ? 'as many of these run at once as the pool has connections' : `${what} answers slowly`,
    scenario: `At \`${name}\`, when ${what === TIMER ? 'several run at once' : `${what} is slow`}, then each open transaction keeps ${keeps}, until none is left for anybody else.`,
    detection: detectionWhenHeld(ctx, site),
  };
}

/** The library ends the transaction in the middle of the wait; what was done outside is not undone. */
function endedWords(
  ctx: RuleContext,
  scope: TransactionScope,
  waits: readonly Wait[],
  { site, hit, what }: Wait,
  limit: OpenLimit,
): Words {
  const name = calleeName(site);
  const through = hit === site ? '' : ` (\`${calleeName(hit)}\` in it)`;
  const acting = waits.filter((w) => w.hit.effect?.write === true);
  const acts = acting.find((w) => w.hit.effect && !isIdempotent(w.hit.effect)) ?? acting[0];
  const writes = writesRows(ctx, scope);
  const whose = what === TIMER ? '' : ` for ${what}`;
  const gone = writes ? 'what the transaction wrote is rolled back' : 'the transaction fails';
  const stays = acts ? `, while what \`${calleeName(acts.site)}\` did outside stays` : '';
  return {
    message: `\`${name}\`${through} waits${whose} inside a transaction that ${limit.library} ends after ${limit.text}: once they have passed, ${gone}${stays}.`,
    trigger:
      what === TIMER
        ? 'the statements and the wait together take longer than the transaction may'
        : `${what} takes longer than the transaction has left`,
    scenario: `At \`${name}\`, when ${what === TIMER ? 'the wait' : 'the answer'} outlasts the transaction, then its next statement or its commit fails with ${limit.error}, and ${gone}${stays}.`,
    detection: detectionWhenThrown(ctx, scope.opener),
    severity: acts ? 'high' : 'medium',
  };
}

function writesRows(ctx: RuleContext, scope: TransactionScope): boolean {
  return ctx.model
    .reach(scope.opener.file, scope.fn)
    .some((r) => r.via.length < 4 && isDatabaseWrite(r.site));
}

/** A statement before the wait has taken row locks. */
function locksBefore(ctx: RuleContext, scope: TransactionScope, wait: Site): boolean {
  const { file } = wait;
  const home = scope.managed ? scope.fn : ctx.model.outermost(file, scope.fn);
  return ctx.model.sitesWithin(file, home).some((s) => {
    if (s === wait || s.node.s < scope.opener.node.s) return false;
    if (!(s.node.e <= wait.node.s || (s.fn === wait.fn && mayFollow(file, s.node, wait.node)))) return false;
    if (locksRows(s)) return true;
    return (
      s.target.k === 'fn' &&
      ctx.model
        .reach(s.target.value.file, s.target.value.fn)
        .some((r) => r.via.length < 4 && locksRows(r.site))
    );
  });
}

function locksRows(site: Site): boolean {
  return (
    isDatabaseWrite(site) ||
    site.chain.some((c) => c.refines === 'lock') ||
    /\bfor\s+(?:no\s+key\s+)?update\b/i.test(site.effect?.sql?.text ?? '')
  );
}

function reportHeld(ctx: RuleContext, { site, what }: Wait, held: Held): void {
  const name = calleeName(site);
  ctx.report({
    at: (site.node.k === 'tag' ? site.node.tag : site.node.callee) as { s: number; e: number },
    message: `The connection \`${held.name}\` stays checked out while \`${name}\` waits for ${what}.`,
    trigger:
      what === TIMER ? 'as many of these run at once as the pool has connections' : `${what} answers slowly`,
    scenario: `At \`${name}\`, when ${what === TIMER ? 'several run at once' : `${what} is slow`}, then each of these keeps a pooled connection until none is left.`,
    detection: detectionWhenHeld(ctx, site),
    fix: 'Make the call before the connection is taken, or after it is given back.',
    anchor: name,
    severity: 'medium',
  });
}

/** The call is the first or last statement of the transaction's callback and uses nothing of it. */
function moveOut(site: Site, scope: TransactionScope): FixDraft[] {
  const { file } = site;
  if (!scope.managed) return [];
  const body = file.facts.functions[scope.fn]?.body ?? [];
  const statement = file.index.statementOf(site.node);
  const at = statement ? body.indexOf(statement) : -1;
  const outer = file.index.statementOf(scope.opener.node);
  if (!statement || !outer || at < 0 || body.length < 2) return [];
  if (uses(statement, scope.binding)) return [];
  const before = at === 0 && (statement.k === 'expr' || statement.k === 'var');
  const after = at === body.length - 1 && statement.k === 'expr' && outer.k !== 'ret';
  if (after && declares(file, body.slice(0, at), statement))
    return before ? draft(site, outer, statement, true, body) : [];
  if (!before && !after) return [];
  return draft(site, outer, statement, !after, body);
}

function uses(statement: Stmt, binding: number): boolean {
  return binding >= 0 && some(statement, (n) => n.k === 'id' && n.b === binding);
}

/** The statement needs a name that the statements before it declare. */
function declares(file: Site['file'], before: readonly Stmt[], statement: Stmt): boolean {
  return some(statement, (n) => {
    if (n.k !== 'id') return false;
    const binding = file.facts.bindings[n.b];
    return binding !== undefined && before.some((st) => st.s <= binding.s && binding.s < st.e);
  });
}

function draft(site: Site, outer: Stmt, statement: Stmt, before: boolean, body: readonly Stmt[]): FixDraft[] {
  return [
    {
      id: before ? 'move-before-transaction' : 'move-after-transaction',
      title: before ? 'Move the call before the transaction' : 'Move the call after the transaction',
      kind: 'previewed',
      edits: () => {
        const { file } = site;
        const { text } = file;
        const nl = lineEnd(text);
        const indent = indentAt(text, outer.s);
        const moved = text
          .slice(statement.s, statement.e)
          .replace(
            /(\r?\n)([ \t]*)/g,
            (_, eol: string, space: string) =>
              `${eol}${space.slice(Math.max(0, indentAt(text, statement.s).length - indent.length))}`,
          );
        const next = body[body.indexOf(statement) + 1];
        const previous = body[body.indexOf(statement) - 1];
        const cut =
          before && next
            ? { start: statement.s, end: next.s, newText: '' }
            : previous
              ? { start: previous.e, end: statement.e, newText: '' }
              : null;
        if (!cut) return null;
        const put = before
          ? { start: outer.s, end: outer.s, newText: `${moved}${nl}${indent}` }
          : { start: outer.e, end: outer.e, newText: `${nl}${indent}${moved}` };
        return [{ file: file.path, edits: [put, cut] }];
      },
    },
  ];
}

export const examples: readonly RuleExample[] = [
  {
    title: 'A charge inside the transaction',
    bad: `import { PrismaClient } from '@prisma/client';
const prisma = new PrismaClient();
export async function confirm(id: string) {
  await prisma.$transaction(async (tx) => {
    await tx.booking.update({ where: { id }, data: { status: 'confirmed' } });
    await fetch(\`https://hotel.example.com/confirm/\${id}\`, { method: 'POST' });
  });
}
`,
    good: `import { PrismaClient } from '@prisma/client';
const prisma = new PrismaClient();
export async function confirm(id: string) {
  await prisma.$transaction(async (tx) => {
    await tx.booking.update({ where: { id }, data: { status: 'confirmed' } });
  });
  await fetch(\`https://hotel.example.com/confirm/\${id}\`, { method: 'POST' });
}
`,
    fixed: `import { PrismaClient } from '@prisma/client';
const prisma = new PrismaClient();
export async function confirm(id: string) {
  await prisma.$transaction(async (tx) => {
    await tx.booking.update({ where: { id }, data: { status: 'confirmed' } });
  });
  await fetch(\`https://hotel.example.com/confirm/\${id}\`, { method: 'POST' });
}
`,
  },
];
