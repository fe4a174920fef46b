/** A server that takes requests before what they need is there. */
import type { Call } from '../facts/ir.ts';
import type { AnyNode } from '../facts/walk.ts';
import { inherited } from '../model/packIndex.ts';
import { mayFollow } from '../model/paths.ts';
import type { SourceFile } from '../model/project.ts';
import type { Site } from '../model/sites.ts';
import { defineRule, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { calleeName, exprName } from './_kit/text.ts';

export const rule = defineRule({
  id: 'listen-before-ready',
  lens: 'partial-failure',
  axis: 'recoverability',
  faultClass: 'recovery',
  severity: 'medium',
  blocking: false,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'A server starts to listen and only afterwards, in the same function or in the callback of `listen`, waits for a connection, a migration or another step that its requests need.',
    why: 'From the moment the port is open the load balancer sends requests. Until the step is done they fail, at every deploy and every restart; and when the step fails the process stays in service and fails all of them.',
    remedy: 'Connect and migrate first, then listen.',
    whenNot: 'A readiness endpoint keeps traffic away until the step is done.',
  },
  incidents: ['deploy-errors', 'graceful-startup'],
  fixKind: 'none',
  detect(ctx) {
    for (const site of ctx.sites) if (site.node.k === 'call') check(ctx, site, site.node);
  },
});

function check(ctx: RuleContext, site: Site, call: Call): void {
  const { file, model } = ctx;
  if (call.callee.k !== 'mem' || call.callee.prop !== 'listen' || !isServer(ctx, call)) return;
  if (/\bready\b|readiness|isReady|setReady|healthy/i.test(withoutComments(file.text))) return;
  const later = model.sites
    .of(file, site.fn)
    .find(
      (s) =>
        s !== site &&
        isAwaited(file, s) &&
        mayFollow(file, site.node, s.node) &&
        s.node.s > call.e &&
        needs(ctx, s),
    );
  const inside = later ? null : inCallback(ctx, call);
  const step = later ?? inside;
  if (!step) return;
  const name = exprName(file, call.callee);
  const what = calleeName(step);
  ctx.report({
    at: call.callee,
    message: `Requests come in before \`${what}\` is done: the port is open from here on.`,
    trigger: 'every start: a deploy, a restart, a new instance',
    scenario: `At \`${name}\`, when requests arrive before \`${what}\` has ended, then they fail; when it fails, all of them do.`,
    detection: 'By a rise of failed requests at every deploy.',
    fix: `Call \`${name}\` after \`${what}\`.`,
    anchor: name,
  });
}

function withoutComments(text: string): string {
  return text.replace(/\/\/[^\n]*|\/\*[\s\S]*?\*\//g, '');
}

function isServer(ctx: RuleContext, call: Call): boolean {
  if (call.callee.k !== 'mem') return false;
  const value = ctx.model.values.of(ctx.file, call.callee.obj);
  if (value.k === 'inst')
    return inherited(value.pack, value.type, 'role') === 'router' || value.type === 'Server';
  if (value.k !== 'ret') return false;
  const { callee } = value;
  return (
    callee.k === 'ext' &&
    /^(?:node:)?https?2?$/.test(callee.pkg) &&
    /createServer|createSecureServer/.test(callee.path)
  );
}

function isAwaited(file: SourceFile, site: Site): boolean {
  for (let at: AnyNode | undefined = file.index.parent(site.top); at; at = file.index.parent(at)) {
    if (at.k === 'await') return true;
    if (at.k !== 'as' && at.k !== 'mem' && at.k !== 'call') return false;
  }
  return false;
}

const STEP =
  /^(?:connect|connectDB|connectDb|connect(?:To)?(?:Database|Mongo\w*|Redis|Rabbit\w*|Db|DB)|init(?:ialize|ialise)?(?:Database|Db|DB|DataSource|Connection|Redis|Schema)?|sync|migrate|latest|runMigrations|migrateToLatest|applyMigrations|authenticate|seed|syncDatabase|setupDatabase|bootstrap(?:Database|Db))$/;

/** A step that what the server does rests on: known to open a connection or to change the schema. */
function needs(ctx: RuleContext, site: Site): boolean {
  const { node, target, effect } = site;
  if (node.k !== 'call') return false;
  const name = node.callee.k === 'mem' ? node.callee.prop : node.callee.k === 'id' ? node.callee.name : '';
  if (target.k === 'lib') {
    if (effect?.kind === 'connection' && effect.op === 'connect')
      return name !== '$connect' && target.pack.id !== 'pg';
    return /^(?:typeorm|sequelize|mongoose|knex|mikroOrm|mongodb)$/.test(target.pack.id) && STEP.test(name);
  }
  if (target.k === 'fn') {
    if (!STEP.test(name)) return false;
    const { file, fn } = target.value;
    return ctx.model
      .reach(file, fn)
      .some(
        (r) =>
          r.site.effect?.kind === 'connection' ||
          r.site.effect?.kind === 'db' ||
          (r.site.target.k === 'lib' && STEP.test(calleeName(r.site).split('.').at(-1) ?? '')),
      );
  }
  return false;
}

/** `app.listen(port, async () => { await connect(); })` */
function inCallback(ctx: RuleContext, call: Call): Site | null {
  const { file, model } = ctx;
  const last = call.args.at(-1);
  const value = last ? model.values.of(file, last) : null;
  if (value?.k !== 'fn' || value.file !== file) return null;
  return model.sites.of(file, value.fn).find((s) => needs(ctx, s)) ?? null;
}

export const examples: readonly RuleExample[] = [
  {
    title: 'Requests that come before the tables',
    bad: `import express from 'express';
import { DataSource } from 'typeorm';
const source = new DataSource({ type: 'postgres' });
const app = express();
export async function main() {
  app.listen(3000);
  await source.initialize();
}
`,
    good: `import express from 'express';
import { DataSource } from 'typeorm';
const source = new DataSource({ type: 'postgres' });
const app = express();
export async function main() {
  await source.initialize();
  app.listen(3000);
}
`,
  },
];
