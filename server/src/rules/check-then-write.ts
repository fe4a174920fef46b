/** A write that a look-up of the same thing has decided, with nothing that stops a second caller between the two. */
import type { Expr, Obj, Stmt } from '../facts/ir.ts';
import { some, uncast, walk, type AnyNode } from '../facts/walk.ts';
import { replaceNode } from '../fixes/edits.ts';
import { readOption, readPath } from '../model/options.ts';
import type { SourceFile } from '../model/project.ts';
import type { Effect, Site } from '../model/sites.ts';
import { hasOwnKey, isFullyKnown, isUnique } from '../schema/uniqueKeys.ts';
import { guardedByCallers } from './_kit/callerGuards.ts';
import { decisionsOn, namesOf } from './_kit/decisions.ts';
import { detectionWhenThrown } from './_kit/detection.ts';
import { isOneOff, isSerialised, violationHandled } from './_kit/guards.ts';
import { defineRule, type FixDraft, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { tableName, tableOf } from './_kit/tables.ts';
import { sitesByFunction } from './_kit/sitesByFunction.ts';
import { calleeName, withArticle } from './_kit/text.ts';

export const rule = defineRule({
  id: 'check-then-write',
  lens: 'concurrency',
  axis: 'data-consistency',
  faultClass: 'idempotency',
  severity: 'high',
  blocking: true,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'The code looks whether a thing is there (or counts how many there are) and, by the answer, writes the same thing, with no unique violation handled, no lock, no upsert and no condition in the write itself.',
    why: 'Two requests at the same time both look before either has written. Both find nothing and both write: two accounts for one address, a coupon used twice, a limit passed. A plain transaction does not help, since each reads what was committed before it.',
    remedy:
      'Let the database decide: a unique index with an upsert or a handled violation, a write with the condition in its WHERE and a look at how many rows it changed, or a row lock before the look-up.',
    whenNot: 'Where one process handles such requests one after the other, or a second row does no harm.',
  },
  incidents: ['check-then-act'],
  fixKind: 'previewed',
  detect(ctx) {
    if (isOneOff(ctx.file)) return;
    for (const sites of sitesByFunction(ctx)) look(ctx, sites);
  },
});

interface Touch {
  readonly site: Site;
  /** Null for a look into a list that was loaded earlier. */
  readonly effect: Effect | null;
  readonly entity: string;
  /** The statement that looks or creates, where `site` only leads to it. */
  readonly made?: Site;
}

const LOOK_NAME =
  /^(?:find|get|fetch|load|exists?|has|is|count|check|look|query|by|retrieve|read|search|select)/i;
const MAKE_NAME =
  /^(?:create|insert|add|register|save|make|new|store|record|assign|enrol|join|book|reserve|subscribe|invite|provision|persist|write)/i;

/** The look-up that a call is, itself or as a local function that only reads. */
function lookUp(ctx: RuleContext, site: Site): Touch | null {
  const { effect, target } = site;
  const loaded = inLoadedList(site);
  if (loaded) return loaded;
  const own = effect?.kind === 'db' ? tableOf(site) : null;
  if (effect?.op === 'read' && own) return { site, effect, entity: own };
  if (target.k !== 'fn' || !LOOK_NAME.test(nameOf(site))) return null;
  const touched = ctx.model
    .reach(target.value.file, target.value.fn)
    .filter((r) => r.site.effect?.kind === 'db' && r.site.effect.entity);
  const [first] = touched;
  const entity = first ? tableOf(first.site) : null;
  if (
    !first?.site.effect ||
    !entity ||
    touched.length > 3 ||
    touched.some((r) => r.site.effect?.op !== 'read' || tableOf(r.site) !== entity)
  )
    return null;
  return { site, effect: first.site.effect, entity, made: first.site };
}

/** `project.environments.find(…)`: rows of a relation that were loaded earlier. The entity is what one of them is called. */
function inLoadedList(site: Site): Touch | null {
  const { node } = site;
  if (
    node.k !== 'call' ||
    site.target.k === 'lib' ||
    site.target.k === 'fn' ||
    node.callee.k !== 'mem' ||
    !/^(?:find|some)$/.test(node.callee.prop)
  )
    return null;
  const list = uncast(node.callee.obj);
  if (list.k !== 'mem' || !/[a-z]s$/.test(list.prop) || uncast(node.args[0] ?? node).k !== 'fn') return null;
  if (isInput(list.obj)) return null;
  return { site, effect: null, entity: list.prop.replace(/ies$/, 'y').replace(/s$/, '').toLowerCase() };
}

