/** An async function in a place that ignores its promise. */
import type { Call, Expr } from '../facts/ir.ts';
import { uncast } from '../facts/walk.ts';
import { versionOf } from '../model/bounds.ts';
import { inherited } from '../model/packIndex.ts';
import type { SourceFile } from '../model/project.ts';
import type { Site } from '../model/sites.ts';
import type { FnValue } from '../model/values.ts';
import { UNHANDLED } from './_kit/detection.ts';
import { letsFailureOut, workOf } from './_kit/promises.ts';
import { defineRule, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { calleeName, exprName } from './_kit/text.ts';

export const rule = defineRule({
  id: 'async-callback-crash',
  lens: 'partial-failure',
  axis: 'cascading-failure',
  faultClass: 'network',
  severity: 'high',
  blocking: false,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'An async function that can reject is handed to a caller that ignores its promise: a route of Express 4, a listener of an event emitter, a `createServer` callback.',
    why: 'The rejection reaches no handler. The request is never answered, and Node ends the whole process with everything else it was doing.',
    remedy:
      'Catch inside the function and answer or log; in Express 4 hand the error to `next`, or move to Express 5, which does so by itself.',
    whenNot: 'The receiver awaits what the function gives back.',
  },
  incidents: ['cascading-failure'],
  fixKind: 'none',
  detect(ctx) {
    for (const site of ctx.sites) {
      if (site.node.k !== 'call') continue;
      const who = ignoringReceiver(ctx, site, site.node);
      if (!who) continue;
      for (const arg of site.node.args) checkArgument(ctx, site.node, arg, who);
    }
  },
});

interface Receiver {
  readonly kind: 'express' | 'emitter' | 'server';
  readonly name: string;
}

function ignoringReceiver(ctx: RuleContext, site: Site, call: Call): Receiver | null {
  const { target } = site;
  const { file, model } = ctx;
  if (target.k === 'lib' && target.pack.id === 'express' && target.recv) {
    if (inherited(target.pack, target.recv.type, 'role') !== 'router') return null;
    // A router that wraps its handlers is another package of the same shape.
    if (!/^(?:App|Router|Route)$/.test(target.recv.type) || !file.facts.specifiers.includes('express'))
      return null;
    const version = versionOf(model.sites, file, target.pack);
    if (version.from === 'assumed' || !/^[0-4]\./.test(version.version)) return null;
    return forwardsAsync(model.project, file)
      ? null
      : { kind: 'express', name: `Express ${version.version.split('.')[0]}` };
  }
  const callee = model.values.of(file, call.callee);
  if (
    callee.k === 'ext' &&
    /^(?:node:)?https?$/.test(callee.pkg) &&
    /(?:^|\.)createServer$/.test(callee.path)
  )
    return { kind: 'server', name: 'createServer' };
  if (call.callee.k !== 'mem') return null;
  const { prop, obj } = call.callee;
  if (!/^(?:on|once|addListener|prependListener)$/.test(prop) || call.args[0]?.k !== 'lit') return null;
  const value = model.values.of(file, obj);
  if (value.k === 'inst') {
    const role = inherited(value.pack, value.type, 'role');
    return role === 'emitter' || role === 'connection' || role === 'pool' || role === 'client'
      ? { kind: 'emitter', name: exprName(file, call.callee) }
      : null;
  }
  return isNodeEmitter(ctx, file, obj) ? { kind: 'emitter', name: exprName(file, call.callee) } : null;
}

function forwardsAsync(project: RuleContext['model']['project'], file: SourceFile): boolean {
  const folder = file.path.includes('/') ? file.path.slice(0, file.path.lastIndexOf('/')) : '';
  return ['express-async-errors', 'express-async-handler', 'express-promise-router', '@awaitjs/express'].some(
    (name) => file.facts.specifiers.includes(name) || project.versions.of(folder, name) !== null,
  );
}

/** `new EventEmitter()`, or `this` of a class that extends it. */
function isNodeEmitter(ctx: RuleContext, file: SourceFile, receiver: Expr): boolean {
  const value = ctx.model.values.of(file, receiver);
  if (value.k === 'ret' && value.call.k === 'new') {
    const made = value.callee;
    return made.k === 'ext' && /^(?:node:)?events$/.test(made.pkg);
  }
  if (value.k !== 'self') return false;
  const cls = value.file.facts.classes[value.cls];
  if (!cls?.extends) return false;
  const parent = ctx.model.values.of(value.file, cls.extends);
  return parent.k === 'ext' && /^(?:node:)?events$/.test(parent.pkg);
}

function checkArgument(ctx: RuleContext, call: Call, arg: Expr, who: Receiver): void {
  const { file, model } = ctx;
  const inner = uncast(arg);
  const value =
    inner.k === 'fn'
      ? ({ k: 'fn', file, fn: inner.fn, self: null } satisfies FnValue)
      : inner.k === 'id' || inner.k === 'mem'
        ? model.values.of(file, inner)
        : null;
  if (value?.k !== 'fn') return;
  const fact = value.file.facts.functions[value.fn];
  if (!fact?.async || !letsFailureOut(model, value.file, value.fn)) return;
  const work = workOf(model, value.file, value.fn);
  if (!work) return;
  const what = calleeName(work.site);
  const at =
    inner.k === 'fn'
      ? { s: fact.s, e: Math.max(fact.s + 5, fact.s + file.text.slice(fact.s, fact.bs).trimEnd().length) }
      : inner;
  ctx.report({
    at,
    message:
      who.kind === 'express'
        ? `When \`${what}\` rejects here, the request is never answered: ${who.name} ignores the promise of its handler.`
        : `When \`${what}\` rejects here, no handler takes the rejection: \`${who.name}\` ignores the promise of its callback.`,
    trigger: `\`${what}\` rejects`,
    scenario: `At \`${exprName(file, call.callee)}\`, when \`${what}\` fails, then ${UNHANDLED}.`,
    detection:
      'By an unhandled rejection in the log, by the process that ends on it, or by requests that time out.',
    fix:
      who.kind === 'express'
        ? 'Catch and call `next(error)`, or wrap the handler in one that does.'
        : 'Catch inside the callback and log.',
    anchor: exprName(file, call.callee),
  });
}

export const examples: readonly RuleExample[] = [
  {
    title: 'A listener that writes',
    bad: `import { EventEmitter } from 'node:events';
import { Pool } from 'pg';
const pool = new Pool();
const bus = new EventEmitter();
bus.on('login', async (id: string) => {
  await pool.query('UPDATE users SET seen = now() WHERE id = $1', [id]);
});
`,
    good: `import { EventEmitter } from 'node:events';
import { Pool } from 'pg';
const pool = new Pool();
const bus = new EventEmitter();
bus.on('login', async (id: string) => {
  try {
    await pool.query('UPDATE users SET seen = now() WHERE id = $1', [id]);
  } catch (error) {
    console.error('last-seen not written', id, error);
  }
});
`,
  },
];
