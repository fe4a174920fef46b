/** A stored value that is read, changed in memory and written back as a whole. */
import type { Binary, Expr, Obj } from '../facts/ir.ts';
import { some, uncast, walk, type AnyNode } from '../facts/walk.ts';
import { replaceNode } from '../fixes/edits.ts';
import { readOption } from '../model/options.ts';
import type { SourceFile } from '../model/project.ts';
import type { Site } from '../model/sites.ts';
import { namesOf } from './_kit/decisions.ts';
import { isOneOff, isSerialised } from './_kit/guards.ts';
import { defineRule, type FixDraft, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { tableOf } from './_kit/tables.ts';
import { sitesByFunction } from './_kit/sitesByFunction.ts';
import { calleeName, short } from './_kit/text.ts';

export const rule = defineRule({
  id: 'read-modify-write',
  lens: 'concurrency',
  axis: 'data-consistency',
  faultClass: 'idempotency',
  severity: 'high',
  blocking: true,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'A value is read from the store, changed in memory (added to, appended to, merged), and written back as a whole, with no lock, no version in the condition and no operator of the store that does it in one step.',
    why: 'Two callers read the same value, both change their copy, and the later write puts the earlier one out: a deposit is gone, a counter is one short, a setting that somebody else saved is back to what it was. Nothing fails.',
    remedy:
      'Let the store change the value where it is (`increment`, `SET n = n + 1`, `jsonb_set`, `$inc`), or put the version that was read into the condition of the write, or lock the row before reading it.',
    whenNot: 'Where only one writer exists for the row.',
  },
  incidents: ['lost-update'],
  fixKind: 'previewed',
  detect(ctx) {
    if (isOneOff(ctx.file)) return;
    for (const sites of sitesByFunction(ctx)) look(ctx, sites);
  },
});

function isRead(site: Site): boolean {
  return (site.effect?.kind === 'db' || site.effect?.kind === 'cache') && site.effect.op === 'read';
}

function look(ctx: RuleContext, sites: readonly Site[]): void {
  const { file, model } = ctx;
  const reads = sites.filter((s) => isRead(s) && !s.effect?.sql?.forUpdate);
  for (const read of reads) {
    const names = namesOf(file, read.top, read.fn);
    if (names.size === 0) continue;
    let reported = false;
    for (const write of sites) {
      if (write.node.s < read.node.e || write.effect === null) continue;
      if (
        write.effect.kind !== read.effect?.kind ||
        (write.effect.op !== 'update' && write.effect.op !== 'write' && write.effect.op !== 'raw')
      )
        continue;
      if (write.effect.kind === 'db' && tableOf(write) !== tableOf(read)) continue;
      const back =
        write.effect.kind === 'cache' ? setBack(ctx, read, write, names) : writtenBack(ctx, write, names);
      if (!back || isSerialised(model, file, write.fn, write.node) || isConditional(ctx, write, back.column))
        continue;
      reported = true;
      reportColumn(ctx, read, write, back);
      break;
    }
    if (!reported && read.effect?.kind === 'db') savedEntity(ctx, read, names, sites);
  }
}

interface Back {
  readonly column: string;
  /** The new value as written in the call. */
  readonly value: Expr;
  /** Arithmetic, or a document or list that is put together anew. */
  readonly how: 'number' | 'document';
}

const flat = (name: string): string => name.replace(/_/g, '').toLowerCase();

/** A column whose new value is worked out from the old one. */
function writtenBack(ctx: RuleContext, write: Site, names: ReadonlySet<number>): Back | null {
  const { file } = ctx;
  for (const { column, value } of assignedColumns(ctx, write)) {
    const how = derivation(file, value, names, column, 0);
    if (how) return { column, value, how };
  }
  return null;
}

