/** Message consumers and workers: BullMQ, Bull, pg-boss, amqplib, kafkajs, SQS, pub/sub, NATS, Temporal-like job registries. */
import type { UnitKind } from '../../base/vocabulary.ts';
import type { Expr } from '../../facts/ir.ts';
import { uncast } from '../../facts/walk.ts';
import { defineFinder, type FinderContext, type UnitDraft } from '../finder.ts';
import { textOf } from '../handler.ts';
import { functionName, rootName } from '../names.ts';

interface Shape {
  readonly method: string;
  /** The receiver's name must match unless it is bound to a queue package. */
  readonly receiver: RegExp;
  readonly packages: RegExp;
  readonly kind: UnitKind;
  readonly name: number | null;
  readonly handler: number | 'last';
  readonly keys?: readonly string[];
}

const SHAPES: readonly Shape[] = [
  {
    method: 'process',
    receiver: /queue/i,
    packages: /^(?:bull|bee-queue|kue)$/,
    kind: 'job',
    name: null,
    handler: 'last',
  },
  { method: 'work', receiver: /boss|queue/i, packages: /^pg-boss$/, kind: 'job', name: 0, handler: 'last' },
  {
    method: 'consume',
    receiver: /chan|ch$|amqp|rabbit|consumer/i,
    packages: /amqp/,
    kind: 'consumer',
    name: 0,
    handler: 1,
  },
  {
    method: 'run',
    receiver: /consumer|kafka/i,
    packages: /^kafkajs|confluent/,
    kind: 'consumer',
    name: null,
    handler: 0,
    keys: ['eachMessage', 'eachBatch'],
  },
  { method: 'define', receiver: /agenda/i, packages: /agenda/, kind: 'job', name: 0, handler: 'last' },
  {
    method: 'subscribe',
    receiver: /nats|nc$|sub|mqtt|redis|bus|pubsub|broker|event/i,
    packages: /nats|mqtt|redis|pubsub/,
    kind: 'consumer',
    name: 0,
    handler: 'last',
  },
  {
    method: 'createFunction',
    receiver: /inngest/i,
    packages: /inngest/,
    kind: 'job',
    name: null,
    handler: 'last',
  },
];

export const finder = defineFinder({
  id: 'consumer',
  applies: () => true,
  find(ctx) {
    const out: UnitDraft[] = [];
    for (const { node } of ctx.sites) {
      if (node.k === 'new') {
        const draft = worker(ctx, node, node.callee, node.args);
        if (draft) out.push(draft);
      } else if (node.k === 'call' && node.callee.k === 'mem') {
        const { prop, obj } = node.callee;
        const task = triggerTask(ctx, node);
        if (task) out.push(task);
        const shape = SHAPES.find((s) => s.method === prop);
        if (shape) {
          const draft = registration(ctx, node, obj, node.args, shape);
          if (draft) out.push(draft);
        } else if (prop === 'create' && rootName(obj) === 'Consumer') {
          const options = node.args[0];
          const handler = options ? ctx.handler(options, ['handleMessage', 'handleMessageBatch']) : null;
          if (handler)
            out.push({
              kind: 'consumer',
              name: 'SQS consumer',
              symbol: 'Consumer.create',
              at: node,
              handler,
            });
        }
      } else if (node.k === 'call') {
        const task = triggerTask(ctx, node);
        if (task) out.push(task);
      }
    }
    out.push(...typedProcessors(ctx));
    return out;
  },
});

function worker(ctx: FinderContext, node: Expr, callee: Expr, args: readonly Expr[]): UnitDraft | null {
  const inner = uncast(callee);
  const name = inner.k === 'id' ? inner.name : inner.k === 'mem' ? inner.prop : '';
  if (!/Worker$/.test(name) || args.length < 2) return null;
  const value = ctx.model.values.of(ctx.file, inner);
  if (
    value.k === 'ext' &&
    (!/bullmq|worker|queue/i.test(value.pkg) || /worker_threads|workerpool|node:/.test(value.pkg))
  )
    return null;
  const second = args[1];
  const handler = second ? ctx.handler(second) : null;
  const queue =
    ctx.text(args[0]) ?? (args[0] ? ctx.file.text.slice(args[0].s, args[0].e).slice(0, 60) : name);
  return handler
    ? { kind: 'job', name: queue, symbol: `new ${name} "${queue}"`, route: queue, at: node, handler }
    : null;
}

function registration(
  ctx: FinderContext,
  node: Expr,
  receiver: Expr,
  args: readonly Expr[],
  shape: Shape,
): UnitDraft | null {
  const value = ctx.model.values.of(ctx.file, receiver);
  const bound =
    (value.k === 'inst' &&
      (shape.packages.test(value.pack.id) || value.pack.packages.some((p) => shape.packages.test(p)))) ||
    (value.k === 'ret' && value.callee.k === 'ext' && shape.packages.test(value.callee.pkg));
  if (!bound && (value.k === 'inst' || !shape.receiver.test(rootName(receiver)))) return null;
  const arg = args[shape.handler === 'last' ? args.length - 1 : shape.handler];
  const handler = arg && uncast(arg).k !== 'lit' ? ctx.handler(arg, shape.keys ?? ['handler']) : null;
  if (!handler) return null;
  const label =
    shape.name === null
      ? nameOf(ctx, receiver, shape.method, args)
      : (ctx.text(args[shape.name]) ?? textOfName(ctx, args[shape.name]));
  return {
    kind: shape.kind,
    name: label ?? `${rootName(receiver)}.${shape.method}`,
    symbol: `${rootName(receiver)}.${shape.method}${label ? ` "${label}"` : ''}`,
    route: label,
    at: node,
    handler,
  };
}

