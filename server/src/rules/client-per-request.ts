/** Connection pools and clients that each call makes anew. */
import type { Call, Expr, New } from '../facts/ir.ts';
import { uncast, type AnyNode } from '../facts/walk.ts';
import type { SourceFile } from '../model/project.ts';
import type { Site } from '../model/sites.ts';
import type { UnitRef } from '../units/discover.ts';
import { isOneOff } from './_kit/guards.ts';
import { defineRule, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { calleeName } from './_kit/text.ts';
import { settled, takenBy, usesOf } from './_kit/uses.ts';

export const rule = defineRule({
  id: 'client-per-request',
  lens: 'resource-exhaustion',
  axis: 'load-saturation',
  faultClass: 'backpressure',
  severity: 'high',
  blocking: false,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'A connection pool, a database or cache client, a queue or a keep-alive agent is made on each call of a handler or job and never closed.',
    why: 'Each call opens connections of its own and leaves them open. Under load the server behind it refuses new ones, and then every other service that uses it fails too.',
    remedy: 'Make it once, in the module or where the service starts, and use it in every call.',
    whenNot: 'It is closed in the same call, as for trying out an address that a user gave.',
  },
  incidents: ['pool-exhaustion', 'connection-leak'],
  fixKind: 'none',
  detect(ctx) {
    if (isOneOff(ctx.file)) return;
    for (const site of ctx.sites) if (site.fn !== 0) check(ctx, site);
  },
});

/** What keeps connections, by pack and type. */
const HOLDS: Readonly<Record<string, RegExp>> = {
  pg: /^Pool$/,
  mysql2: /^Pool$/,
  prisma: /^PrismaClient$/,
  knex: /^Knex$/,
  sequelize: /^Sequelize$/,
  typeorm: /^DataSource$/,
  mongodb: /^MongoClient$/,
  mongoose: /^Connection$/,
  redis: /^(?:Client|Pool)$/,
  ioredis: /^Redis$/,
  bull: /^Queue$/,
  bullmq: /^(?:Queue|FlowProducer|QueueEvents|Worker)$/,
  amqplib: /^Connection$/,
  nats: /^Connection$/,
  postgresJs: /^Sql$/,
  pgBoss: /^Boss$/,
  mikroOrm: /^MikroORM$/,
  graphileWorker: /^Utils$/,
  nodeHttp: /^Agent$/,
};
/** Talks over plain requests: nothing stays open. */
const CONNECTIONLESS = /^@upstash\/|^@vercel\/kv$|^@neondatabase\/|^@planetscale\/|^@libsql\//;
const ONCE_NAME =
  /^_?(?:init\w*|setup\w*|start\w*|boot\w*|configure\w*|connect\w*|main|listen\w*|run|serve|register\w*|load\w*|open\w*|plugin|constructor|on(?:Module|Application)\w*|use(?:Factory|Value)|test\w*|ping\w*|check\w*|validate\w*|verify\w*|migrate\w*|seed\w*)$/i;
const MEMO = /memo|once|lazy|singleton|cache|remember|shared/i;
const CLOSES = /^(?:end|quit|disconnect|close|destroy|\$disconnect|release|stop|drain|terminate|shutdown)$/;

function check(ctx: RuleContext, site: Site): void {
  const made = madeBy(ctx, site);
  if (!made) return;
  const { file } = site;
  const { node } = site;
  if (node.k === 'tag') return;
  if (made === 'agent' && !/keepAlive\s*:\s*true/.test(file.text.slice(node.s, node.e))) return;
  const fact = file.facts.functions[site.fn];
  if (
    !fact ||
    fact.kind === 'constructor' ||
    fact.kind === 'getter' ||
    (fact.cls >= 0 && fact.kind === 'static-block')
  )
    return;
  if (namesOf(file, site.fn).some((name) => ONCE_NAME.test(name))) return;
  if (isMemoised(file, node, site.fn)) return;
  const kept = fateOf(ctx, file, node, site.fn, made);
  if (kept === 'kept') return;
  const unit = unitOf(ctx, site, kept);
  if (!unit) return;
  const name = calleeName(site);
  ctx.report({
    at: node.callee,
    message: `${unit.unit.name} runs \`${name}\` on every call and never closes what it makes: each call leaves its connections open.`,
    trigger: 'many calls in a short time',
    scenario: `At \`${name}\`, when ${unit.unit.name} is called many times, then each call holds connections of its own until the server behind them refuses more.`,
    detection: 'When the server behind it refuses connections: calls succeed until then.',
    fix: 'Make it once outside the handler and use it in every call.',
    anchor: name,
  });
}

