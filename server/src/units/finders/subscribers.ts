/** Event subscribers and sockets: Socket.IO, ws, event buses, bot frameworks. */
import type { UnitKind } from '../../base/vocabulary.ts';
import type { Expr } from '../../facts/ir.ts';
import { uncast } from '../../facts/walk.ts';
import { defineFinder, type FinderContext, type UnitDraft } from '../finder.ts';
import { rootName } from '../names.ts';

const SOCKET = /^(?:io|socket|ws|wss|sockets?|websocket|nsp|namespace|client|conn|connection)$/i;
const BUS = /(?:bus|emitter|events?|hub|mediator|dispatcher|bot|app|subscription|pubsub)$/i;
const LIFECYCLE = new Set([
  'error',
  'close',
  'end',
  'finish',
  'exit',
  'data',
  'readable',
  'drain',
  'open',
  'connect',
  'ready',
  'listening',
  'uncaughtException',
  'unhandledRejection',
  'SIGTERM',
  'SIGINT',
  'timeout',
  'abort',
  'warning',
]);

export const finder = defineFinder({
  id: 'subscriber',
  applies: (file) => /\.on\b|\.subscribe\(|\.addListener\(/.test(file.text),
  find(ctx) {
    const out: UnitDraft[] = [];
    for (const { node } of ctx.sites) {
      if (node.k !== 'call' || node.callee.k !== 'mem' || node.args.length < 2) continue;
      const { prop, obj } = node.callee;
      const receiver = uncast(obj);
      // `bot.on.event('x', fn)`
      const nested = receiver.k === 'mem' && receiver.prop === 'on';
      if (!nested && prop !== 'on' && prop !== 'addListener' && prop !== 'once') continue;
      const event = ctx.text(node.args[0]);
      if (event === null) continue;
      const root = rootName(nested ? receiver.obj : receiver);
      const queue = event === 'message' ? messageQueue(ctx, receiver) : null;
      const kind = queue ? 'consumer' : kindOf(root, event, ctx.file.facts.specifiers);
      if (!nested && (LIFECYCLE.has(event) || kind === null)) continue;
      const last = node.args.at(-1);
      const handler = last && uncast(last).k !== 'lit' ? ctx.handler(last) : null;
      const fact = handler?.file.facts.functions[handler.fn];
      if (!handler || !fact) continue;
      if (!fact.async && !(kind === 'socket' && event === 'connection')) continue;
      out.push({
        kind: kind ?? 'subscriber',
        name: queue ?? (nested ? `${prop} ${event}` : event),
        symbol: `${root}.${nested ? `on.${prop}` : prop} "${event}"`,
        route: event,
        at: node,
        handler,
      });
    }
    return out;
  },
});

const QUEUE_CLIENTS = /^(?:@google-cloud\/pubsub|mqtt|async-mqtt|aedes|sqs-consumer)$/;

/** The queue whose messages a listener takes (`subscription('x')`, an MQTT client); null when the receiver is no such client. */
function messageQueue(ctx: FinderContext, receiver: Expr): string | null {
  if (!ctx.file.facts.specifiers.some((s) => QUEUE_CLIENTS.test(s))) return null;
  let at = uncast(receiver);
  const decl = at.k === 'id' ? ctx.file.facts.bindings[at.b]?.decl : undefined;
  if (decl?.k === 'init') at = uncast(decl.init);
  for (; at.k === 'call' && at.callee.k === 'mem'; at = uncast(at.callee.obj)) {
    if (at.callee.prop === 'subscription') return ctx.text(at.args[0]) ?? 'subscription';
    if (/^connect(?:Async)?$/.test(at.callee.prop)) return 'message';
  }
  return null;
}

function kindOf(root: string, event: string, specifiers: readonly string[]): UnitKind | null {
  const sockets = specifiers.some((s) => /^(?:socket\.io|ws|@nestjs\/websockets|uWebSockets|sockjs)/.test(s));
  if (SOCKET.test(root) && (sockets || /^(?:io|socket|wss|ws|nsp)$/i.test(root)))
    return event === 'message' || event === 'connection' || sockets || root === 'socket' ? 'socket' : null;
  return BUS.test(root) ? 'subscriber' : null;
}