/** What the caller sent is no state of the store. */
function isInput(expr: Expr): boolean {
  const root = uncast(expr);
  return (
    (root.k === 'id' &&
      /^(?:data|input|body|payload|args|options|opts|params|props|dto|req|request|values|form|query)$/i.test(
        root.name,
      )) ||
    (root.k === 'mem' && /^(?:body|input|data|payload|query|params)$/.test(root.prop))
  );
}

function sameEntity(read: Touch, write: Touch): boolean {
  return (
    read.entity === write.entity ||
    (read.effect === null && read.entity.length > 4 && write.entity.endsWith(read.entity))
  );
}

/** The creation that a call is, itself or as a local function that does nothing else with the same table. */
function creation(ctx: RuleContext, site: Site): Touch | null {
  const { effect, target } = site;
  const own = effect?.kind === 'db' ? tableOf(site) : null;
  if (effect?.op === 'insert' && own) return isForgiving(site) ? null : { site, effect, entity: own };
  if (target.k !== 'fn' || !MAKE_NAME.test(nameOf(site))) return null;
  const { file, fn } = target.value;
  const reached = ctx.model.reach(file, fn).filter((r) => r.via.length <= 1 && r.site.effect?.kind === 'db');
  const inserts = reached.filter((r) => r.site.effect?.op === 'insert' && r.site.effect.entity);
  const [made] = inserts;
  const entity = made ? tableOf(made.site) : null;
  if (
    !made?.site.effect ||
    !entity ||
    isForgiving(made.site) ||
    violationHandled(made.site.file, made.site, ctx.model)
  )
    return null;
  // The first thing that a creating function creates is what it is for.
  if (reached.some((r) => r.site.effect?.op === 'read' && tableOf(r.site) === entity)) return null;
  if (isSerialised(ctx.model, made.site.file, made.site.fn, made.site.node)) return null;
  return { site, effect: made.site.effect, entity, made: made.site };
}

function nameOf(site: Site): string {
  if (site.node.k === 'tag') return '';
  const { callee } = site.node;
  return callee.k === 'mem' ? callee.prop : callee.k === 'id' ? callee.name : '';
}

/** The statement itself says what happens when the row is there. */
function isForgiving(site: Site): boolean {
  const text = site.file.text.slice(site.top.s, site.top.e);
  return /skipDuplicates|ignoreDuplicates|updateOnDuplicate|onConflict|onDuplicate|\bor\s*ignore\b|orIgnore|orUpdate|not\s+exists/i.test(
    text,
  );
}

function look(ctx: RuleContext, sites: readonly Site[]): void {
  const { file, model } = ctx;
  for (const site of sites)
    if (/count/i.test(nameOf(site)) && isCounting(site)) countedChange(ctx, site, sites);
  const reads = sites.flatMap((s) => lookUp(ctx, s) ?? []);
  if (reads.length === 0) return;
  const writes = sites.flatMap((s) => creation(ctx, s) ?? []);
  const reported = new Set<Site>();
  for (const write of writes)
    for (const read of reads) {
      if (reported.has(write.site) || read.site === write.site || !sameEntity(read, write)) continue;
      if (read.site.node.s > write.site.node.s && !insideSame(read.site, write.site)) continue;
      const names = namesOf(file, read.site.top, read.site.fn);
      const decision = decisionsOn(file, read.site.fn, names, read.site.node as Expr).find((d) =>
        d.runsWhenAbsent(write.site.node),
      );
      if (!decision || !aboutSame(ctx, read.site, write.site) || isAfterCreate(file, write.site.fn)) continue;
      if (
        violationHandled(file, write.site, model) ||
        isSerialised(model, file, write.site.fn, write.site.node)
      )
        continue;
      reported.add(write.site);
      if (guardedByCallers(ctx, write.site)) continue;
      reportCreation(ctx, read, write, decision.test);
    }
  // What comes after the first change of the state is done by the one that made it.
  const moved = new Set<Touch>();
  for (const site of sites) {
    if (site.effect?.kind !== 'db' || site.effect.op !== 'update' || site.effect.sql) continue;
    const entity = tableOf(site);
    const read = reads.find((r) => r.effect !== null && r.entity === entity && r.site.node.e <= site.node.s);
    if (!read || !entity || moved.has(read)) continue;
    if (setsState(ctx, site)) moved.add(read);
    stateChange(ctx, read, { site, effect: site.effect, entity });
  }
}

function insideSame(a: Site, b: Site): boolean {
  return a.node.s >= b.node.s && a.node.e <= b.node.e;
}

