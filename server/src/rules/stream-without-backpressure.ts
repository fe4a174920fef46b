/** Writing faster than the other side takes. */
import type { Call, Expr } from '../facts/ir.ts';
import { some, uncast, type AnyNode } from '../facts/walk.ts';
import type { SourceFile } from '../model/project.ts';
import type { Site } from '../model/sites.ts';
import { defineRule, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { exprName } from './_kit/text.ts';

export const rule = defineRule({
  id: 'stream-without-backpressure',
  lens: 'resource-exhaustion',
  axis: 'load-saturation',
  faultClass: 'backpressure',
  severity: 'medium',
  blocking: false,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'What one stream or cursor gives is written to another by `write()` in a loop or a `data` listener, and nobody looks at what `write()` returns or waits for `drain`.',
    why: '`write()` never refuses: what the disk or the client does not take in time is kept in memory. With a slow client or a large export that is all of it, until the process ends for want of memory and takes every other request with it.',
    remedy: 'Use `pipeline`, or wait for `drain` whenever `write()` returns false.',
    whenNot: 'A few small pieces that are in memory anyway.',
  },
  incidents: ['resource-exhaustion', 'out-of-memory'],
  fixKind: 'none',
  detect(ctx) {
    for (const site of ctx.sites) if (site.node.k === 'call') check(ctx, site, site.node);
  },
});

function check(ctx: RuleContext, site: Site, call: Call): void {
  const { file } = ctx;
  if (call.callee.k !== 'mem' || call.callee.prop !== 'write' || call.args.length === 0) return;
  if (file.index.parent(call)?.k !== 'expr') return;
  const out = call.callee.obj;
  const kind = sinkOf(ctx, file, out, 0);
  if (!kind) return;
  const source = sourceOf(ctx, file, call, site.fn);
  if (!source) return;
  const owner = ctx.functions[ctx.model.outermost(file, site.fn)];
  const text = owner ? file.text.slice(owner.s, owner.e) : file.text;
  if (/drain|\.pause\s*\(|writableNeedDrain|writableLength|highWaterMark|cork\s*\(/.test(text)) return;
  const name = exprName(file, call.callee);
  ctx.report({
    at: call.callee,
    message: `What ${kind} does not take in time is kept in memory: \`${name}\` is called for ${source} and its answer is ignored.`,
    trigger: `${kind} is slower than what is read`,
    scenario: `At \`${name}\`, when ${kind} is slow and there is much to write, then all of it is buffered in this process.`,
    detection: 'When the process runs out of memory.',
    fix: 'Use `pipeline`, or wait for `drain` when `write()` returns false.',
    anchor: name,
  });
}

/** A stream with a slow end: a file, the answer to a client, a socket. */
function sinkOf(ctx: RuleContext, file: SourceFile, expr: Expr, depth: number): string | null {
  if (depth > 3) return null;
  const value = ctx.model.values.of(file, expr);
  if (value.k === 'ret') {
    const { callee } = value;
    const path = callee.k === 'ext' ? callee.path : '';
    const pkg = callee.k === 'ext' ? callee.pkg : '';
    if (/^(?:node:)?fs$|^fs-extra$/.test(pkg) && /createWriteStream$/.test(path)) return 'the disk';
    if (/^(?:node:)?zlib$/.test(pkg) && /^create/.test(path)) return 'the compressor';
    if (/^(?:node:)?(?:net|tls)$/.test(pkg) && /^(?:connect|createConnection)$/.test(path))
      return 'the socket';
    return null;
  }
  if (value.k === 'inst') {
    if (
      (value.pack.id === 'express' || value.pack.id === 'nodeHttp') &&
      /^(?:Response|ServerResponse)$/.test(value.type)
    )
      return 'the client';
    if (value.pack.id === 'nodeHttp' && value.type === 'ClientRequest') return 'the other side';
  }
  // What a type of Node's own names.
  if (
    value.k === 'ext' &&
    /^(?:node:)?(?:https?|stream|fs|net)$/.test(value.pkg) &&
    /^(?:ServerResponse|WriteStream|Writable|Socket)$/.test(value.path)
  )
    return value.path === 'ServerResponse' ? 'the client' : 'the other end';
  if (value.k === 'param') {
    const type = value.file.facts.functions[value.fn]?.params[value.index]?.type;
    if (
      value.path.length === 0 &&
      type &&
      /^(?:http\.|stream\.|fs\.|net\.)?(?:ServerResponse|WriteStream|Writable|Socket)$/.test(type.name)
    )
      return 'the other end';
  }
  return null;
}

/** Where the pieces come from, as far as that is without a bound; null for a list that is in memory. */
function sourceOf(ctx: RuleContext, file: SourceFile, call: Call, fn: number): string | null {
  for (const at of file.index.ancestors(call)) {
    if (at.k === 'forof' && at.await) return isSmall(file, at.iter) ? null : 'every piece of a stream';
    if (at.k === 'while' && some(at.body, (n) => n.k === 'await') && !waits(file, at.body))
      return 'every round of a loop that reads on';
  }
  const callback = ctx.model.frames.callbackOf(file, fn);
  if (!callback || callback.call.callee.k !== 'mem' || callback.arg !== 1) return null;
  const event = callback.call.args[0];
  if (callback.call.callee.prop !== 'on' || event?.k !== 'lit' || event.value !== 'data') return null;
  // A line reader or parser is paused by hand, which the text shows; a process' own streams are no source of much.
  const from = exprName(file, callback.call.callee.obj);
  if (/^process\.|stdin|stderr|stdout/i.test(from)) return null;
  const piece = call.args[0];
  const given = ctx.functions[fn]?.params[0]?.target;
  if (!piece || given?.k !== 'pid' || !some(piece, (n) => n.k === 'id' && n.b === given.b)) return null;
  return `every piece of \`${from}\``;
}

function isSmall(file: SourceFile, iter: Expr): boolean {
  const inner = uncast(iter);
  return (
    inner.k === 'arr' ||
    /readline|createInterface|events\.on|setInterval|watch/i.test(file.text.slice(iter.s, iter.e))
  );
}

/** A pause between the rounds: events that are sent as they come. */
function waits(file: SourceFile, body: AnyNode): boolean {
  return /sleep|setTimeout|delay\(/i.test(file.text.slice(body.s, body.e));
}

export const examples: readonly RuleExample[] = [
  {
    title: 'An export that a slow client turns into memory',
    bad: `import express from 'express';
import { createReadStream } from 'node:fs';
const app = express();
app.get('/export', async (req, res) => {
  const rows = createReadStream('/data/export.csv');
  rows.on('error', () => res.destroy());
  rows.on('data', (chunk) => {
    res.write(chunk);
  });
  rows.on('end', () => res.end());
});
`,
    good: `import express from 'express';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
const app = express();
app.get('/export', async (req, res) => {
  await pipeline(createReadStream('/data/export.csv'), res);
});
`,
  },
];
