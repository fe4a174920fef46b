/** Classes whose methods are marked by decorators: NestJS, TypeGraphQL, routing-controllers and their relatives. */
import type { UnitKind } from '../../base/vocabulary.ts';
import type { ClassFact, Expr, FunctionFact } from '../../facts/ir.ts';
import { uncast } from '../../facts/walk.ts';
import { defineFinder, type FinderContext, type UnitDraft } from '../finder.ts';
import { looksLikeWebhook } from '../kinds.ts';
import { decoratorArgs, decoratorName, findDecorator } from '../names.ts';

const VERBS: Readonly<Record<string, string>> = {
  Get: 'GET',
  Post: 'POST',
  Put: 'PUT',
  Patch: 'PATCH',
  Delete: 'DELETE',
  All: 'ANY',
  Head: 'HEAD',
  Options: 'OPTIONS',
  Sse: 'GET',
};
const GRAPHQL = new Set([
  'Query',
  'Mutation',
  'ResolveField',
  'Subscription',
  'FieldResolver',
  'ResolveReference',
  'ResolveProperty',
]);
const CONTROLLERS = new Set(['Controller', 'JsonController', 'RestController', 'WebhookController']);
const RESOLVERS = new Set(['Resolver']);
/** Method decorators that make a unit wherever the class is. */
const ANYWHERE: Readonly<Record<string, UnitKind>> = {
  Cron: 'cron',
  Interval: 'cron',
  Timeout: 'cron',
  MessagePattern: 'rpc',
  EventPattern: 'consumer',
  GrpcMethod: 'rpc',
  GrpcStreamMethod: 'rpc',
  OnEvent: 'subscriber',
  OnQueueEvent: 'subscriber',
  Process: 'job',
  SubscribeMessage: 'socket',
  RabbitSubscribe: 'consumer',
  RabbitRPC: 'rpc',
  SqsMessageHandler: 'consumer',
  KafkaSubscribe: 'consumer',
  EventsHandler: 'subscriber',
};

/** Names that other libraries use for decorators too: they count in classes of a container, or by their import. */
const COMMON_WORDS = new Set(['Timeout', 'Interval', 'Cron', 'Process']);
const CONTAINED = new Set([
  'Injectable',
  'Controller',
  'Processor',
  'Service',
  'Component',
  'Provider',
  'Module',
]);
const SCHEDULERS = /schedule|cron|bull|queue/i;

export const finder = defineFinder({
  id: 'decorated',
  applies: (file) => file.facts.classes.length > 0,
  find(ctx) {
    const out: UnitDraft[] = [];
    for (const cls of ctx.file.facts.classes) out.push(...ofClass(ctx, cls));
    return out;
  },
});

function ofClass(ctx: FinderContext, cls: ClassFact): UnitDraft[] {
  const out: UnitDraft[] = [];
  const controller = findDecorator(cls, CONTROLLERS);
  const resolver = findDecorator(cls, RESOLVERS);
  const gateway = findDecorator(cls, new Set(['WebSocketGateway']));
  const processor = findDecorator(cls, new Set(['Processor']));
  const handlers = findDecorator(cls, new Set(['EventsHandler', 'CommandHandler', 'QueryHandler']));
  const prefix = controller ? pathOf(ctx, decoratorArgs(controller)[0]) : '';
  for (const id of cls.methods) {
    const fn = ctx.file.facts.functions[id];
    if (!fn || fn.kind !== 'method' || !fn.name) continue;
    const symbol = `${cls.name ?? 'class'}.${fn.name}`;
    const base = { symbol, handler: { file: ctx.file, fn: id }, at: span(fn) };
    for (const decorator of fn.decorators) {
      const name = decoratorName(decorator) ?? '';
      const args = decoratorArgs(decorator);
      const verb = VERBS[name];
      if (controller && verb) {
        const route = joinRoute(prefix, pathOf(ctx, args[0]));
        out.push({
          ...base,
          kind: verb === 'POST' && looksLikeWebhook(route, ctx.file.path) ? 'webhook' : 'http',
          name: `${verb} ${route}`,
          route,
          method: verb === 'ANY' ? null : verb,
        });
        break;
      }
      if (GRAPHQL.has(name) && (resolver || /resolver/i.test(cls.name ?? ''))) {
        out.push({
          ...base,
          kind: 'graphql',
          name: name === 'ResolveField' || name === 'FieldResolver' ? symbol : `${name} ${fn.name}`,
          route: fn.name,
        });
        break;
      }
      const kind = ANYWHERE[name];
      if (
        kind &&
        COMMON_WORDS.has(name) &&
        !findDecorator(cls, CONTAINED) &&
        !importedFrom(ctx, decorator, SCHEDULERS)
      )
        continue;
      if (kind) {
        const label = labelOf(ctx, args);
        out.push({ ...base, kind, name: label && kind !== 'cron' ? label : symbol, route: label });
        break;
      }
    }
    if (gateway && (fn.name === 'handleConnection' || fn.name === 'handleDisconnect'))
      out.push({
        ...base,
        kind: 'socket',
        name: symbol,
        route: fn.name === 'handleConnection' ? 'connection' : 'disconnect',
      });
    if (processor && fn.name === 'process')
      out.push({ ...base, kind: 'job', name: ctx.text(decoratorArgs(processor)[0]) ?? symbol });
    if (handlers && (fn.name === 'handle' || fn.name === 'execute'))
      out.push({
        ...base,
        kind: decoratorName(handlers) === 'EventsHandler' ? 'subscriber' : 'function',
        name: symbol,
      });
  }
  return out;
}

/** `'name'`, `{ cmd: 'name' }`, or the two names of a gRPC method. */
function labelOf(ctx: FinderContext, args: readonly Expr[]): string | null {
  const first = args[0] ? uncast(args[0]) : undefined;
  if (first?.k === 'obj') {
    const named = first.props.find(
      (p) => p.key !== null && ['cmd', 'name', 'queue', 'routingKey', 'topic'].includes(p.key),
    );
    return ctx.text(named?.value);
  }
  const text = ctx.text(first);
  const second = ctx.text(args[1]);
  return text !== null && second !== null ? `${text}.${second}` : text;
}

function importedFrom(ctx: FinderContext, decorator: Expr, from: RegExp): boolean {
  const inner = uncast(decorator);
  const callee = inner.k === 'call' ? uncast(inner.callee) : inner;
  const decl = callee.k === 'id' ? ctx.file.facts.bindings[callee.b]?.decl : undefined;
  return decl?.k === 'import' && from.test(decl.from);
}

/** The method with its decorators, so that the route's line is part of the unit. */
function span(fn: FunctionFact): FunctionFact {
  const first = fn.decorators[0];
  return first && first.s < fn.s ? { ...fn, s: first.s - 1 } : fn;
}

function pathOf(ctx: FinderContext, arg: Expr | undefined): string {
  const inner = arg ? uncast(arg) : undefined;
  if (inner?.k === 'obj') return pathOf(ctx, inner.props.find((p) => p.key === 'path')?.value);
  if (inner?.k === 'arr') return pathOf(ctx, inner.items[0]);
  return ctx.text(inner) ?? '';
}

function joinRoute(prefix: string, path: string): string {
  const parts = `${prefix}/${path}`.split('/').filter((p) => p !== '');
  return `/${parts.join('/')}`;
}