function assignedColumns(ctx: RuleContext, write: Site): { column: string; value: Expr }[] {
  const { model, file } = ctx;
  const { node, effect } = write;
  const out: { column: string; value: Expr }[] = [];
  if (effect?.sql) {
    const set = /\bset\b(.*?)(?:\bwhere\b|$)/i.exec(effect.sql.text)?.[1] ?? '';
    const list = node.k === 'tag' ? undefined : node.args[1];
    const items = list && uncast(list).k === 'arr' ? (uncast(list) as { items: readonly Expr[] }).items : [];
    const first = node.k === 'tag' ? node : uncast(node.args[0] ?? node.callee);
    const inline = first.k === 'tag' || first.k === 'tmpl' ? first.exprs : [];
    let at = 0;
    for (const m of set.matchAll(/["`]?(\w+)["`]?\s*=\s*(\$\?|\$(\d+)|\?)/g)) {
      const value = m[2] === '$?' ? inline[at++] : m[3] ? items[Number(m[3]) - 1] : items[at++];
      if (m[1] && value) out.push({ column: m[1], value });
    }
    return out;
  }
  const objects: Expr[] = [];
  if (effect?.spec.dataAt && node.k !== 'tag') {
    const read = readOption(model.values, file, node, effect.spec.dataAt);
    if (read.k === 'value' && read.file === file) objects.push(read.expr);
  }
  for (const link of write.chain)
    if (/^(?:set|update)$/.test(link.name)) objects.push(...link.node.args.slice(0, 1));
  for (const expr of objects) {
    const inner = uncast(expr);
    if (inner.k !== 'obj') continue;
    for (const p of (inner as Obj).props)
      if (p.key && p.kind !== 'spread') out.push({ column: p.key, value: p.value });
  }
  return out;
}

/** How an expression is made from the column's old value; null when it is not. */
function derivation(
  file: SourceFile,
  expr: Expr,
  names: ReadonlySet<number>,
  column: string,
  depth: number,
): Back['how'] | null {
  if (depth > 4) return null;
  const inner = uncast(expr);
  const old = (e: Expr): boolean => some(e, (n) => isOld(file, n, names, column, depth));
  switch (inner.k) {
    case 'bin':
      if (/^[-+*/]$/.test(inner.op) && (old(inner.l) || old(inner.r)) && !isText(inner)) return 'number';
      return inner.op === '??' || inner.op === '||'
        ? derivation(file, inner.l, names, column, depth + 1)
        : null;
    case 'obj':
      return inner.props.some((p) => p.kind === 'spread' && old(p.value)) ? 'document' : null;
    case 'arr':
      return inner.items.some((i) => i.k === 'spread' && old(i.arg)) ? 'document' : null;
    case 'call': {
      const callee = inner.callee;
      if (callee.k === 'mem' && callee.obj.k === 'id' && callee.obj.b < 0) {
        const arg = inner.args[0];
        if (callee.obj.name === 'JSON' && arg) return derivation(file, arg, names, column, depth + 1);
        if (callee.obj.name === 'Math')
          return inner.args.map((a) => derivation(file, a, names, column, depth + 1)).find(Boolean) ?? null;
        if (callee.obj.name === 'Object' && callee.prop === 'assign')
          return inner.args.some(old) ? 'document' : null;
      }
      if (callee.k === 'id' && /^(?:String|Number)$/.test(callee.name) && inner.args[0])
        return derivation(file, inner.args[0], names, column, depth + 1);
      return callee.k === 'mem' &&
        /^(?:concat|filter|map|plus|minus|add|sub|subtract|times|toFixed|toString)$/.test(callee.prop) &&
        old(callee.obj)
        ? /^(?:concat|filter|map)$/.test(callee.prop)
          ? 'document'
          : (derivation(file, callee.obj, names, column, depth + 1) ??
            (/^(?:plus|minus|add|sub|subtract|times)$/.test(callee.prop) ? 'number' : null))
        : null;
    }
    case 'cond':
      return (
        derivation(file, inner.yes, names, column, depth + 1) ??
        derivation(file, inner.no, names, column, depth + 1)
      );
    case 'id': {
      const binding = file.facts.bindings[inner.b];
      if (!binding || binding.decl?.k !== 'init' || binding.decl.path.length > 0 || names.has(inner.b))
        return null;
      return derivation(file, binding.decl.init, names, column, depth + 1);
    }
    default:
      return null;
  }
}

/** `row.balance` for the column `balance`, or a name that was taken from it. */
function isOld(
  file: SourceFile,
  n: AnyNode,
  names: ReadonlySet<number>,
  column: string,
  depth: number,
): boolean {
  if (n.k === 'mem' && flat(n.prop) === flat(column)) {
    const root = rootBinding(n.obj);
    return root !== null && names.has(root);
  }
  if (n.k !== 'id' || depth > 4) return false;
  const binding = file.facts.bindings[n.b];
  if (names.has(n.b))
    return binding?.decl?.k === 'init' && binding.decl.path.length > 0 && flat(n.name) === flat(column);
  if (binding?.decl?.k !== 'init' || binding.decl.path.length > 0) return false;
  const init = uncast(binding.decl.init);
  return (
    init.k !== 'await' &&
    init.k !== 'fn' &&
    some(init, (m) => m.k === 'mem' && flat(m.prop) === flat(column) && names.has(rootBinding(m.obj) ?? -2))
  );
}

function rootBinding(expr: Expr): number | null {
  let at: Expr = expr;
  while (at.k === 'mem' || at.k === 'idx' || at.k === 'as' || at.k === 'await')
    at = at.k === 'mem' || at.k === 'idx' ? at.obj : at.arg;
  return at.k === 'id' ? at.b : null;
}

function isText(expr: Binary): boolean {
  return expr.op === '+' && some(expr, (n) => n.k === 'tmpl' || (n.k === 'lit' && n.kind === 'string'));
}

/** `const n = await redis.get(k)` … `redis.set(k, n + 1)`, with the same key. */
function setBack(ctx: RuleContext, read: Site, write: Site, names: ReadonlySet<number>): Back | null {
  const { file } = ctx;
  if (read.node.k !== 'call' || write.node.k !== 'call') return null;
  const [key, value] = write.node.args;
  const readKey = read.node.args[0];
  if (!key || !value || !readKey || !/^(?:set|setEx|setex|hSet|hset|json\.set)$/i.test(memberOf(write)))
    return null;
  if (file.text.slice(key.s, key.e) !== file.text.slice(readKey.s, readKey.e)) return null;
  const last = write.node.args.at(-1);
  const made = [value, last]
    .flatMap((v) => (v ? [v] : []))
    .find((v) => changesCopy(file, v, names, write.node, 0));
  return made
    ? {
        column: file.text.slice(key.s, key.e),
        value: made,
        how: uncast(made).k === 'bin' ? 'number' : 'document',
      }
    : null;
}

function memberOf(site: Site): string {
  return site.node.k !== 'tag' && site.node.callee.k === 'mem' ? site.node.callee.prop : '';
}

/** Worked out from the copy, or the copy itself after something in it was assigned. */
function changesCopy(
  file: SourceFile,
  expr: Expr,
  names: ReadonlySet<number>,
  before: AnyNode,
  depth: number,
): boolean {
  if (depth > 4) return false;
  const inner = uncast(expr);
  const about = (e: Expr): boolean =>
    some(e, (n) => n.k === 'id' && (names.has(n.b) || comesFrom(file, n.b, names)));
  if (inner.k === 'bin') return /^[-+*/]$/.test(inner.op) && about(inner) && !isText(inner);
  if (inner.k === 'obj') return inner.props.some((p) => p.kind === 'spread' && about(p.value));
  if (inner.k === 'arr') return inner.items.some((i) => i.k === 'spread' && about(i.arg));
  if (inner.k === 'call') return inner.args.some((a) => changesCopy(file, a, names, before, depth + 1));
  if (inner.k === 'tmpl') return inner.exprs.some((e) => changesCopy(file, e, names, before, depth + 1));
  if (inner.k !== 'id') return false;
  if (names.has(inner.b) || comesFrom(file, inner.b, names)) return isMutated(file, inner.b, before);
  const binding = file.facts.bindings[inner.b];
  return binding?.decl?.k === 'init' && changesCopy(file, binding.decl.init, names, before, depth + 1);
}

function comesFrom(file: SourceFile, b: number, names: ReadonlySet<number>): boolean {
  const decl = file.facts.bindings[b]?.decl;
  return decl?.k === 'init' && some(decl.init, (n) => n.k === 'id' && names.has(n.b));
}

function isMutated(file: SourceFile, b: number, before: AnyNode): boolean {
  const fact = file.facts.functions[file.index.innermost(before.s)];
  let found = false;
  for (const st of fact?.body ?? [])
    walk(st, (n) => {
      if (n.s < before.s && changeOfName(n, b)) found = true;
      return !found;
    });
  return found;
}

function changeOfName(n: AnyNode, b: number): boolean {
  if (n.k === 'asg' && (n.target.k === 'mem' || n.target.k === 'idx')) return rootBinding(n.target) === b;
  if (n.k === 'un' && (n.op === '++' || n.op === '--')) return rootBinding(n.arg) === b;
  return (
    n.k === 'call' &&
    n.callee.k === 'mem' &&
    /^(?:push|unshift|splice|pop|shift|add)$/.test(n.callee.prop) &&
    rootBinding(n.callee.obj) === b
  );
}

/** The write asks for the version or the old value in its own condition. */
function isConditional(ctx: RuleContext, write: Site, column: string): boolean {
  const { model, file } = ctx;
  const sql = write.effect?.sql;
  if (sql)
    return new RegExp(`\\b(?:${column.toLowerCase()}|version|revision|updated_?at|etag)\\b`).test(
      sql.whereText,
    );
  const at = write.effect?.spec.filterAt;
  const texts: string[] = [];
  if (at && write.node.k !== 'tag') {
    const read = readOption(model.values, file, write.node, at);
    if (read.k === 'value') texts.push(read.file.text.slice(read.expr.s, read.expr.e));
  }
  for (const link of write.chain)
    if (/where/i.test(link.name)) texts.push(...link.node.args.map((a) => file.text.slice(a.s, a.e)));
  return texts.some((t) =>
    new RegExp(`\\b(?:${column.replace(/\W/g, '\\$&')}|version|revision|updatedAt|__v|etag)\\b`).test(t),
  );
}

function reportColumn(ctx: RuleContext, read: Site, write: Site, back: Back): void {
  const name = calleeName(write);
  const look = calleeName(read);
  const what = short(back.column.replaceAll('`', ''));
  ctx.report({
    at: write.node.k === 'tag' ? write.node.tag : write.node.callee,
    message:
      back.how === 'number'
        ? `Two callers at the same time both start from the \`${what}\` that \`${look}\` gave, and the later \`${name}\` puts out what the earlier one wrote.`
        : `Two callers at the same time both change their own copy of \`${what}\`, and the later \`${name}\` puts out what the earlier one wrote.`,
    trigger: 'two requests for the same row at the same time',
    scenario: `At \`${name}\`, when a second caller has read \`${what}\` before this one writes it back, then one of the two changes is lost.`,
    detection: 'When a user complains or the data is compared: nothing fails.',
    fix:
      back.how === 'number'
        ? `Let the store add to \`${what}\` itself, or put the value that was read into the condition.`
        : `Write only the part of \`${what}\` that changes, or put a version into the condition.`,
    anchor: name,
    confidence:
      read.effect?.confidence === 'assumed' || write.effect?.confidence === 'assumed' ? 'assumed' : 'shown',
    // What an administrator sets is seldom changed by two at once.
    ...(back.how === 'document' && SETTINGS.test(back.column)
      ? { severity: 'low' as const }
      : back.how === 'document' || write.effect?.kind === 'cache'
        ? { severity: 'medium' as const }
        : {}),
    fixes: fixesFor(ctx, write, back),
  });
}

const SETTINGS =
  /(?:settings?|config(?:uration)?|preferences?|options?|white_?label|branding|theme|layout|resources|features?|flags|permissions|credentials|metadata)$/i;

// ---- entities that are loaded, changed and saved

function savedEntity(ctx: RuleContext, read: Site, names: ReadonlySet<number>, sites: readonly Site[]): void {
  const { file, model } = ctx;
  if (read.effect?.spec.many) return;
  const save = sites.find((s) => s.node.s > read.node.e && isSaveOf(s, names));
  if (!save) {
    handedToSaver(ctx, read, names, sites);
    return;
  }
  const changes = changesOf(file, read.fn, names, read.node, save.node);
  const [change] = changes.filter((c) => c.relative).concat(changes);
  if (!change || isSerialised(model, file, save.fn, save.node)) return;
  const name = calleeName(save);
  const what = `${change.owner}.${change.prop}`;
  ctx.report({
    at: read.node.k === 'tag' ? read.node.tag : read.node.callee,
    message: change.relative
      ? `Two callers at the same time both start from the \`${what}\` that is read here, and the later \`${name}\` puts out what the earlier one wrote.`
      : `A caller that saves between this read and \`${name}\` is not noticed: the row is neither locked nor versioned.`,
    trigger: 'two requests for the same row at the same time',
    scenario: `At \`${name}\`, when a second caller has loaded the row before this one saves it, then ${change.relative ? 'one of the two changes is lost' : `the last one to save decides \`${what}\`, whatever it was worked out from`}.`,
    detection: 'When a user complains or the data is compared: nothing fails.',
    fix: `Lock the row when it is read, or save with a version in the condition${change.relative ? ", or use the store's own increment" : ''}.`,
    anchor: calleeName(read),
    confidence: change.relative ? (read.effect?.confidence ?? 'shown') : 'assumed',
    ...(change.relative ? {} : { severity: 'low' as const }),
  });
}

/** The loaded row goes to a function that assigns to it and saves it. */
function handedToSaver(
  ctx: RuleContext,
  read: Site,
  names: ReadonlySet<number>,
  sites: readonly Site[],
): void {
  const { file, model } = ctx;
  const call = sites.find(
    (s) =>
      s.node.s > read.node.e &&
      s.node.k !== 'tag' &&
      s.target.k === 'fn' &&
      s.node.args.some((a) => handsOver(a, names)) &&
      savesParameter(ctx, s),
  );
  if (!call || isSerialised(model, file, read.fn, call.node)) return;
  const name = calleeName(call);
  ctx.report({
    at: read.node.k === 'tag' ? read.node.tag : read.node.callee,
    message: `A caller that saves between this read and \`${name}\` is not noticed: the row is neither locked nor versioned.`,
    trigger: 'two requests for the same row at the same time',
    scenario: `At \`${name}\`, when a second caller has loaded the row before this one saves it, then the last one to save decides, whatever it was worked out from.`,
    detection: 'When a user complains or the data is compared: nothing fails.',
    fix: 'Lock the row when it is read, or save with a version in the condition.',
    anchor: calleeName(read),
    confidence: 'assumed',
    severity: 'low',
  });
}

function handsOver(arg: Expr, names: ReadonlySet<number>): boolean {
  const inner = uncast(arg);
  if (inner.k === 'id') return names.has(inner.b);
  return (
    inner.k === 'obj' &&
    inner.props.some(
      (p) =>
        p.kind !== 'spread' && uncast(p.value).k === 'id' && names.has((uncast(p.value) as { b: number }).b),
    )
  );
}

function savesParameter(ctx: RuleContext, call: Site): boolean {
  if (call.target.k !== 'fn') return false;
  const { file, fn } = call.target.value;
  return ctx.model.sitesWithin(file, fn).some((s) => {
    if (
      s.node.k !== 'call' ||
      s.node.callee.k !== 'mem' ||
      s.node.callee.obj.k !== 'id' ||
      !/^(?:save|saveWithCtx)$/.test(s.node.callee.prop)
    )
      return false;
    const b = s.node.callee.obj.b;
    if (file.facts.bindings[b]?.decl?.k !== 'param') return false;
    const first = file.facts.functions[fn]?.body[0];
    return (
      first !== undefined &&
      changesOf(file, s.fn, new Set([b]), { ...first, e: first.s } as AnyNode, s.node).length > 0
    );
  });
}

/** `row.save()`, `repository.save(row)`. */
function isSaveOf(site: Site, names: ReadonlySet<number>): boolean {
  const { node } = site;
  if (
    node.k !== 'call' ||
    node.callee.k !== 'mem' ||
    !/^(?:save|saveWithCtx|persist|persistAndFlush)$/.test(node.callee.prop)
  )
    return false;
  const owner = uncast(node.callee.obj);
  if (owner.k === 'id' && names.has(owner.b)) return true;
  return node.args.some((a) => uncast(a).k === 'id' && names.has((uncast(a) as { b: number }).b));
}

interface Change {
  readonly owner: string;
  readonly prop: string;
  /** Worked out from what was read. */
  readonly relative: boolean;
}

function changesOf(
  file: SourceFile,
  fn: number,
  names: ReadonlySet<number>,
  from: AnyNode,
  to: AnyNode,
): Change[] {
  const out: Change[] = [];
  for (const st of file.facts.functions[fn]?.body ?? [])
    walk(st, (n) => {
      if (n.s < from.e || n.e > to.e) return n.e >= from.e;
      if (n.k === 'asg' && n.target.k === 'mem' && n.target.obj.k === 'id' && names.has(n.target.obj.b)) {
        const { prop } = n.target;
        const relative = /^[-+*/]=$/.test(n.op)
          ? !(n.value.k === 'tmpl' || (n.value.k === 'lit' && n.value.kind === 'string'))
          : derivation(file, n.value, names, prop, 0) !== null;
        out.push({ owner: n.target.obj.name, prop, relative });
      }
      if (
        n.k === 'un' &&
        (n.op === '++' || n.op === '--') &&
        n.arg.k === 'mem' &&
        n.arg.obj.k === 'id' &&
        names.has(n.arg.obj.b)
      )
        out.push({ owner: n.arg.obj.name, prop: n.arg.prop, relative: true });
      return true;
    });
  return out;
}

// ---- fixes

function fixesFor(ctx: RuleContext, write: Site, back: Back): FixDraft[] {
  const { file } = ctx;
  const value = uncast(back.value);
  if (back.how !== 'number' || value.k !== 'bin' || (value.op !== '+' && value.op !== '-')) return [];
  const left = uncast(value.l);
  if (left.k !== 'mem' || flat(left.prop) !== flat(back.column)) return [];
  const root = rootBinding(left.obj);
  if (some(value.r, (n) => n.k === 'id' && n.b === root)) return [];
  const amount = file.text.slice(value.r.s, value.r.e);
  const word = value.op === '+' ? 'increment' : 'decrement';
  if (write.effect?.pack?.id === 'prisma' && !write.effect.sql)
    return [
      draft(`Let the database ${word} \`${back.column}\``, () => [
        { file: file.path, edits: [replaceNode(back.value, `{ ${word}: ${amount} }`)] },
      ]),
    ];
  const text = write.node.k === 'call' && write.node.args[0] ? uncast(write.node.args[0]) : null;
  if (!write.effect?.sql || !text || (text.k !== 'lit' && !(text.k === 'tmpl' && text.exprs.length === 0)))
    return [];
  const source = file.text.slice(text.s, text.e);
  const m = new RegExp(`(["\`]?${back.column}["\`]?\\s*=\\s*)(\\$\\d+|\\?)`).exec(source);
  if (!m?.[1] || !m[2]) return [];
  const at = text.s + m.index + m[1].length;
  return [
    draft(`Let the database ${word} \`${back.column}\``, () => [
      {
        file: file.path,
        edits: [
          { start: at, end: at, newText: `${back.column} ${value.op} ` },
          replaceNode(back.value, amount),
        ],
      },
    ]),
  ];
}

function draft(title: string, edits: FixDraft['edits']): FixDraft {
  return { id: 'atomic-change', title, kind: 'previewed', edits };
}

export const examples: readonly RuleExample[] = [
  {
    title: 'Loyalty points',
    bad: `import { PrismaClient } from '@prisma/client';
const prisma = new PrismaClient();

export async function addPoints(memberId: string, points: number) {
  const member = await prisma.member.findUniqueOrThrow({ where: { id: memberId } });
  await prisma.member.update({ where: { id: memberId }, data: { points: member.points + points } });
}
`,
    good: `import { PrismaClient } from '@prisma/client';
const prisma = new PrismaClient();

export async function addPoints(memberId: string, points: number) {
  await prisma.member.update({ where: { id: memberId }, data: { points: { increment: points } } });
}
`,
    fixed: `import { PrismaClient } from '@prisma/client';
const prisma = new PrismaClient();

export async function addPoints(memberId: string, points: number) {
  const member = await prisma.member.findUniqueOrThrow({ where: { id: memberId } });
  await prisma.member.update({ where: { id: memberId }, data: { points: { increment: points } } });
}
`,
  },
];
