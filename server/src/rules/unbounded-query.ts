/** A list endpoint that answers with every row there is. */
import { some, uncast } from '../facts/walk.ts';
import { readOption } from '../model/options.ts';
import { placeOfPath } from '../model/place.ts';
import type { SourceFile } from '../model/project.ts';
import type { Site } from '../model/sites.ts';
import { isDatabaseCall, precededBy } from './_kit/databaseCalls.ts';
import { isOneOff } from './_kit/guards.ts';
import { defineRule, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { calleeName } from './_kit/text.ts';

export const rule = defineRule({
  id: 'unbounded-query',
  lens: 'resource-exhaustion',
  axis: 'load-saturation',
  faultClass: 'backpressure',
  severity: 'medium',
  blocking: false,
  stage: 'experimental',
  since: '0.1.0',
  docs: {
    what: 'A request handler reads all rows of a tenant or parent with no limit and answers with them.',
    why: 'It works until one customer has a hundred thousand rows: then each request reads, holds and sends them all, and a few such requests take the memory of the process.',
    remedy:
      'Give a page size (`take`, `limit`) and a cursor, with an upper bound for what the caller may ask.',
    whenNot: 'Tables that stay small by their nature, such as roles or settings.',
  },
  incidents: ['unbounded-query', 'memory-exhaustion'],
  fixKind: 'none',
  detect(ctx) {
    for (const { unit, file, fn } of ctx.units) {
      if (file !== ctx.file || !/^(?:http|rpc|graphql)$/.test(unit.kind)) continue;
      if (unit.method !== null && !/^(?:GET|ALL|QUERY)$/i.test(unit.method)) continue;
      for (const site of ctx.model.sitesWithin(file, fn)) check(ctx, site, fn);
    }
    if (BEHIND_ROUTE.test(ctx.file.path) && ctx.units.length === 0)
      for (const site of ctx.sites) if (filteredByParameter(ctx, site)) check(ctx, site, site.fn);
    const place = placeOfPath(ctx.file.path);
    if (place !== 'script' && !isOneOff(ctx.file))
      for (const site of ctx.sites) if (givesList(ctx, site)) check(ctx, site, site.fn);
  },
});

/** A module that lies beside the routes it answers for. */
const BEHIND_ROUTE =
  /(?:^|\/)(?:api|routes?|controllers?|endpoints)\/.*\/(?:lib|queries|data|services?|repositor(?:y|ies)|server)\/[^/]+\.[cm]?[jt]sx?$/;

/** `getX(tenantId)`: the filter names nothing but what the function was asked for, and the function was given one key. */
function filteredByParameter(ctx: RuleContext, site: Site): boolean {
  const { file } = site;
  const at = site.effect?.spec.filterAt;
  if (!at || site.node.k !== 'call' || site.effect?.op !== 'read') return false;
  const outer = file.facts.functions[ctx.model.outermost(file, site.fn)];
  if (!outer || outer.id === 0 || outer.params.length !== 1) return false;
  const read = readOption(ctx.model.values, file, site.node, at);
  const where = read.k === 'value' ? uncast(read.expr) : null;
  if (where?.k !== 'obj' || where.props.length === 0) return false;
  return where.props.every((p) => {
    const value = uncast(p.value);
    const decl = value.k === 'id' ? file.facts.bindings[value.b]?.decl : undefined;
    return decl?.k === 'param' && decl.fn === outer.id;
  });
}

const SMALL =
  /(?:role|permission|setting|config|preference|feature|flag|plan|country|currency|language|locale|status|type|category|provider|domain|integration|template|theme|token|key|session|account|workspace|team|organi[sz]ation|project|membership|member|folder|tag|webhook|identity|credential|secret|region|environment|reward|dashboard|postback|default\w*|group)s?$/i;

/** What people and machines add to all day: there is no size at which such a table stops. */
const GROWS =
  /(?:histor(?:y|ies)|event|log|message|response|answer|submission|notification|activit(?:y|ies)|click|visit|pageview|comment|order|transaction|payment|invoice|commission|payout|customer|subscriber|lead|contact|execution|run|trace|observation|metric|audit\w*|email|deliver(?:y|ies)|attempt|upload|revision|snapshot|heartbeat|sale)s?$/i;
const LISTS =
  /^(?:get|list|fetch|find|load|retrieve|query)(?:All|Many)?[A-Z]\w*?(?:s|[Hh]istory|By[A-Z]\w*|For[A-Z]\w*)$|^(?:get|list|find|fetch)(?:All|Many)$/;
const PAGES =
  /^(?:limit|take|page|perPage|pageSize|cursor|offset|skip|first|after|pagination|paging|max\w*|args|options|opts|query|filters?|params)$/i;

/** `getResponses(surveyId)` in a module of its own: reads a table that only grows, and has no word for how much. */
function givesList(ctx: RuleContext, site: Site): boolean {
  const { file } = site;
  if (!GROWS.test(site.effect?.entity ?? '')) return false;
  if (
    ctx.model.outermost(file, site.fn) !== site.fn ||
    ctx.units.some((u) => u.file === file && u.fn === site.fn)
  )
    return false;
  const fact = file.facts.functions[site.fn];
  if (!fact || (!fact.exported && fact.cls < 0) || !LISTS.test(fact.name ?? '')) return false;
  if (fact.params.length === 0 || fact.params.length > 3) return false;
  return fact.params.every(
    (p) => p.target.k === 'pid' && !PAGES.test(p.target.name) && (p.type === null || isKey(p.type.name)),
  );
}

/** A parameter that names one thing; an object may well hold a limit. */
function isKey(type: string): boolean {
  return /^(?:string|number|bigint|ID|UUID|\w*Id|\w*Type|\w*Enum|\w*Client|\w*Context|Prisma\.\w+)$/.test(
    type,
  );
}

function check(ctx: RuleContext, site: Site, handler: number): void {
  const { effect, file, node } = site;
  if (!isDatabaseCall(site) || effect?.op !== 'read' || !effect.spec.many || node.k !== 'call') return;
  if (
    site.chain.some(
      (c) =>
        c.refines === 'limit' ||
        /^(?:first|groupBy|count|distinct|stream|cursor|executeTakeFirst)/.test(c.name),
    ) ||
    precededBy(ctx.model, site, 'limit')
  )
    return;
  for (const at of effect.spec.limitAt ?? [])
    if (readOption(ctx.model.values, file, node, at).k !== 'absent') return;
  if (effect.sql || SMALL.test(effect.entity ?? 'role')) return;
  if (!scopedOnly(ctx, site) || !answered(ctx, site, handler)) return;
  const name = calleeName(site);
  const handles = ctx.units.some((u) => u.file === file && u.fn === handler);
  ctx.report({
    at: node.callee as { s: number; e: number },
    message: handles
      ? `\`${name}\` reads every row that matches and the handler sends them all: the answer grows with the customer.`
      : `\`${name}\` reads every row that matches and all are given back: what the caller holds grows with the customer.`,
    trigger: 'a customer with very many rows',
    scenario: `At \`${name}\`, when one parent has very many rows, then each request loads and sends all of them, and memory and connections go with it.`,
    detection: 'When the largest customer times out or the process runs out of memory.',
    fix: handles
      ? 'Give the query a limit and the endpoint pages.'
      : 'Give the query a limit that callers can page by.',
    anchor: name,
    ...(handles || BEHIND_ROUTE.test(file.path)
      ? {}
      : { confidence: 'assumed' as const, severity: 'low' as const }),
  });
}

/** The filter only says whose rows: parents and tenants, no list of keys, no search. */
function scopedOnly(ctx: RuleContext, site: Site): boolean {
  const at = site.effect?.spec.filterAt;
  if (at && site.node.k === 'call') {
    const read = readOption(ctx.model.values, site.file, site.node, at);
    if (read.k === 'absent') return true;
    if (read.k !== 'value') return false;
    const where = uncast(read.expr);
    if (where.k !== 'obj') return false;
    const grows = GROWS.test(site.effect?.entity ?? '');
    return where.props.every(
      (p) =>
        p.key !== null &&
        p.key !== 'id' &&
        p.key !== '_id' &&
        (/Id$|_id$|Uid$|^(?:user|workspace|project|team|org|deletedAt|archived|archivedAt)$/.test(p.key) ||
          (grows && /(?:type|kind)$/i.test(p.key))) &&
        !(p.value.k === 'obj' && p.value.props.some((x) => x.key === 'in')),
    );
  }
  return !site.chain.some(
    (c) =>
      c.refines === 'filter' &&
      c.node.args.some((a) =>
        some(a, (n) => n.k === 'call' && n.callee.k === 'id' && /inArray|like|between/i.test(n.callee.name)),
      ),
  );
}

/** The rows themselves are what the handler answers with. */
function answered(ctx: RuleContext, site: Site, handler: number): boolean {
  const { file } = site;
  if (site.fn !== handler) return false;
  for (let at = file.index.parent(site.top); at; at = file.index.parent(at)) {
    if (at.k === 'await' || at.k === 'as') continue;
    if (at.k === 'ret') return true;
    if (at.k !== 'var') return false;
    const target = at.decls.find((d) => d.init && d.init.s <= site.node.s && site.node.e <= d.init.e)?.target;
    if (target?.k !== 'pid') return false;
    return sent(file, handler, target.b, 0);
  }
  return false;
}

/** A name, or the list that is mapped from it, is in what the function gives back or sends. */
function sent(file: SourceFile, handler: number, b: number, depth: number): boolean {
  const body = file.facts.functions[handler]?.body ?? [];
  const mapped =
    depth > 0
      ? undefined
      : body
          .flatMap((st) => (st.k === 'var' ? st.decls : []))
          .find((d) => {
            const init = d.init ? uncast(d.init) : null;
            return (
              init?.k === 'call' &&
              init.callee.k === 'mem' &&
              init.callee.prop === 'map' &&
              uncast(init.callee.obj).k === 'id' &&
              (uncast(init.callee.obj) as { b: number }).b === b
            );
          });
  if (mapped?.target.k === 'pid' && sent(file, handler, mapped.target.b, depth + 1)) return true;
  return body.some((st) =>
    some(st, (n) => {
      if (n.k === 'ret' && n.arg)
        return (
          some(n.arg, (x) => x.k === 'id' && x.b === b) &&
          !some(
            n.arg,
            (x) =>
              x.k === 'mem' &&
              x.obj.k === 'id' &&
              x.obj.b === b &&
              /^(?:length|find|some|every|reduce|slice|at)$/.test(x.prop),
          )
        );
      return (
        n.k === 'call' &&
        n.callee.k === 'mem' &&
        /^(?:json|send)$/.test(n.callee.prop) &&
        n.args.some((a) => some(a, (x) => x.k === 'id' && x.b === b))
      );
    }),
  );
}

export const examples: readonly RuleExample[] = [
  {
    title: 'All customers of a shop',
    bad: `import express from 'express';
import { PrismaClient } from '@prisma/client';
const prisma = new PrismaClient();
const app = express();
app.get('/orders', async (req, res) => {
  const orders = await prisma.order.findMany({ where: { shopId: String(req.query.shop) } });
  res.json(orders);
});
`,
    good: `import express from 'express';
import { PrismaClient } from '@prisma/client';
const prisma = new PrismaClient();
const app = express();
app.get('/orders', async (req, res) => {
  const orders = await prisma.order.findMany({ where: { shopId: String(req.query.shop) }, take: 100 });
  res.json(orders);
});
`,
  },
];