/** A hook of the row that was just made: nobody else can name it before the commit. */
function isAfterCreate(file: SourceFile, fn: number): boolean {
  const fact = file.facts.functions[fn];
  return !!fact?.decorators.some((d) => /^@?\(?After(?:Create|Insert)\b/.test(file.text.slice(d.s, d.e)));
}

/** Some column that is looked for is one that is written; true where either cannot be read. */
function aboutSame(ctx: RuleContext, read: Site, write: Site): boolean {
  const where = keysAt(ctx, read, read.effect?.spec.filterAt);
  const data = keysAt(ctx, write, write.effect?.spec.dataAt);
  if (!where || !data || where.size === 0) return true;
  for (const key of where) if (data.has(key)) return true;
  return false;
}

const PLUMBING = new Set([
  'and',
  'or',
  'not',
  'is',
  'in',
  'equals',
  'some',
  'every',
  'none',
  'connect',
  'create',
  'where',
  'mode',
  'gt',
  'gte',
  'lt',
  'lte',
  'deleted',
  'deletedat',
  'contains',
]);

function keysAt(ctx: RuleContext, site: Site, at: Effect['spec']['filterAt']): ReadonlySet<string> | null {
  if (!at || site.node.k === 'tag') return null;
  const read = readOption(ctx.model.values, site.file, site.node, at);
  if (read.k !== 'value' || uncast(read.expr).k !== 'obj') return null;
  const keys = new Set<string>();
  let whole = true;
  walk(read.expr, (n) => {
    if (n.k !== 'obj') return;
    for (const p of n.props) {
      if (p.key === null) whole = false;
      else
        for (const part of p.key.split('_'))
          if (!PLUMBING.has(part.toLowerCase())) keys.add(part.toLowerCase().replace(/(?!^)id$/, ''));
    }
  });
  return whole ? keys : null;
}

function confidenceOf(a: Effect | null, b: Effect | null): 'shown' | 'assumed' {
  return a?.confidence !== 'shown' || b?.confidence !== 'shown' ? 'assumed' : 'shown';
}

function reportCreation(ctx: RuleContext, read: Touch, write: Touch, test: Expr): void {
  const name = calleeName(write.site);
  const look = calleeName(read.site);
  const table = tableName(write.made ?? write.site) ?? write.entity;
  // `this.create(…)` in the model's own method: the model that it was called on names the table.
  const thing = /^\w+$/.test(table) && table !== 'this' ? table : (name.split('.')[0] ?? 'row');
  const keys = ctx.model.project.schema.uniqueKeys();
  const uniqueness = uniquenessOf(ctx, read, write);
  // A look-up whose filter is out of sight may well be by a unique column.
  if (uniqueness === 'unseen') return;
  if (uniqueness === 'unique') {
    ctx.report({
      at: write.site.node.k === 'tag' ? write.site.node.tag : write.site.node.callee,
      message: `Of two callers at the same time the second gets a unique violation from \`${name}\`, and nothing here handles it.`,
      trigger: 'two requests for the same thing at the same time: a double click, a redelivery, a retry',
      scenario: `At \`${name}\`, when a second caller looks between this caller's \`${look}\` and its \`${name}\`, then the unique index refuses the second row and the violation goes out as an unexpected error.`,
      detection: detectionWhenThrown(ctx, write.site),
      fix: `Handle the violation of \`${thing}\` as the look-up's answer, or use an upsert.`,
      anchor: name,
      severity: 'low',
      confidence: confidenceOf(read.effect, write.effect),
      fixes: fixesFor(ctx, read.site, write.site),
    });
    return;
  }
  const known = isFullyKnown(keys, write.entity) && !spreadsMore(ctx, write);
  const counted = isCount(read) && isLimit(test);
  ctx.report({
    at: write.site.node.k === 'tag' ? write.site.node.tag : write.site.node.callee,
    message: counted
      ? `Two callers at the same time both count with \`${look}\` before either has written, and both create ${withArticle(thing)}: together they pass the limit that each one keeps.`
      : `Two callers at the same time both look with \`${look}\` before either has written, and both go on to create ${withArticle(thing)}: ${known ? 'no unique key of the schema' : 'nothing in this code'} stops the second.`,
    trigger: counted
      ? 'two requests at the same time, one below the limit'
      : 'two requests for the same thing at the same time: a double click, a redelivery, a retry',
    scenario: `At \`${name}\`, when a second caller ${counted ? 'counts' : 'looks'} between this caller's \`${look}\` and its \`${name}\`, then two rows are made${known || counted ? '' : ', or an index that is not in sight refuses the second'}.`,
    detection:
      known || counted
        ? 'When a user complains or the data is compared: both calls succeed.'
        : 'When a user complains or the data is compared: without a unique index both calls succeed.',
    fix: counted
      ? 'Lock the row that the counted ones belong to before counting, in the transaction of the write.'
      : `Let the write of \`${thing}\` decide: an upsert, or a unique index whose violation is handled.`,
    anchor: name,
    confidence: confidenceOf(read.effect, write.effect),
    // A look into rows that were loaded earlier: how much earlier is not seen here.
    ...(read.effect === null ? { severity: 'low' as const } : counted ? { severity: 'low' as const } : {}),
    fixes: counted ? [] : fixesFor(ctx, read.site, write.site),
  });
}

function isCount({ effect, site, made }: Touch): boolean {
  const at = made ?? site;
  return (
    effect !== null &&
    (/count/i.test(nameOf(at)) || /\bcount\s*\(/i.test(at.file.text.slice(at.top.s, at.top.e)))
  );
}

/** Compares with a number of rows that may be there; none or some is a look for the thing itself. */
function isLimit(test: Expr): boolean {
  return some(test, (n) => {
    if (n.k !== 'bin' || !/^[<>]=?$/.test(n.op)) return false;
    return ![n.l, n.r].some((side) => {
      const inner = uncast(side);
      return inner.k === 'lit' && (inner.value === 0 || (inner.value === 1 && n.op.endsWith('=')));
    });
  });
}

/**
 * `unique`: a key lies within the columns that both callers write alike. `unseen`: the table has keys and what is looked
 * for cannot be read. `none`: no key is known to cover it.
 */
function uniquenessOf(ctx: RuleContext, read: Touch, write: Touch): 'unique' | 'unseen' | 'none' {
  const site = write.made ?? write.site;
  const written = writtenColumns(ctx, write);
  const looked = filterColumns(ctx, read.made ?? read.site);
  // Values that are not written out here are those that were looked for.
  // What a spread brings in is what was looked for, or more.
  const columns = written.length > 0 && !writesSpread(ctx, write) ? written : [...written, ...looked];
  const keys = ctx.model.project.schema.uniqueKeys();
  if (columns.length > 0 && isUnique(keys, write.entity, columns)) return 'unique';
  // Prisma's `findUnique` takes unique columns only.
  if (
    looked.length > 0 &&
    site.effect?.pack?.id === 'prisma' &&
    /^findUnique/.test(nameOf(read.made ?? read.site)) &&
    (written.length === 0 || looked.every((c) => c.includes('_') || written.includes(c)))
  )
    return 'unique';
  return filterIsHidden(ctx, read) && hasOwnKey(keys, write.entity) ? 'unseen' : 'none';
}

/** The helper that looks filters by what it is given, which is not written out here. */
function filterIsHidden(ctx: RuleContext, read: Touch): boolean {
  const site = read.made;
  const at = site?.effect?.spec.filterAt;
  if (!site || !at || site.node.k === 'tag' || /count/i.test(nameOf(site))) return false;
  const given = readOption(ctx.model.values, site.file, site.node, at);
  if (given.k !== 'value') return given.k === 'unknown';
  const where = uncast(given.expr);
  return where.k !== 'obj' || where.props.every((p) => p.kind === 'spread');
}

/** `{ …, ...input }`: the columns are not all written out. */
function writesSpread(ctx: RuleContext, write: Touch): boolean {
  const site = write.made ?? write.site;
  const at = site.effect?.spec.dataAt;
  if (site.node.k === 'tag') return false;
  const read = at ? readOption(ctx.model.values, site.file, site.node, at) : null;
  const data =
    read?.k === 'value'
      ? handedIn(ctx, write, read.file, read.expr).expr
      : uncast(site.chain.find((c) => c.refines === 'values')?.node.args[0] ?? site.node);
  return data.k === 'obj' && data.props.some((p) => p.kind === 'spread');
}

/** `.where(eq(page.slug, slug))`, `.where({ slug })`, `.where('slug', slug)`. */
function chainColumns(site: Site): readonly string[] {
  return site.chain.flatMap(({ refines, node }) => {
    if (refines !== 'filter') return [];
    const [first] = node.args;
    if (first?.k === 'obj') return first.props.flatMap((p) => p.key ?? []);
    if (first?.k === 'lit') return [String(first.value)];
    const text = node.args.map((a) => site.file.text.slice(a.s, a.e)).join();
    return [...text.matchAll(/\beq\(\s*\w+\.(\w+)/g)].map((m) => m[1] ?? '');
  });
}

function filterColumns(ctx: RuleContext, site: Site): readonly string[] {
  const at = site.effect?.spec.filterAt;
  if (!at && site.chain.length > 0) return chainColumns(site);
  if (!at || site.node.k === 'tag') return [];
  const read = readOption(ctx.model.values, site.file, site.node, at);
  const where = read.k === 'value' ? uncast(read.expr) : null;
  return where?.k === 'obj'
    ? where.props.flatMap((p) => (p.key === null ? [] : [p.key, ...p.key.split('_')]))
    : [];
}

/** What is written holds more than is written out here, which may well fill a unique key. */
function spreadsMore(ctx: RuleContext, write: Touch): boolean {
  const site = write.made ?? write.site;
  const at = site.effect?.spec.dataAt;
  if (!at || site.node.k === 'tag') return false;
  const read = readOption(ctx.model.values, site.file, site.node, at);
  if (read.k !== 'value') return read.k === 'unknown';
  const { expr } = handedIn(ctx, write, read.file, read.expr);
  return (
    (expr.k !== 'obj' || expr.props.some((p) => p.kind === 'spread')) &&
    hasOwnKey(ctx.model.project.schema.uniqueKeys(), write.entity)
  );
}

/** Two callers write another value each. */
const FRESH = /uuid|nanoid|cuid|ulid|random|createId|generateId|\bnew Date\(|Date\.now/i;

function writtenColumns(ctx: RuleContext, write: Touch): readonly string[] {
  const site = write.made ?? write.site;
  const { effect } = site;
  if (effect?.sql) return /\binto\s+\S+\s*\(([^)]*)\)/i.exec(effect.sql.text)?.[1]?.split(',') ?? [];
  const at = effect?.spec.dataAt;
  if (!at || site.node.k === 'tag') return [];
  const read = readOption(ctx.model.values, site.file, site.node, at);
  if (read.k !== 'value') return [];
  const { file, expr } = handedIn(ctx, write, read.file, read.expr);
  if (expr.k !== 'obj') return [];
  // A relation that is connected by its id sets the column `<relation>Id`.
  return expr.props.flatMap((p) =>
    p.key === null || FRESH.test(file.text.slice(p.value.s, p.value.e))
      ? []
      : uncast(p.value).k === 'obj'
        ? [p.key, `${p.key}Id`]
        : [p.key],
  );
}

/** What a helper writes as it is given: the argument of the call that leads to it. */
function handedIn(
  ctx: RuleContext,
  write: Touch,
  file: SourceFile,
  expr: Expr,
): { readonly file: SourceFile; readonly expr: Expr } {
  const here = { file, expr: uncast(expr) };
  if (!write.made || here.expr.k === 'obj' || write.site.node.k === 'tag') return here;
  const value = ctx.model.values.of(file, here.expr);
  const { target } = write.site;
  if (
    value.k !== 'param' ||
    target.k !== 'fn' ||
    value.file !== target.value.file ||
    value.fn !== target.value.fn
  )
    return here;
  const arg = write.site.node.args[value.index];
  const given = arg
    ? readPath(ctx.model.values, write.site.file, arg, value.path.map(String))
    : ({ k: 'absent' } as const);
  if (given.k !== 'value') return here;
  const known = ctx.model.values.of(given.file, given.expr);
  return known.k === 'node' && known.expr.k === 'obj'
    ? { file: known.file, expr: known.expr }
    : { file: given.file, expr: uncast(given.expr) };
}

// ---- a number of rows that allows or forbids changing one of them

const CHANGE_NAME = /^(?:update|save|destroy|delete|remove|disable|deactivate)(?:WithCtx)?(?:Many)?$/;

/** `if ((await count(others)) > 0) await this.update(…)`: both callers see the other's row still there. */
function countedChange(ctx: RuleContext, read: Site, sites: readonly Site[]): void {
  const { file, model } = ctx;
  if (!/count/i.test(nameOf(read))) return;
  const entity = classOf(file, read) ?? tableOf(read);
  const names = namesOf(file, read.top, read.fn);
  if (names.size === 0 || !entity) return;
  for (const decision of decisionsOn(file, read.fn, names, read.node as Expr)) {
    if (decision.node.k !== 'if' || !/[<>]/.test(file.text.slice(decision.test.s, decision.test.e))) continue;
    const { then } = decision.node;
    const change = sites.find((s) => {
      if (
        s.node.k !== 'call' ||
        s.node.callee.k !== 'mem' ||
        !CHANGE_NAME.test(s.node.callee.prop) ||
        s.node.s < read.node.e
      )
        return false;
      const guarded =
        (s.node.s >= then.s && s.node.e <= then.e) || (s.node.s >= decision.node.e && endsHere(then));
      if (!guarded) return false;
      if (s.node.callee.obj.k === 'this') return classOf(file, s) === entity;
      return tableOf(s) === entity && (s.effect?.op === 'update' || s.effect?.op === 'delete');
    });
    if (!change || isSerialised(model, file, read.fn, change.node)) continue;
    const name = calleeName(change);
    ctx.report({
      at: read.node.k === 'tag' ? read.node.tag : read.node.callee,
      message: `Two callers at the same time both count before either has written, and both go on to \`${name}\`: together they pass the limit that each one keeps.`,
      trigger: 'two requests about different rows of the same group at the same time',
      scenario: `At \`${name}\`, when a second caller counts between this caller's \`${calleeName(read)}\` and its \`${name}\`, then both find one left over and none is.`,
      detection: 'When a user complains or the data is compared: both calls succeed.',
      fix: 'Lock the counted rows (or the one they belong to) before counting, in the transaction of the write.',
      anchor: calleeName(read),
      severity: 'medium',
    });
    return;
  }
}

/** A count of the database, or one through the model's own class. */
function isCounting(site: Site): boolean {
  if (site.effect?.kind === 'db') return site.effect.op === 'read';
  return (
    site.node.k === 'call' &&
    /^(?:count|findAndCountAll)$/.test(nameOf(site)) &&
    /this\.constructor/.test(site.file.text.slice(site.node.callee.s, site.node.callee.e))
  );
}

/** Name of the class whose own rows a call through `this` is about. */
function classOf(file: SourceFile, site: Site): string | null {
  const { node } = site;
  if (node.k !== 'call' || node.callee.k !== 'mem') return null;
  const text = file.text.slice(node.callee.obj.s, node.callee.obj.e);
  if (!/^\(?\s*this\b/.test(text)) return null;
  const cls = file.facts.classes.find((c) => c.s <= node.s && node.e <= c.e);
  return cls?.name?.toLowerCase() ?? null;
}

// ---- a state that is looked at and then moved on

const STATE =
  /^(?:status|state|used|usedAt|isUsed|consumed|consumedAt|claimed|claimedAt|claimedBy|redeemed|redeemedAt|accepted|acceptedAt|processed|processedAt|stock|quantity|remaining|credits|seats|locked|paid|paidAt|completedAt|approvedAt|expiredAt|assignedTo)$/;

function setsState(ctx: RuleContext, site: Site): boolean {
  const at = site.effect?.spec.dataAt;
  const given = at && site.node.k !== 'tag' ? readOption(ctx.model.values, site.file, site.node, at) : null;
  const inner = given?.k === 'value' ? uncast(given.expr) : null;
  return inner?.k === 'obj' && inner.props.some((p) => p.key !== null && STATE.test(p.key));
}

function stateChange(ctx: RuleContext, read: Touch, write: Touch): void {
  const { file, model } = ctx;
  const data = write.effect?.spec.dataAt;
  if (!data || write.site.node.k === 'tag') return;
  const given = readOption(model.values, file, write.site.node, data);
  const inner = given.k === 'value' ? uncast(given.expr) : null;
  if (inner?.k !== 'obj') return;
  const names = namesOf(file, read.site.top, read.site.fn);
  if (names.size === 0) return;
  const prop = inner.props.find(
    (p) =>
      p.key !== null &&
      STATE.test(p.key) &&
      guardsState(file, read.site.fn, names, p.key, p.value, write.site.node),
  );
  if (!prop?.key) return;
  const where = write.effect?.spec.filterAt
    ? readOption(model.values, file, write.site.node, write.effect.spec.filterAt)
    : null;
  if (
    where?.k === 'value' &&
    new RegExp(`\\b(?:${prop.key}|version)\\b`).test(file.text.slice(where.expr.s, where.expr.e))
  )
    return;
  if (violationHandled(file, write.site, model) || isSerialised(model, file, write.site.fn, write.site.node))
    return;
  if (endsThere(file, write.site)) return;
  const name = calleeName(write.site);
  ctx.report({
    at: write.site.node.callee,
    message: `Two callers at the same time both see the old \`${prop.key}\` and both go on: \`${name}\` does not ask for it again.`,
    trigger: 'two requests for the same row at the same time: a double click, a redelivery, a retry',
    scenario: `At \`${name}\`, when a second caller has read \`${prop.key}\` before this one writes it, then both take the step that only one may take.`,
    detection: 'When a user complains or the data is compared: both calls succeed.',
    fix: `Put the expected \`${prop.key}\` into the filter of the update and look at how many rows it changed.`,
    anchor: name,
    confidence: confidenceOf(read.effect, write.effect),
    // A claim further up often has decided already, which this function alone does not show.
    severity: 'low',
  });
}

/** A side branch that writes the state and stops: both callers write the same and nothing else follows. */
function endsThere(file: SourceFile, write: Site): boolean {
  const st = file.index.statementOf(write.node);
  const block = st ? file.index.parent(st) : undefined;
  if (st?.k !== 'expr' || block?.k !== 'block' || file.index.parent(block)?.k !== 'if') return false;
  const at = block.body.indexOf(st);
  const next = block.body[at + 1];
  if (next?.k !== 'ret' || next.arg !== null) return false;
  return !block.body.slice(0, at).some((before) => some(before, (n) => n.k === 'await'));
}

/** `if (row.status !== 'open') throw …` before the write, or a branch on it around the write. */
function guardsState(
  file: SourceFile,
  fn: number,
  names: ReadonlySet<number>,
  key: string,
  value: Expr,
  write: AnyNode,
): boolean {
  let found = false;
  for (const st of file.facts.functions[fn]?.body ?? [])
    walk(st, (n) => {
      if (found || n.k !== 'if' || n.s > write.s) return !found;
      const asks = mentionsField(n.test, names, key);
      if (!asks) return true;
      const around = write.s >= n.then.s && write.e <= n.then.e;
      const ends = !around && n.e <= write.s && endsHere(n.then);
      // A test that the new state passes as well stops nobody, be it at the same time or later.
      if ((around || ends) && turnsAway(n.test, names, key, value, around)) found = true;
      return true;
    });
  return found;
}

/** Whoever finds the state that is written does not come to the write; true where the test cannot be read. */
function turnsAway(
  test: Expr,
  names: ReadonlySet<number>,
  key: string,
  value: Expr,
  around: boolean,
): boolean {
  const written = wordOf(value);
  const compared: { op: string; word: string }[] = [];
  let other = 0;
  walk(test, (n) => {
    if (n.k === 'mem' && n.prop === key && n.obj.k === 'id' && names.has(n.obj.b)) other++;
    if (n.k !== 'bin' || !/^[!=]==?$/.test(n.op)) return true;
    const side = mentionsField(n.l, names, key) ? n.r : mentionsField(n.r, names, key) ? n.l : null;
    const word = side ? wordOf(side) : null;
    if (word !== null) compared.push({ op: n.op, word });
    return true;
  });
  if (written === null || compared.length === 0 || compared.length < other) return true;
  // `=== X` and leave, or `!== X` around the write: only X is turned away.
  const onlyThese = compared.every((c) => c.op.startsWith('!') === around);
  return !onlyThese || compared.some((c) => c.word === written);
}

/** `'PAID'`, `Status.PAID` → `paid`; null for what is worked out. */
function wordOf(expr: Expr): string | null {
  const inner = uncast(expr);
  if (inner.k === 'lit' && typeof inner.value === 'string') return inner.value.toLowerCase();
  return inner.k === 'mem' && /^[A-Z]/.test(inner.prop) ? inner.prop.toLowerCase() : null;
}

function mentionsField(test: Expr, names: ReadonlySet<number>, key: string): boolean {
  let found = false;
  walk(test, (n) => {
    if (n.k === 'mem' && n.prop === key && n.obj.k === 'id' && names.has(n.obj.b)) found = true;
    return !found;
  });
  return found;
}

function endsHere(st: Stmt): boolean {
  const last = st.k === 'block' ? st.body.at(-1) : st;
  return last?.k === 'throw' || last?.k === 'ret' || last?.k === 'continue';
}

// ---- fixes

function fixesFor(ctx: RuleContext, read: Site, write: Site): FixDraft[] {
  const { file } = ctx;
  const st = file.index.statementOf(write.node);
  const unused = st?.k === 'expr' && uncast(st.expr).k === 'await';
  const pack = write.effect?.pack?.id;
  if (write.effect?.sql && unused) return sqlFix(file, write);
  if (pack === 'drizzle' && unused && write.chain.at(-1)?.name === 'values')
    return [
      draft('Do nothing when the row is there', () => [
        {
          file: file.path,
          edits: [{ start: write.top.e, end: write.top.e, newText: '.onConflictDoNothing()' }],
        },
      ]),
    ];
  if (pack === 'prisma') return prismaFix(file, read, write);
  return [];
}

function draft(title: string, edits: FixDraft['edits']): FixDraft {
  return { id: 'upsert', title, kind: 'previewed', edits };
}

/** `ON CONFLICT DO NOTHING`, where the dialect has it. */
function sqlFix(file: SourceFile, write: Site): FixDraft[] {
  const pack = write.effect?.pack?.id ?? '';
  if (!/^(?:pg|postgresJs|sqlite)$/.test(pack)) return [];
  const first = write.node.k === 'tag' ? write.node : uncast(write.node.args[0] ?? write.node.callee);
  if (first.k !== 'lit' && first.k !== 'tmpl' && first.k !== 'tag') return [];
  const text = file.text.slice(first.s, first.e);
  if (!/^[\s\S]*\bvalues\b/i.test(text) || /;\s*['"`]$/.test(text)) return [];
  const returning = text.search(/\s+returning\b/i);
  const at =
    returning >= 0 ? first.s + returning : first.e - 1 - (/\s*['"`]$/.exec(text)?.[0].length ?? 1) + 1;
  return [
    draft('Add ON CONFLICT DO NOTHING', () => [
      { file: file.path, edits: [{ start: at, end: at, newText: ' ON CONFLICT DO NOTHING' }] },
    ]),
  ];
}

/** `let x = await findUnique(…); if (!x) x = await create(…)` → one upsert that changes nothing when the row is there. */
function prismaFix(file: SourceFile, read: Site, write: Site): FixDraft[] {
  if (
    nameOf(read) !== 'findUnique' ||
    nameOf(write) !== 'create' ||
    read.node.k !== 'call' ||
    write.node.k !== 'call'
  )
    return [];
  if (read.fn !== write.fn || read.node.callee.k !== 'mem' || write.node.callee.k !== 'mem') return [];
  const args = [read.node.args[0], write.node.args[0]].map((a) => (a ? uncast(a) : null));
  const [find, create] = args;
  if (find?.k !== 'obj' || create?.k !== 'obj') return [];
  const where = only(find, 'where');
  const data = only(create, 'data');
  if (!where || !data) return [];
  const decl = file.index.statementOf(read.node);
  const made = file.index.statementOf(write.node);
  if (decl?.k !== 'var' || decl.decls.length !== 1 || decl.decls[0]?.target.k !== 'pid' || made?.k !== 'expr')
    return [];
  const name = decl.decls[0].target;
  const outer = branchOf(file, made);
  if (!outer || outer.else || uncast(outer.test).k !== 'un') return [];
  const inner = uncast((uncast(outer.test) as { arg: Expr }).arg);
  if (inner.k !== 'id' || inner.b !== name.b) return [];
  const assigned = made.expr.k === 'asg' && made.expr.target.k === 'id' && made.expr.target.b === name.b;
  const readLater = reads(file, write.fn, name.b, outer.e);
  if (!assigned && readLater) return [];
  // What is worked out between the two must not need the look-up.
  const body = bodyAround(file, decl, read.fn);
  if (body.indexOf(outer) !== body.indexOf(decl) + 1) return [];
  const text = (n: { s: number; e: number }): string => file.text.slice(n.s, n.e);
  const receiver = text((write.node.callee as { obj: Expr }).obj);
  const semi = text(decl).endsWith(';') ? ';' : '';
  const call = `await ${receiver}.upsert({ where: ${text(where)}, update: {}, create: ${text(data)} })`;
  return [
    draft('Make it one upsert', () => [
      {
        file: file.path,
        edits: [
          replaceNode(
            { s: decl.s, e: outer.e },
            `${assigned || readLater ? `const ${name.name} = ` : ''}${call}${semi}`,
          ),
        ],
      },
    ]),
  ];
}

/** The value of the one property an object has. */
function only(obj: Obj, key: string): Expr | null {
  const [first] = obj.props;
  return obj.props.length === 1 && first?.key === key && first.kind !== 'method' ? first.value : null;
}

function branchOf(file: SourceFile, st: Stmt): (Stmt & { k: 'if' }) | null {
  const parent = file.index.parent(st);
  if (parent?.k === 'if') return parent;
  if (parent?.k !== 'block' || parent.body.length !== 1) return null;
  const up = file.index.parent(parent);
  return up?.k === 'if' ? up : null;
}

function bodyAround(file: SourceFile, st: Stmt, fn: number): readonly Stmt[] {
  const parent = file.index.parent(st);
  return parent?.k === 'block' ? parent.body : (file.facts.functions[fn]?.body ?? []);
}

function reads(file: SourceFile, fn: number, binding: number, from: number): boolean {
  let found = false;
  for (const st of file.facts.functions[fn]?.body ?? [])
    walk(st, (n) => {
      if (n.k === 'id' && n.b === binding && n.s >= from) found = true;
      return !found;
    });
  return found;
}

export const examples: readonly RuleExample[] = [
  {
    title: 'One account for each address',
    bad: `import { PrismaClient } from '@prisma/client';
const prisma = new PrismaClient();

export async function signUp(email: string) {
  const known = await prisma.account.findUnique({ where: { email } });
  if (!known) {
    await prisma.account.create({ data: { email } });
  }
}
`,
    good: `import { PrismaClient } from '@prisma/client';
const prisma = new PrismaClient();

export async function signUp(email: string) {
  await prisma.account.upsert({ where: { email }, update: {}, create: { email } });
}
`,
    fixed: `import { PrismaClient } from '@prisma/client';
const prisma = new PrismaClient();

export async function signUp(email: string) {
  await prisma.account.upsert({ where: { email }, update: {}, create: { email } });
}
`,
  },
];
