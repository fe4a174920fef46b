/** Sizes that whoever sends the request picks: rows to read, bytes to set aside, turns to take. */
import type { Expr } from '../facts/ir.ts';
import { uncast, walk } from '../facts/walk.ts';
import { argumentAt, readOption } from '../model/options.ts';
import type { SourceFile } from '../model/project.ts';
import type { Site } from '../model/sites.ts';
import { hasUpperBound, isClamped } from './_kit/limits.ts';
import { requestValue, type RequestValue } from './_kit/requestValue.ts';
import { defineRule, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { calleeName, short } from './_kit/text.ts';

export const rule = defineRule({
  id: 'request-controlled-size',
  lens: 'hostile-input',
  axis: 'load-saturation',
  faultClass: 'backpressure',
  severity: 'medium',
  blocking: false,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'A number from a request decides how many rows are read, how much memory is set aside, how often a loop runs or how long a timer waits, and nothing caps it.',
    why: 'One caller who asks for ten million rows, or a script with a wrong parameter, takes the memory and the connections that all other requests need. Nobody has to be malicious for it.',
    remedy:
      'Give the number an upper bound where it enters: `.max(100)` in the schema, `Math.min(n, 100)`, or refuse what is larger.',
    whenNot: 'The list behind it stays small whatever is asked for.',
  },
  incidents: ['unbounded-query', 'memory-exhaustion'],
  fixKind: 'none',
  detect(ctx) {
    for (const site of ctx.sites) {
      const sink = sinkOf(ctx, site);
      if (sink) check(ctx, sink);
    }
    for (const fn of ctx.functions)
      for (const st of fn.body)
        walk(st, (node) => {
          if (node.k !== 'for' || !node.test) return;
          const limit = loopLimit(node.test);
          if (limit)
            check(ctx, {
              file: ctx.file,
              expr: limit,
              at: limit,
              anchor: short(ctx.file.text.slice(node.test.s, node.test.e)),
              what: 'how often this loop runs',
              then: 'the loop keeps the process busy for all of them and no other request is served meanwhile',
            });
        });
  },
});

interface Sink {
  readonly file: SourceFile;
  /** The size. */
  readonly expr: Expr;
  readonly at: { readonly s: number; readonly e: number };
  readonly anchor: string;
  /** Ends the sentence "the request sets …". */
  readonly what: string;
  readonly then: string;
}

function sinkOf(ctx: RuleContext, site: Site): Sink | null {
  const { node, file, effect } = site;
  if (node.k === 'tag') return null;
  const name = calleeName(site);
  const rows = (expr: Expr, from: SourceFile): Sink => ({
    file: from,
    expr,
    at: from === file ? expr : node.callee,
    anchor: name,
    what: `how many rows \`${short(name)}\` reads`,
    then: 'the database, the connection and the memory of the process carry all of them',
  });
  if (effect?.kind === 'db' && effect.op === 'read' && effect.confidence === 'shown') {
    for (const at of effect.spec.limitAt ?? []) {
      const read = readOption(ctx.model.values, file, node, at);
      if (read.k === 'value') return rows(read.expr, read.file);
    }
  }
  const limit = node.args[0];
  if (site.target.k === 'lib') {
    if (site.target.spec.refines === 'limit' && /^(?:limit|take)$/.test(site.target.name) && limit)
      return rows(limit, file);
    return null;
  }
  if (site.target.k === 'package')
    return /^(?:node:)?crypto$/.test(site.target.pkg) && site.target.path === 'randomBytes' && limit
      ? memory(site, limit)
      : null;
  if (site.target.k === 'builtin') {
    switch (site.target.name) {
      case 'Buffer.alloc':
      case 'Buffer.allocUnsafe':
        return limit ? memory(site, limit) : null;
      case 'Array':
        return node.args.length === 1 && limit ? memory(site, limit) : null;
      case 'Array.from': {
        const shape = limit ? uncast(limit) : null;
        const length = shape?.k === 'obj' ? shape.props.find((p) => p.key === 'length') : undefined;
        return length ? memory(site, length.value) : null;
      }
      case 'setTimeout': {
        const wait = argumentAt(node, 1);
        return wait && wait !== 'unknown'
          ? {
              file,
              expr: wait,
              at: wait,
              anchor: name,
              what: 'how long this timer waits',
              then: 'the request and all it holds stay open that long',
            }
          : null;
      }
      default:
        return null;
    }
  }
  if (node.callee.k === 'mem' && node.callee.prop === 'repeat' && node.args.length === 1 && limit)
    return memory(site, limit);
  return null;
}