function madeBy(ctx: RuleContext, site: Site): 'client' | 'agent' | null {
  if (site.node.k === 'tag') return null;
  if (site.target.k !== 'lib') return null;
  const { pack, spec, makes } = site.target;
  const holds = HOLDS[pack.id];
  const type = makes ?? spec.returns;
  if (!holds || !type || !holds.test(type)) return null;
  // Taken from something that is already there: `mongoose.connection`, `pool.connect()`.
  if (site.target.recv && !/^(?:Mongoose|Namespace|Kafka)$/.test(site.target.recv.type)) return null;
  const root = rootName(site.node.callee);
  const decl = root ? ctx.file.facts.bindings[root.b]?.decl : undefined;
  if (decl?.k === 'import' && CONNECTIONLESS.test(decl.from)) return null;
  if (pack.id === 'typeorm' && /^get/.test(site.target.name)) return null;
  return pack.id === 'nodeHttp' ? 'agent' : 'client';
}

function rootName(expr: Expr): (Expr & { k: 'id' }) | null {
  let at = uncast(expr);
  while (at.k === 'mem') at = uncast(at.obj);
  return at.k === 'id' ? at : null;
}

function namesOf(file: SourceFile, fn: number): string[] {
  const out: string[] = [];
  for (let at = file.facts.functions[fn]; at && at.id !== 0; at = file.facts.functions[at.parent]) {
    if (at.name) out.push(at.name);
    if (at.cls >= 0) break;
  }
  return out;
}

/** Made only where none is there yet, or inside something that runs its callback once. */
function isMemoised(file: SourceFile, node: Call | New, fn: number): boolean {
  for (let at = file.index.parent(node), child: AnyNode = node; at; child = at, at = file.index.parent(at)) {
    if (at.k === 'asg' && (at.op !== '=' || keptTarget(file, at.target as Expr, fn))) return true;
    if (at.k === 'bin' && (at.op === '??' || at.op === '||') && at.r === child) return true;
  }
  for (let id = fn; id > 0; id = file.facts.functions[id]?.parent ?? 0) {
    const outer = file.index.argumentSite(id);
    if (outer && MEMO.test(file.text.slice(outer.call.callee.s, outer.call.callee.e))) return true;
    const decorators = file.facts.functions[id]?.decorators ?? [];
    if (decorators.some((d) => MEMO.test(file.text.slice(d.s, d.e)))) return true;
  }
  return false;
}

/** Assigned to something that outlives the call. */
function keptTarget(file: SourceFile, target: Expr, fn: number): boolean {
  const inner = uncast(target);
  if (inner.k === 'mem' || inner.k === 'idx') return true;
  if (inner.k !== 'id') return false;
  const binding = file.facts.bindings[inner.b];
  return !binding || binding.fn !== fn;
}

