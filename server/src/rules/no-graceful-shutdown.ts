/** A server that SIGTERM cuts off in the middle of its work. */
import type { Call } from '../facts/ir.ts';
import { inherited } from '../model/packIndex.ts';
import type { SourceFile } from '../model/project.ts';
import type { Site } from '../model/sites.ts';
import { defineRule, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { exprName } from './_kit/text.ts';

export const rule = defineRule({
  id: 'no-graceful-shutdown',
  lens: 'partial-failure',
  axis: 'recoverability',
  faultClass: 'recovery',
  severity: 'medium',
  blocking: false,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'The entry file of a process starts a server and neither it nor anything it imports handles SIGTERM; or it handles SIGINT alone; or a worker is cut from its connection where it is to stop.',
    why: 'Every deploy, scale-down and node drain sends SIGTERM. Without a handler the process is ended: requests in flight are cut off, half-done work stays half done, and connections are left to time out on the other side.',
    remedy:
      'On SIGTERM stop taking work, wait for what is running (with a deadline), close pools and queues, then exit.',
    whenNot: 'Serverless functions and frameworks that do it themselves.',
  },
  incidents: ['graceful-shutdown'],
  fixKind: 'none',
  detect(ctx) {
    if (/\bWorker\b/.test(ctx.file.text))
      for (const site of ctx.sites) if (site.node.k === 'call') checkWorkerStop(ctx, site, site.node);
    if (handlesTermination(ctx)) return;
    for (const site of ctx.sites) {
      if (site.node.k !== 'call') continue;
      if (checkInterrupt(ctx, site, site.node)) return;
      if (checkListen(ctx, site, site.node)) return;
    }
  },
});

