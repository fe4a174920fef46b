/** A late event that writes its older state over a newer one. */
import type { Expr } from '../facts/ir.ts';
import { some, uncast, walk, type AnyNode } from '../facts/walk.ts';
import { readOption } from '../model/options.ts';
import type { Site } from '../model/sites.ts';
import { DETECTION_BY_COMPARISON } from './_kit/detection.ts';
import { isSideTable } from './_kit/databaseCalls.ts';
import { defineRule, type FixDraft, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { filterOf } from './_kit/stateColumns.ts';
import { tableOf } from './_kit/tables.ts';
import { calleeName } from './_kit/text.ts';

export const rule = defineRule({
  id: 'stale-event-overwrites',
  lens: 'concurrency',
  axis: 'data-consistency',
  faultClass: 'timing',
  severity: 'medium',
  blocking: false,
  stage: 'experimental',
  since: '0.2.0',
  docs: {
    what: "A webhook or consumer stores what an event says together with the event's own version or time, and never compares that with the version or time that is already stored.",
    why: 'Events arrive out of order: a delivery that failed is repeated minutes later, two workers take neighbouring messages. The older one comes last and puts the old state back, with its old version beside it. Nothing fails and nothing corrects it until the next change.',
    remedy:
      'Write only where the stored version is older: `WHERE version < $1`, or `ON CONFLICT … DO UPDATE … WHERE t.version < EXCLUDED.version`.',
    whenNot: 'Where the source delivers strictly in order and one at a time for each key.',
  },
  incidents: ['stale-write'],
  fixKind: 'previewed',
  detect(ctx) {
    for (const site of ctx.sites) if (site.fn !== 0) check(ctx, site);
  },
});

/** A column that says how new a state is; its own clock or the event's. */
const ORDERING =
  /^(?:version|revision|rev|sequence(?:_?(?:number|no|id))?|seq(?:_?no)?|generation|epoch|(?:last_?)?event_?(?:time|timestamp|at|seq|sequence|version|created_?at)|occurred_?at|(?:source|remote|external|provider|upstream|stripe|shopify)_?(?:updated_?at|modified_?at|version|sequence)|updated_?at|modified_?at|last_?modified)$/i;

function check(ctx: RuleContext, site: Site): void {
  const { effect } = site;
  if (effect?.kind !== 'db' || effect.confidence !== 'shown') return;
  if (effect.op !== 'update' && effect.op !== 'upsert') return;
  if (isSideTable(tableOf(site))) return;
  const column = effect.sql ? sqlColumn(site) : writtenColumn(ctx, site);
  if (!column || !isFromDelivery(ctx, site)) return;
  const filter = filterOf(ctx.model, site);
  if (filter?.all.some((c) => plain(c) === plain(column))) return;
  if (isCompared(ctx, site, column)) return;
  const name = calleeName(site);
  const table = tableOf(site);
  const what = table ? `the \`${table}\`` : 'the row';
  ctx.report({
    at: site.node.k === 'tag' ? site.node.tag : site.node.callee,
    message: `An event that arrives late puts ${what} back: \`${name}\` stores its \`${column}\` without a look at the one that is there.`,
    trigger: 'events of one thing arrive out of order: a repeated delivery, two workers',
    scenario: `At \`${name}\`, when an older event comes after a newer one, then the older state and its older \`${column}\` replace the newer.`,
    detection: DETECTION_BY_COMPARISON,
    fix: `Write only where the stored \`${column}\` is older than the event's.`,
    anchor: name,
    fixes: conditionFix(site, column),
  });
}

function plain(name: string): string {
  return name.replace(/_/g, '').toLowerCase();
}

/** `DO UPDATE SET version = EXCLUDED.version`, `SET version = $3`, with no condition on it. */
function sqlColumn(site: Site): string | null {
  const text = site.effect?.sql?.text ?? '';
  if (/\bgreatest\s*\(/i.test(text)) return null;
  for (const m of text.matchAll(
    /["`]?(\w+)["`]?\s*=\s*(?:excluded\s*\.\s*["`]?(\w+)["`]?|\$\d+|\$\?|\?|values\s*\(\s*(\w+)\s*\))/gi,
  )) {
    const column = m[1] ?? '';
    if (!ORDERING.test(column)) continue;
    const where = text.slice((m.index ?? 0) + m[0].length).search(/\bwhere\b/i);
    const condition = where >= 0 ? text.slice((m.index ?? 0) + m[0].length + where) : '';
    if (new RegExp(`\\b${column}\\b`, 'i').test(condition)) return null;
    return column;
  }
  return null;
}

/** The ordering column among the written values, where its value comes from what was delivered. */
function writtenColumn(ctx: RuleContext, site: Site): string | null {
  const { effect, node, file } = site;
  if (!effect || node.k === 'tag') return null;
  const exprs: Expr[] = [];
  const at =
    effect.op === 'upsert' && effect.spec.dataAt
      ? { ...effect.spec.dataAt, path: 'update' }
      : effect.spec.dataAt;
  if (at) {
    const read = readOption(ctx.model.values, file, node, at);
    if (read.k === 'value' && read.file === file) exprs.push(read.expr);
  }
  for (const link of site.chain)
    if (/^(?:set|onConflictDoUpdate|doUpdateSet)$/.test(link.name) && link.node.args[0])
      exprs.push(link.node.args[0]);
  for (const e of exprs) {
    let found: string | null = null;
    walk(uncast(e), (n) => {
      if (n.k === 'obj')
        for (const p of n.props)
          if (p.key !== null && ORDERING.test(p.key) && comesWithEvent(ctx, site, p.value)) found ??= p.key;
      return found === null;
    });
    if (found) return found;
  }
  return null;
}

/** A member of the event, as it is or made into a date; not the clock of this process, nor a count of its own. */
function comesWithEvent(ctx: RuleContext, site: Site, expr: Expr): boolean {
  const { file } = site;
  const text = file.text.slice(expr.s, expr.e);
  if (/Date\.now|new Date\(\s*\)|increment|\+\s*1\b|now\(|\bsql`/.test(text)) return false;
  return some(expr, (n) => {
    if (n.k !== 'id' && n.k !== 'mem') return false;
    let at: Expr = n;
    while (at.k === 'mem') at = uncast(at.obj);
    if (at.k !== 'id') return false;
    return isDelivered(ctx, site, at.b, 0);
  });
}

/** A parameter of a function around the place, or a name that is taken from one. */
function isDelivered(ctx: RuleContext, site: Site, b: number, depth: number): boolean {
  const decl = ctx.file.facts.bindings[b]?.decl;
  if (!decl || depth > 4) return false;
  if (decl.k === 'param') return true;
  if (decl.k === 'each')
    return some(decl.iter, (n) => n.k === 'id' && isDelivered(ctx, site, n.b, depth + 1));
  if (decl.k !== 'init') return false;
  const init = uncast(decl.init.k === 'await' ? decl.init.arg : decl.init);
  // What was read from somewhere else is the state of now.
  if (init.k === 'call' && ctx.model.sites.at(ctx.file, init)?.effect?.network) return false;
  return some(init, (n) => n.k === 'id' && isDelivered(ctx, site, n.b, depth + 1));
}

const HANDLES = /^(?:_?(?:on|handle|apply|project|ingest|consume|process|sync|receive)(?:[A-Z_]\w*)?)$/;

function isFromDelivery(ctx: RuleContext, site: Site): boolean {
  const outer = ctx.model.outermost(site.file, site.fn);
  const units = ctx.unitsReaching(outer);
  if (units.length > 0) return units.some((u) => /^(?:webhook|consumer|subscriber)$/.test(u.unit.kind));
  const fact = ctx.file.facts.functions[outer];
  return (
    fact !== undefined &&
    HANDLES.test(fact.name ?? '') &&
    fact.params.some(
      (p) => p.target.k === 'pid' && /^(?:event|evt|message|msg|delivery)$/i.test(p.target.name),
    )
  );
}

/** The function looks at the stored and the delivered one side by side. */
function isCompared(ctx: RuleContext, site: Site, column: string): boolean {
  const { file, model } = ctx;
  const outer = model.outermost(file, site.fn);
  const named = new RegExp(
    `${column.replace(/_/g, '_?')}|version|stale|newer|older|outdated|isAfter|isBefore`,
    'i',
  );
  const compares = (n: AnyNode): boolean => {
    if (n.k === 'bin' && /^[<>]=?$/.test(n.op)) return named.test(file.text.slice(n.s, n.e));
    return (
      n.k === 'call' &&
      /isAfter|isBefore|isNewer|isOlder|isStale|compare/i.test(file.text.slice(n.callee.s, n.callee.e))
    );
  };
  return model.within(file, outer).some((fn) => fn.body.some((st) => some(st, compares)));
}

/** `… SET version = EXCLUDED.version` at the end of an upsert gets its condition. */
function conditionFix(site: Site, column: string): FixDraft[] {
  const { node, file, effect } = site;
  const table = effect?.sql?.table;
  if (!effect?.sql?.onConflict || !table || node.k === 'tag') return [];
  const text = node.args[0];
  if (!text || (text.k !== 'lit' && text.k !== 'tmpl')) return [];
  const written = file.text.slice(text.s + 1, text.e - 1);
  if (!/do\s+update\s+set[^;]*$/i.test(written) || /\bwhere\b|\breturning\b|;\s*$/i.test(written)) return [];
  const end = text.s + 1 + written.trimEnd().length;
  return [
    {
      id: 'only-newer',
      title: 'Write only where the stored one is older',
      kind: 'previewed',
      edits: () => [
        {
          file: file.path,
          edits: [{ start: end, end, newText: ` WHERE ${table}.${column} < EXCLUDED.${column}` }],
        },
      ],
    },
  ];
}

export const examples: readonly RuleExample[] = [
  {
    title: 'A customer that is kept in step by events',
    bad: `import { Kafka } from 'kafkajs';
import { Pool } from 'pg';
const pool = new Pool();
const consumer = new Kafka({ brokers: ['a:9092'] }).consumer({ groupId: 'customers' });

void consumer.run({
  eachMessage: async ({ message }) => {
    const event = JSON.parse(String(message.value));
    await pool.query(
      'INSERT INTO customers (id, name, version) VALUES ($1, $2, $3) ON CONFLICT (id) DO UPDATE SET name = EXCLUDED.name, version = EXCLUDED.version',
      [event.id, event.name, event.version],
    );
  },
});
`,
    good: `import { Kafka } from 'kafkajs';
import { Pool } from 'pg';
const pool = new Pool();
const consumer = new Kafka({ brokers: ['a:9092'] }).consumer({ groupId: 'customers' });

void consumer.run({
  eachMessage: async ({ message }) => {
    const event = JSON.parse(String(message.value));
    await pool.query(
      'INSERT INTO customers (id, name, version) VALUES ($1, $2, $3) ON CONFLICT (id) DO UPDATE SET name = EXCLUDED.name, version = EXCLUDED.version WHERE customers.version < EXCLUDED.version',
      [event.id, event.name, event.version],
    );
  },
});
`,
    fixed: `import { Kafka } from 'kafkajs';
import { Pool } from 'pg';
const pool = new Pool();
const consumer = new Kafka({ brokers: ['a:9092'] }).consumer({ groupId: 'customers' });

void consumer.run({
  eachMessage: async ({ message }) => {
    const event = JSON.parse(String(message.value));
    await pool.query(
      'INSERT INTO customers (id, name, version) VALUES ($1, $2, $3) ON CONFLICT (id) DO UPDATE SET name = EXCLUDED.name, version = EXCLUDED.version WHERE customers.version < EXCLUDED.version',
      [event.id, event.name, event.version],
    );
  },
});
`,
  },
];