/** What becomes of it: closed or stored (`kept`), handed back to the caller, or left behind. */
function fateOf(
  ctx: RuleContext,
  file: SourceFile,
  node: Call | New,
  fn: number,
  made: 'client' | 'agent' = 'client',
): 'kept' | 'returned' | 'left' {
  const top = settled(file, node);
  const parent = file.index.parent(top);
  if (parent?.k === 'ret') return 'returned';
  // An arrow's expression body.
  if (!parent && file.facts.functions[fn]?.exprBody) return 'returned';
  const held = takenBy(file, top);
  if (!held) return parent?.k === 'mem' && !isStoredChain(file, parent) ? 'left' : 'kept';
  if (held.target.k !== 'pid') return held.target.k === 'pobj' ? 'left' : 'kept';
  const uses = usesOf(file, held.target.b);
  let returned = false;
  for (const use of uses) {
    const at = file.index.parent(use);
    if (at?.k === 'mem' && at.obj === use) {
      if (CLOSES.test(at.prop)) return 'kept';
      continue;
    }
    if (at?.k === 'ret') returned = true;
    // Handed on: to a constructor or function that may keep or close it, or into a structure.
    else if (at?.k === 'call' || at?.k === 'new') {
      if (at.callee === use) continue;
      if (!wraps(ctx, file, at)) return 'kept';
    } else if (at?.k === 'asg' || at?.k === 'var' || at?.k === 'arr') return 'kept';
    else if (at?.k === 'obj') {
      // `drizzle({ client })` may keep it; a call that is given an agent does not.
      if (made === 'client') return 'kept';
    }
  }
  return returned ? 'returned' : 'left';
}

/** `drizzle(pool)`, `new PrismaPg(pool)`: a thin layer that closes nothing. */
function wraps(ctx: RuleContext, file: SourceFile, call: Call | New): boolean {
  const target = ctx.model.sites.target(file, call);
  return target.k === 'lib' && /^(?:drizzle|kysely|prisma)$/.test(target.pack.id);
}

/** `new Foo().on(…)` held by what comes after. */
function isStoredChain(file: SourceFile, member: Expr): boolean {
  const call = file.index.parent(member);
  if (call?.k !== 'call') return true;
  const top = settled(file, call);
  const held = takenBy(file, top);
  const prop = member.k === 'mem' ? member.prop : '';
  return (
    CLOSES.test(prop) || (held !== null && /^(?:connect|on|once|\$extends|duplicate|initialize)$/.test(prop))
  );
}

/** The unit that runs the place on each of its calls. */
function unitOf(ctx: RuleContext, site: Site, fate: 'returned' | 'left'): UnitRef | null {
  const outer = ctx.model.outermost(site.file, site.fn);
  for (const ref of ctx.unitsReaching(outer)) {
    if (
      !/^(?:http|webhook|rpc|graphql|server-action|consumer|job|cron|socket|subscriber)$/.test(ref.unit.kind)
    )
      continue;
    if (ref.file === site.file && ref.fn === outer) return fate === 'left' ? ref : null;
    const reached = ctx.model.reach(ref.file, ref.fn).find((r) => r.site.node === site.node);
    const last = reached?.via.at(-1);
    if (!reached || !last || last.target.k !== 'fn') continue;
    // A listener or timer on the way runs at other times than the unit.
    if (reached.via.some((v) => isMemoised(v.file, v.node as Call, v.fn))) continue;
    if (reached.via.some((v) => namesOf(v.file, v.fn).some((n) => ONCE_NAME.test(n) && v.fn !== ref.fn)))
      continue;
    if (fate === 'left') return ref;
    if (last.node.k !== 'tag' && fateOf(ctx, last.file, last.node, last.fn) === 'left') return ref;
  }
  return null;
}

export const examples: readonly RuleExample[] = [
  {
    title: 'A pool for each order',
    bad: `import express from 'express';
import { Pool } from 'pg';
const app = express();
app.get('/orders/:id', async (req, res) => {
  const pool = new Pool({ max: 5 });
  const { rows } = await pool.query('SELECT * FROM orders WHERE id = $1', [req.params.id]);
  res.json(rows);
});
`,
    good: `import express from 'express';
import { Pool } from 'pg';
const app = express();
const pool = new Pool({ max: 5 });
app.get('/orders/:id', async (req, res) => {
  const { rows } = await pool.query('SELECT * FROM orders WHERE id = $1', [req.params.id]);
  res.json(rows);
});
`,
  },
];