const HANDLES =
  /SIGTERM|enableShutdownHooks|close-with-grace|closeWithGrace|http-terminator|createHttpTerminator|@godaddy\/terminus|createTerminus|lightship|stoppable|http-graceful-shutdown|fastify-graceful-shutdown|node-graceful|graceful-?shutdown|signal-exit|death\b|onExit\(|asyncExitHook|exit-hook/i;

/** The file or what it imports, as far as the project has it. */
function handlesTermination(ctx: RuleContext): boolean {
  const seen = new Set<string>();
  const visit = (file: SourceFile, depth: number): boolean => {
    if (seen.has(file.path) || depth > 4 || seen.size > 200) return false;
    seen.add(file.path);
    if (HANDLES.test(file.text)) return true;
    return file.facts.specifiers.some((s) => {
      const resolved = ctx.model.project.modules.resolve(file.path, s);
      if (resolved.k !== 'file') return false;
      const next = ctx.model.project.file(resolved.path);
      return next !== null && next !== undefined && visit(next, depth + 1);
    });
  };
  // Most files start nothing; their imports need no look.
  if (!/\.listen\s*\(|SIGINT|\bserve\s*\(/.test(ctx.file.text)) return true;
  return visit(ctx.file, 0);
}

/** `process.on('SIGINT', stop)` alone. */
function checkInterrupt(ctx: RuleContext, site: Site, call: Call): boolean {
  if (exprName(ctx.file, call.callee) !== 'process.on' && exprName(ctx.file, call.callee) !== 'process.once')
    return false;
  const first = call.args[0];
  if (first?.k !== 'lit' || first.value !== 'SIGINT' || call.args.length < 2) return false;
  // A tool that is stopped by hand; what a deploy stops sets its handlers up when it is loaded.
  if (site.fn !== 0 || /(?:^|\/)(?:cli|commands?|dev|bin|create-[^/]*|devkit)(?:\/|\.)/.test(ctx.file.path))
    return false;
  ctx.report({
    at: call.callee,
    message: 'Only SIGINT is handled here: a deploy sends SIGTERM, which does not run this.',
    trigger: 'a deploy, scale-down or node drain',
    scenario: `At \`${exprName(ctx.file, call.callee)}\`, when SIGTERM comes, then the process is ended without running this.`,
    detection: 'By failed requests at deploys.',
    fix: 'Run the same function on SIGTERM.',
    anchor: 'process.on SIGINT',
  });
  return true;
}

/** The host that runs it asks over its own routes for an end: a sandbox or a virtual machine of one session. */
const ENDED_BY_HOST = /['"`\/](?:terminate|suspend|shutdown|quit)['"`]/i;

/** A server that starts when the file is run. */
function checkListen(ctx: RuleContext, site: Site, call: Call): boolean {
  const { file, model } = ctx;
  if (call.callee.k !== 'mem' || call.callee.prop !== 'listen') return false;
  const value = model.values.of(file, call.callee.obj);
  if (!isServer(value)) return false;
  if (!runsAtStart(ctx, site)) return false;
  if (ENDED_BY_HOST.test(file.text)) return false;
  const name = exprName(file, call.callee);
  ctx.report({
    at: call.callee,
    message:
      'A deploy cuts requests off: this process serves, and neither this file nor what it imports handles SIGTERM.',
    trigger: 'a deploy, scale-down or node drain',
    scenario: `At \`${name}\`, when SIGTERM comes, then the process is ended with its requests in flight.`,
    detection: 'By failed requests at deploys.',
    fix: 'On SIGTERM stop taking requests, wait for those in flight, close what is open, then exit.',
    anchor: name,
  });
  return true;
}

/** A worker that is cut from its connection, or closed by force, where it is to come to an end. */
function checkWorkerStop(ctx: RuleContext, site: Site, call: Call): void {
  const { file, model } = ctx;
  if (call.callee.k !== 'mem') return;
  const forced = call.args[0]?.k === 'lit' && call.args[0].value === true;
  const cut = call.callee.prop === 'disconnect' || (call.callee.prop === 'close' && forced);
  if (!cut) return;
  const owner = ctx.functions[model.outermost(file, site.fn)];
  if (
    !owner ||
    !/^(?:stop|close|shutdown|destroy|dispose|onModuleDestroy|onApplicationShutdown|gracefulShutdown)/i.test(
      owner.name ?? '',
    )
  )
    return;
  const value = model.values.of(file, call.callee.obj);
  if (value.k !== 'inst' || value.type !== 'Worker' || inherited(value.pack, value.type, 'role') !== 'worker')
    return;
  // A close that waits comes first, and this is for what is left after its deadline.
  const receiver = exprName(file, call.callee.obj);
  if (file.text.slice(owner.s, call.s).includes(`${receiver}.close(`)) return;
  const name = exprName(file, call.callee);
  ctx.report({
    at: call.callee,
    message: `\`${name}\` abandons the jobs that run: each stays locked until it counts as stalled, and then runs a second time.`,
    trigger: 'a deploy, scale-down or node drain while a job runs',
    scenario: `At \`${name}\`, when the process stops during a job, then its end is never recorded and another worker starts it over.`,
    detection: 'By jobs that run twice after deploys: nothing fails.',
    fix: `Call \`${receiver}.close()\` and wait: it ends once the running jobs are done.`,
    anchor: name,
  });
}

function isServer(value: ReturnType<RuleContext['model']['values']['of']>): boolean {
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

/** At the top of the module, or in a function that the module calls. */
function runsAtStart(ctx: RuleContext, site: Site): boolean {
  let fn = ctx.model.outermost(ctx.file, site.fn);
  for (let hops = 0; hops < 4; hops++) {
    if (fn === 0) return true;
    const fact = ctx.functions[fn];
    if (!fact) return false;
    const holder = ctx.file.index.holder(fn);
    const parent = holder ? ctx.file.index.parent(holder) : undefined;
    // `(async () => { … })()` at the top.
    if (parent?.k === 'call' && parent.callee === holder) {
      fn = ctx.model.outermost(ctx.file, ctx.file.index.functionOf(parent));
      continue;
    }
    const at = fn;
    const caller = ctx.model.sites.callersIn(ctx.file, ctx.file, at).find((s) => s.fn !== at);
    if (!caller) return false;
    fn = ctx.model.outermost(ctx.file, caller.fn);
  }
  return false;
}

export const examples: readonly RuleExample[] = [
  {
    title: 'An API that is cut off at every deploy',
    bad: `import express from 'express';
const app = express();
app.get('/', (req, res) => res.send('ok'));
app.listen(3000);
`,
    good: `import express from 'express';
const app = express();
app.get('/', (req, res) => res.send('ok'));
const server = app.listen(3000);
process.on('SIGTERM', () => server.close(() => process.exit(0)));
`,
  },
];