/** What a consumer without a name of its own is called: its job, its function id, its topic, else its queue. */
function nameOf(ctx: FinderContext, receiver: Expr, method: string, args: readonly Expr[]): string | null {
  const first = args[0] ? uncast(args[0]) : undefined;
  if (method === 'createFunction')
    return first?.k === 'obj'
      ? ctx.text(first.props.find((p) => p.key === 'id' || p.key === 'name')?.value)
      : ctx.text(first);
  if (method === 'run') return topicOf(ctx, receiver);
  if (args.length > 1) {
    const own = ctx.text(first);
    if (own !== null) return own;
  }
  const value = ctx.model.values.of(ctx.file, receiver);
  const made = value.k === 'inst' ? value.origin : value.k === 'ret' ? value : null;
  return made?.call.args[0] ? textOf(ctx.model, made.file, made.call.args[0]) : null;
}

/** Kafka says the topic in a call of its own: `consumer.subscribe({ topic })`. */
function topicOf(ctx: FinderContext, receiver: Expr): string | null {
  const name = rootName(receiver);
  for (const { node } of ctx.sites) {
    if (
      node.k !== 'call' ||
      node.callee.k !== 'mem' ||
      node.callee.prop !== 'subscribe' ||
      rootName(node.callee.obj) !== name
    )
      continue;
    const options = node.args[0] ? uncast(node.args[0]) : undefined;
    if (options?.k !== 'obj') continue;
    const topics = options.props.find((p) => p.key === 'topics')?.value;
    const list = topics ? uncast(topics) : undefined;
    const topic =
      options.props.find((p) => p.key === 'topic')?.value ?? (list?.k === 'arr' ? list.items[0] : undefined);
    const text = ctx.text(topic);
    if (text !== null) return text;
  }
  return null;
}

/** `task({ id, run })` and `schedules.task({ id, cron, run })` of Trigger.dev. */
function triggerTask(ctx: FinderContext, node: Expr & { k: 'call' }): UnitDraft | null {
  const callee = uncast(node.callee);
  const root = callee.k === 'mem' ? uncast(callee.obj) : callee;
  const decl = root.k === 'id' ? ctx.file.facts.bindings[root.b]?.decl : undefined;
  if (decl?.k !== 'import' || !decl.from.startsWith('@trigger.dev/sdk')) return null;
  const options = node.args[0] ? uncast(node.args[0]) : undefined;
  const id = options?.k === 'obj' ? ctx.text(options.props.find((p) => p.key === 'id')?.value) : null;
  const handler = options && id !== null ? ctx.handler(options, ['run']) : null;
  if (!handler || id === null) return null;
  return {
    kind: decl.name === 'schedules' ? 'cron' : 'job',
    name: id,
    symbol: `task "${id}"`,
    route: id,
    at: node,
    handler,
  };
}

function textOfName(ctx: FinderContext, expr: Expr | undefined): string | null {
  return expr && (expr.k === 'id' || expr.k === 'mem') ? ctx.file.text.slice(expr.s, expr.e) : null;
}

const JOB_PACKAGES = /^(?:bullmq|bull|pg-boss|bee-queue|agenda|graphile-worker|@hatchet-dev\/)/;

/** Functions that take a `Job` of a queue package, or that are declared as its processor, wherever they are registered. */
function typedProcessors(ctx: FinderContext): UnitDraft[] {
  const { facts } = ctx.file;
  const fromQueue = (binding: number): boolean => {
    const decl = facts.bindings[binding]?.decl;
    return decl?.k === 'import' && JOB_PACKAGES.test(decl.from);
  };
  if (!facts.specifiers.some((s) => JOB_PACKAGES.test(s))) return [];
  const out: UnitDraft[] = [];
  for (const fn of facts.functions) {
    if (fn.id === 0 || (fn.body.length === 0 && !fn.exprBody)) continue;
    const first = fn.params[0]?.type;
    const element = first?.name === '[]' ? first.args[0] : first;
    const isJob =
      element !== undefined &&
      element !== null &&
      /^(?:Job|JobWithMetadata|PgBoss\.Job)/.test(element.name) &&
      fromQueue(element.b);
    if (!isJob || !fn.async) continue;
    const outer = facts.functions[fn.parent];
    const exportedHere = fn.exported || outer?.exported === true || fn.cls >= 0;
    if (!exportedHere) continue;
    const name = functionName(facts, fn) ?? (outer ? functionName(facts, outer) : null);
    if (!name) continue;
    // The factory that returns the processor is its registration.
    const at = fn.name === null && outer?.exported ? outer : fn;
    out.push({ kind: 'job', name, symbol: name, at, handler: { file: ctx.file, fn: fn.id } });
  }
  return out;
}
