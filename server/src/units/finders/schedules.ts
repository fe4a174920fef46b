/** Scheduled work: node-cron, cron, croner, node-schedule, and task objects or classes that name a schedule. */
import type { UnitKind } from '../../base/vocabulary.ts';
import type { ClassFact, Expr } from '../../facts/ir.ts';
import { uncast } from '../../facts/walk.ts';
import { numberOf } from '../../model/options.ts';
import { defineFinder, type FinderContext, type UnitDraft } from '../finder.ts';
import { rootName } from '../names.ts';

const CRON_PACKAGES = /^(?:node-cron|cron|croner|node-schedule|toad-scheduler|later|@breejs\/later)$/;
const RUN = ['execute', 'run', 'handler', 'perform', 'onTick', 'task', 'fn', 'handle'];

export const finder = defineFinder({
  id: 'schedule',
  applies: (file) =>
    /cron|schedul|task|job|worker|processor|consumer|subscriber|listener|setInterval/i.test(file.text),
  find(ctx) {
    const out: UnitDraft[] = [];
    for (const { node, fn } of ctx.sites) {
      if (node.k === 'call') {
        const draft = scheduled(ctx, node, node.callee, node.args) ?? interval(ctx, node, fn);
        if (draft) out.push(draft);
      } else if (node.k === 'new') {
        const draft = constructed(ctx, node, node.callee, node.args);
        if (draft) out.push(draft);
      }
    }
    for (const cls of ctx.file.facts.classes) {
      const draft = taskClass(ctx, cls);
      if (draft) out.push(draft);
    }
    return out;
  },
});

function scheduled(ctx: FinderContext, node: Expr, callee: Expr, args: readonly Expr[]): UnitDraft | null {
  const inner = uncast(callee);
  const prop = inner.k === 'mem' ? inner.prop : inner.k === 'id' ? inner.name : '';
  if (prop === 'from' && rootName(inner) === 'CronJob') return fromOptions(ctx, node, args);
  if (!/^(?:schedule|scheduleJob|scheduleTask|cron|addCronJob|registerCron)$/.test(prop)) return null;
  const value = ctx.model.values.of(ctx.file, inner);
  const bound = value.k === 'ext' && CRON_PACKAGES.test(value.pkg);
  const expression = args.map((a) => ctx.text(a)).find((t) => t !== null && isCronText(t)) ?? null;
  if (!bound && expression === null) return null;
  for (let i = args.length - 1; i >= 0; i--) {
    const arg = args[i];
    const handler = arg && uncast(arg).k !== 'lit' ? ctx.handler(arg, RUN) : null;
    if (!handler) continue;
    const title = args.length > 2 ? ctx.text(args[0]) : null;
    const own =
      title !== null && !isCronText(title) ? title : (handler.file.facts.functions[handler.fn]?.name ?? null);
    const name =
      own && expression
        ? `${own} (${expression})`
        : (own ?? (expression ? `cron ${expression}` : 'schedule'));
    return {
      kind: 'cron',
      name,
      symbol: `${rootName(inner)}.${prop}${expression ? ` "${expression}"` : ''}`,
      route: expression,
      at: node,
      handler,
    };
  }
  return null;
}

/** `CronJob.from({ cronTime, onTick })`. */
function fromOptions(ctx: FinderContext, node: Expr, args: readonly Expr[]): UnitDraft | null {
  const options = args[0] ? uncast(args[0]) : undefined;
  const handler = options?.k === 'obj' ? ctx.handler(options, ['onTick']) : null;
  if (options?.k !== 'obj' || !handler) return null;
  const time = ctx.text(options.props.find((p) => p.key === 'cronTime')?.value);
  const name = time ?? 'CronJob';
  return { kind: 'cron', name, symbol: `CronJob.from "${name}"`, route: time, at: node, handler };
}

/** Functions in which a service begins its periodic work; elsewhere a timer belongs to a single call. */
const STARTS = /^(?:start|init|main|bootstrap|onModuleInit|onApplicationBootstrap)$/;

/** `setInterval(async () => …, ms)` where a module or service starts. */
function interval(ctx: FinderContext, node: Expr & { k: 'call' }, fn: number): UnitDraft | null {
  const callee = uncast(node.callee);
  if (callee.k !== 'id' || callee.name !== 'setInterval' || callee.b >= 0) return null;
  if (fn !== 0 && !STARTS.test(ctx.file.facts.functions[fn]?.name ?? '')) return null;
  const handler = node.args[0] ? ctx.handler(node.args[0]) : null;
  const fact = handler?.file.facts.functions[handler.fn];
  if (!handler || !fact?.async) return null;
  const ms = node.args[1] ? numberOf(ctx.model.values, ctx.file, node.args[1]) : null;
  const name = fact.name ?? (ms === null ? 'interval' : `every ${ms} ms`);
  return { kind: 'cron', name, symbol: `setInterval "${name}"`, at: node, handler };
}

function constructed(ctx: FinderContext, node: Expr, callee: Expr, args: readonly Expr[]): UnitDraft | null {
  const inner = uncast(callee);
  const name = inner.k === 'id' ? inner.name : inner.k === 'mem' ? inner.prop : '';
  if (!/^(?:CronJob|Cron|ScheduledTask|ScheduledJob|CronTask|Task|SimpleIntervalJob|AsyncTask)$/.test(name))
    return null;
  for (let i = args.length - 1; i >= 0; i--) {
    const arg = args[i];
    if (!arg) continue;
    const handler = ctx.handler(arg, RUN);
    if (!handler) continue;
    const options = uncast(args[0] ?? arg);
    const id =
      options.k === 'obj'
        ? ctx.text(options.props.find((p) => p.key === 'id' || p.key === 'name')?.value)
        : null;
    const label = id ?? ctx.text(args[0]) ?? name;
    return {
      kind: /Task$/.test(name) && !/Cron|Schedul/.test(name) ? 'job' : 'cron',
      name: label,
      symbol: `new ${name} "${label}"`,
      route: label,
      at: node,
      handler,
    };
  }
  return null;
}

const BASE = /(?:Cron|Scheduled?|Task|Job|Worker|Processor|Consumer|Subscriber|Listener)(?:Base|Host)?$/;
const METHODS = new Set(['perform', 'execute', 'run', 'handle', 'process', 'handler']);

/** `class CleanUp extends CronTask { async perform() {…} }` */
function taskClass(ctx: FinderContext, cls: ClassFact): UnitDraft | null {
  const base = cls.extends ? rootName(cls.extends) : '';
  const named = BASE.exec(base.replace(/^(?:Abstract|Base)/, '').replace(/(?:Abstract|Base)$/, ''));
  if (!named || !cls.name) return null;
  for (const id of cls.methods) {
    const fn = ctx.file.facts.functions[id];
    if (!fn?.name || !METHODS.has(fn.name) || fn.kind !== 'method' || fn.body.length === 0) continue;
    const kind: UnitKind = /Cron|Schedul/.test(base)
      ? 'cron'
      : /Consumer|Subscriber|Listener/.test(base)
        ? 'consumer'
        : 'job';
    const symbol = `${cls.name}.${fn.name}`;
    return { kind, name: symbol, symbol, at: fn, handler: { file: ctx.file, fn: id } };
  }
  return null;
}

function isCronText(text: string): boolean {
  return /^\s*(?:@\w+|(?:[\d*/,\-?LW#]+\s+){4,6}[\d*/,\-?LWA-Za-z#]+)\s*$/.test(text);
}