function memory(site: Site, expr: Expr): Sink {
  const name = calleeName(site);
  return {
    file: site.file,
    expr,
    at: expr,
    anchor: name,
    what: `how much memory \`${short(name)}\` sets aside`,
    then: 'the process runs out of memory and takes every other request with it',
  };
}

/** `i < n`, `i <= n`. */
function loopLimit(test: Expr): Expr | null {
  const inner = uncast(test);
  if (inner.k !== 'bin' || (inner.op !== '<' && inner.op !== '<=')) return null;
  const right = uncast(inner.r);
  // The length of what was sent is bounded by the limit of the body.
  if (right.k === 'lit' || (right.k === 'mem' && /^(?:length|size)$/.test(right.prop))) return null;
  return uncast(inner.l).k === 'id' ? right : null;
}

function check(ctx: RuleContext, sink: Sink): void {
  if (uncast(sink.expr).k === 'lit') return;
  const value = requestValue(ctx, sink.file, sized(sink.expr));
  if (!value || hasUpperBound(value) || isClamped(value) || !isNumber(value)) return;
  const { field } = value;
  ctx.report({
    at: sink.at,
    message: `Whoever sends the request sets ${sink.what}: ${field ? 'its schema names no upper bound' : 'nothing caps it'}.`,
    trigger: 'a request that asks for very many',
    scenario: `At \`${sink.anchor}\`, when a request asks for ten million, then ${sink.then}.`,
    detection: 'By memory or latency alerts: the request itself is valid.',
    fix: field ? 'Give the field an upper bound in its schema.' : 'Cap the number before it is used.',
    anchor: sink.anchor,
    path: value.via,
    // Behind an administrator's log-in few can ask.
    ...(/\badmin/i.test([sink.file, ...value.via.map((v) => v.file)].map((f) => f.path).join(' '))
      ? { severity: 'low' as const }
      : {}),
    ...(value.assumed ? { confidence: 'assumed' as const } : {}),
  });
}

/** `limit + 1`, `limit * 2`: the part that the request decides. */
function sized(expr: Expr): Expr {
  const inner = uncast(expr);
  if (inner.k === 'bin' && (inner.op === '+' || inner.op === '*'))
    return uncast(inner.r).k === 'lit'
      ? sized(inner.l)
      : uncast(inner.l).k === 'lit'
        ? sized(inner.r)
        : inner;
  return inner;
}

/** A boolean or a word sizes nothing. */
function isNumber(value: RequestValue): boolean {
  const { field } = value;
  if (!field) return true;
  return field.steps.some((s) => /^(?:number|int|float|coerce|bigint|transform|preprocess)$/.test(s.name));
}

export const examples: readonly RuleExample[] = [
  {
    title: 'A page as large as the caller likes',
    bad: `import express from 'express';
import { PrismaClient } from '@prisma/client';
const prisma = new PrismaClient();
const app = express();
app.get('/orders', async (req, res) => {
  const orders = await prisma.order.findMany({ take: Number(req.query.limit) });
  res.json(orders);
});
`,
    good: `import express from 'express';
import { PrismaClient } from '@prisma/client';
const prisma = new PrismaClient();
const app = express();
app.get('/orders', async (req, res) => {
  const orders = await prisma.order.findMany({ take: Math.min(Number(req.query.limit) || 50, 200) });
  res.json(orders);
});
`,
  },
];
