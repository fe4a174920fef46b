/** An update or delete that reaches every row. */
import { uncast } from '../facts/walk.ts';
import { isNothing, readOption } from '../model/options.ts';
import type { Site } from '../model/sites.ts';
import { isDatabaseWrite, precededBy } from './_kit/databaseCalls.ts';
import { defineRule, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { calleeName } from './_kit/text.ts';

export const rule = defineRule({
  id: 'mutation-without-filter',
  lens: 'boundaries',
  axis: 'data-consistency',
  faultClass: 'trust',
  severity: 'critical',
  blocking: true,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'An UPDATE or DELETE has no condition: `deleteMany()`, `.delete(table)` without `where`, SQL without WHERE.',
    why: 'It changes every row of the table, for every tenant, the first time the path runs.',
    remedy: 'Give the condition that names the rows, or say in the code that the whole table is meant.',
    whenNot: 'Tables that are emptied as a whole: caches, staging tables, test data.',
  },
  incidents: ['data-loss'],
  fixKind: 'none',
  detect(ctx) {
    for (const site of ctx.sites) check(ctx, site);
  },
});

const WHOLE_BY_NAME =
  /truncate|clear|reset|wipe|purge|empty|flush|cleanup|clean_?up|teardown|seed|drop|nuke|rebuild|refresh|reindex|backfill|migrat|delete_?all|remove_?all|update_?all|mark_?all|sync|import|restore/i;
const TEMPORARY = /cache|temp|tmp|staging|queue|session|lock|snapshot|materiali/i;

function check(ctx: RuleContext, site: Site): void {
  const { effect, file } = site;
  if (!effect || !isDatabaseWrite(site)) return;
  if (effect.op !== 'delete' && effect.op !== 'update' && effect.op !== 'increment') return;
  if (!reachesAll(ctx, site)) return;
  if (TEMPORARY.test(effect.entity ?? '')) return;
  const outer = file.facts.functions[ctx.model.outermost(file, site.fn)];
  const inner = file.facts.functions[site.fn];
  if (
    WHOLE_BY_NAME.test(outer?.name ?? '') ||
    WHOLE_BY_NAME.test(inner?.name ?? '') ||
    /(?:^|\/)(?:seed|reset|clean)[^/]*$/i.test(file.path)
  )
    return;
  if (outer?.id === 0) return;
  if (isRebuilt(ctx, site)) return;
  const name = calleeName(site);
  const what = effect.op === 'delete' ? 'deletes' : 'changes';
  const table = effect.entity ? ` of \`${effect.entity}\`` : '';
  ctx.report({
    at: (site.node.k === 'tag' ? site.node.tag : site.node.callee) as { s: number; e: number },
    message: `\`${name}\` ${what} every row${table}: it has no condition.`,
    trigger: 'the first time this runs',
    scenario: `At \`${name}\`, when this runs, then every row${table} is ${effect.op === 'delete' ? 'gone' : 'overwritten'}, whoever it belongs to.`,
    detection: 'When users miss their data: the statement succeeds.',
    fix: 'Give the condition that names the rows.',
    anchor: name,
  });
}

/** The table is emptied to be filled anew. */
function isRebuilt(ctx: RuleContext, site: Site): boolean {
  const { effect } = site;
  if (effect?.op !== 'delete' || effect.entity === null) return false;
  return ctx.model
    .sitesWithin(site.file, ctx.model.outermost(site.file, site.fn))
    .some(
      (s) => (s.effect?.op === 'insert' || s.effect?.op === 'upsert') && s.effect.entity === effect.entity,
    );
}

function reachesAll(ctx: RuleContext, site: Site): boolean {
  const { effect, node } = site;
  if (!effect) return false;
  if (effect.sql)
    return (
      !effect.sql.where &&
      !effect.sql.limit &&
      effect.sql.table !== null &&
      !/\bwith\b|\busing\b|\bfrom\s+\(|\$\?/.test(
        effect.sql.verb === 'update'
          ? effect.sql.text.toLowerCase().replace(/=\s*\$\?/g, '')
          : effect.sql.text.toLowerCase(),
      )
    );
  if (!effect.spec.many || node.k !== 'call') return false;
  const member = node.callee.k === 'mem' ? node.callee.prop : '';
  if (member === 'truncate' || member === 'clear') return false;
  switch (effect.pack?.id) {
    case 'prisma':
    case 'sequelize': {
      const at = effect.spec.filterAt;
      if (!at) return false;
      const read = readOption(ctx.model.values, site.file, node, at);
      return read.k === 'absent' || (read.k === 'value' && isEmpty(read.expr));
    }
    case 'mongoose':
    case 'mongodb': {
      const first = node.args[0];
      if (site.chain.some((c) => c.refines === 'filter')) return false;
      return first === undefined || isEmpty(first);
    }
    case 'typeorm': {
      if (effect.spec.filterAt) {
        const at = effect.spec.filterAt;
        const read = readOption(ctx.model.values, site.file, node, at);
        return read.k === 'value' && uncast(read.expr).k === 'obj' && isEmpty(read.expr);
      }
      // A builder that is kept in a name gets its condition in other statements.
      return (
        member === 'execute' &&
        node.callee.k === 'mem' &&
        node.callee.obj.k === 'call' &&
        !precededBy(ctx.model, site, 'filter')
      );
    }
    case 'drizzle':
    case 'kysely':
      // A builder that is kept gets its condition later.
      return (
        !site.chain.some((c) => c.refines === 'filter' || c.name === '$dynamic' || c.name === '$if') &&
        isAwaitedHere(site) &&
        !site.chain.some((c) => /^(?:using|from|innerJoin|leftJoin)$/.test(c.name))
      );
    case 'knex':
      return (
        !site.chain.some((c) => c.refines === 'filter' || /^(?:where|modify|join|using)/.test(c.name)) &&
        !precededBy(ctx.model, site, 'filter') &&
        !precedes(site, /^(?:where|modify|join|orWhere|andWhere|havingIn)/) &&
        isAwaitedHere(site) &&
        node.callee.k === 'mem' &&
        node.callee.obj.k === 'call'
      );
    default:
      return false;
  }
}

function isEmpty(expr: Parameters<typeof uncast>[0]): boolean {
  const inner = uncast(expr);
  return isNothing(inner) || (inner.k === 'obj' && inner.props.length === 0);
}

function isAwaitedHere(site: Site): boolean {
  const parent = site.file.index.parent(site.top);
  return parent?.k === 'await' || parent?.k === 'ret' || parent?.k === 'arr';
}

function precedes(site: Site, name: RegExp): boolean {
  if (site.node.k === 'tag') return false;
  let at = site.node.callee;
  for (let guard = 0; guard < 40; guard++) {
    if (at.k === 'mem') {
      if (name.test(at.prop) && at !== site.node.callee) return true;
      at = at.obj;
    } else if (at.k === 'call') at = at.callee;
    else return false;
  }
  return false;
}

export const examples: readonly RuleExample[] = [
  {
    title: 'deleteMany without where',
    bad: `import { PrismaClient } from '@prisma/client';
const prisma = new PrismaClient();
export async function leave(teamId: string) {
  await prisma.membership.deleteMany();
}
`,
    good: `import { PrismaClient } from '@prisma/client';
const prisma = new PrismaClient();
export async function leave(teamId: string) {
  await prisma.membership.deleteMany({ where: { teamId } });
}
`,
  },
];
