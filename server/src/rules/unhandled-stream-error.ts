/** A stream whose failure nobody handles: a promise that never settles, or a pipe that ends the process. */
import type { Call, Expr, New } from '../facts/ir.ts';
import { some, uncast, walk, type AnyNode } from '../facts/walk.ts';
import type { SourceFile } from '../model/project.ts';
import type { Site } from '../model/sites.ts';
import { DETECTION_WHEN_THROWN_LOOSE } from './_kit/detection.ts';
import { lastName } from './_kit/promises.ts';
import { defineRule, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { exprName } from './_kit/text.ts';

export const rule = defineRule({
  id: 'unhandled-stream-error',
  lens: 'partial-failure',
  axis: 'silent-failure',
  faultClass: 'network',
  severity: 'medium',
  blocking: false,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'A promise is built over a stream that resolves on `end`, `finish` or `close` and has no way to reject on `error`; or a stream is piped on with no `error` listener on either side.',
    why: 'When the disk, the connection or the other side fails, the stream emits `error` and no `end`. The promise never settles and its caller waits for ever, or the event is thrown from nowhere, an uncaught exception.',
    remedy: 'Use `pipeline` from `node:stream/promises`, or `for await`, or reject on `error`.',
    whenNot: 'Every stream of the pipe has its own `error` listener.',
  },
  incidents: ['silent-failure', 'cascading-failure'],
  fixKind: 'none',
  detect(ctx) {
    for (const site of ctx.sites) {
      if (site.node.k === 'new' && site.target.k === 'builtin' && site.target.name === 'Promise')
        checkPromise(ctx, site.node);
      else if (site.node.k === 'call') {
        checkPipe(ctx, site.node, site.fn);
        checkUpload(ctx, site, site.node);
      }
    }
  },
});

const LISTENS = /^(?:on|once|addListener)$/;

interface Listener {
  readonly receiver: string;
  readonly event: string;
  readonly call: Call;
  readonly callback: Expr | undefined;
}

/** Listeners that a subtree adds, with functions that are written in it. */
function listenersIn(file: SourceFile, root: AnyNode | number): Listener[] {
  const out: Listener[] = [];
  const visit = (node: AnyNode): void =>
    walk(node, (n) => {
      if (n.k === 'call' && n.callee.k === 'mem' && LISTENS.test(n.callee.prop)) {
        const first = n.args[0];
        let receiver: Expr = uncast(n.callee.obj);
        while (receiver.k === 'call' && receiver.callee.k === 'mem' && LISTENS.test(receiver.callee.prop))
          receiver = uncast(receiver.callee.obj);
        if (first?.k === 'lit' && typeof first.value === 'string')
          out.push({
            receiver: file.text.slice(receiver.s, receiver.e),
            event: first.value,
            call: n,
            callback: n.args[1],
          });
      }
      if (n.k === 'fn') for (const st of file.facts.functions[n.fn]?.body ?? []) visit(st);
    });
  if (typeof root === 'number') for (const st of file.facts.functions[root]?.body ?? []) visit(st);
  else visit(root);
  return out;
}

/** `new Promise(resolve => { stream.on('data', …); stream.on('end', () => resolve(…)) })`. */
function checkPromise(ctx: RuleContext, made: New): void {
  const { file } = ctx;
  const executor = made.args[0] ? uncast(made.args[0]) : null;
  if (executor?.k !== 'fn') return;
  const fact = file.facts.functions[executor.fn];
  const resolve = fact?.params[0]?.target;
  if (!fact || resolve?.k !== 'pid') return;
  const listeners = listenersIn(file, executor.fn);
  const end = listeners.find(
    (l) => (l.event === 'end' || l.event === 'finish') && callsName(file, l.callback, resolve.b),
  );
  if (!end) return;
  // A response that is cut off emits `close`, never `error`, and nobody waits for what a request listener returns.
  if (end.event === 'finish' && /(?:^|\.)(?:res|response|reply|raw)$/.test(end.receiver)) return;
  // `end` alone is also what sockets and requests emit; reading or writing shows a stream.
  if (
    end.event === 'end' &&
    !listeners.some((l) => l.receiver === end.receiver && (l.event === 'data' || l.event === 'readable'))
  )
    return;
  const owner = ctx.model.outermost(file, executor.fn);
  const anywhere = listenersIn(file, owner);
  if (
    anywhere.some(
      (l) =>
        (l.event === 'error' || l.event === 'aborted') &&
        (l.receiver === end.receiver || end.receiver.startsWith(l.receiver)),
    )
  )
    return;
  // Where the whole of a pipeline, a `finished` or a destroyed signal stands guard.
  const text = file.text.slice(fact.s, fact.e);
  if (/\b(?:pipeline|finished|eos)\s*\(|\.(?:once|on)\(\s*['"](?:error|close)['"]/.test(text)) return;
  const name = exprName(file, end.call.callee);
  // A request without listener for it emits no `error` when the client is gone.
  if (isRequest(file, end.call)) {
    ctx.report({
      at: end.call.callee,
      message: `When the client is gone before the end of \`${end.receiver}\`, this promise never settles: it resolves on \`${end.event}\` and nothing rejects on \`error\` or \`close\`.`,
      trigger: 'the client disconnects before its body is complete',
      scenario: `At \`${name}\`, when the connection breaks off, then the caller waits for ever, with all that it holds.`,
      detection: 'When memory grows, or callers hang: nothing fails.',
      fix: `Reject on \`error\`, or read with \`for await\`.`,
      anchor: name,
    });
    return;
  }
  ctx.report({
    at: end.call.callee,
    message: `When \`${end.receiver}\` fails, this promise never settles: it resolves on \`${end.event}\` and nothing rejects on \`error\`.`,
    trigger: `\`${end.receiver}\` emits \`error\` before \`${end.event}\``,
    scenario: `At \`${name}\`, when the stream breaks off, then the caller waits for ever, or the unheard \`error\` event is an uncaught exception.`,
    detection: 'When callers hang, or by an uncaught exception in the log.',
    fix: `Reject on \`error\`, or read with \`pipeline\` or \`for await\`.`,
    anchor: name,
  });
}

/** By its type, or by the name that people give it. */
function isRequest(file: SourceFile, listener: Call): boolean {
  let at: Expr = listener.callee;
  while (at.k === 'mem' || at.k === 'call') at = uncast(at.k === 'mem' ? at.obj : at.callee);
  const decl = at.k === 'id' ? file.facts.bindings[at.b]?.decl : undefined;
  if (at.k !== 'id' || decl?.k !== 'param') return false;
  return decl.type ? /IncomingMessage$|Request$/.test(decl.type.name) : /^(?:req|request)$/.test(at.name);
}

function callsName(file: SourceFile, callback: Expr | undefined, binding: number): boolean {
  if (!callback) return false;
  const inner = uncast(callback);
  if (inner.k === 'id') return inner.b === binding;
  if (inner.k !== 'fn') return false;
  return (file.facts.functions[inner.fn]?.body ?? []).some((st) =>
    some(st, (n) => n.k === 'id' && n.b === binding),
  );
}

const OPENS = /^create(?:Read|Write)Stream$/;

/** `fs.createReadStream(p).pipe(res)`: a missing file is an `error` event that nobody hears. */
function checkPipe(ctx: RuleContext, call: Call, fn: number): void {
  const { file } = ctx;
  if (call.callee.k !== 'mem' || call.callee.prop !== 'pipe' || call.args.length === 0) return;
  const source = opened(ctx, call.callee.obj);
  if (!source) return;
  const listeners = listenersIn(file, ctx.model.outermost(file, fn));
  if (source.name === null) {
    if (listeners.some((l) => l.event === 'error' && l.receiver.includes('createReadStream'))) return;
    if (file.text.slice(call.callee.obj.s, call.callee.obj.e).includes('error')) return;
  } else if (listeners.some((l) => l.event === 'error' && l.receiver === source.name)) return;
  const name = source.name ?? exprName(file, source.call.callee);
  ctx.report({
    at: { s: call.callee.ps, e: call.callee.ps + 4 },
    message: `When \`${name}\` fails, its \`error\` event is thrown outside every call: \`pipe\` does not pass errors on and nothing here listens for them.`,
    trigger: 'the file is missing or unreadable, or the disk fails',
    scenario: `At \`pipe\`, when \`${name}\` emits \`error\`, then it is an uncaught exception, which ends a process that has no handler for those.`,
    detection: DETECTION_WHEN_THROWN_LOOSE,
    fix: 'Use `pipeline` from `node:stream/promises`.',
    anchor: `${name}.pipe`,
  });
}

function opened(ctx: RuleContext, expr: Expr): { call: Call; name: string | null } | null {
  const inner = uncast(expr);
  if (inner.k === 'call') return isOpen(ctx, inner) ? { call: inner, name: null } : null;
  if (inner.k !== 'id') return null;
  const decl = ctx.file.facts.bindings[inner.b]?.decl;
  const init = decl?.k === 'init' && decl.path.length === 0 ? uncast(decl.init) : null;
  return init?.k === 'call' && isOpen(ctx, init) ? { call: init, name: inner.name } : null;
}

function isOpen(ctx: RuleContext, call: Call): boolean {
  if (!OPENS.test(lastName(call.callee) ?? '')) return false;
  const value = ctx.model.values.of(ctx.file, call.callee);
  return (
    (value.k === 'ext' && /^(?:node:)?fs$|^fs-extra$|^graceful-fs$/.test(value.pkg)) ||
    (value.k === 'method' && /fs/i.test(value.pack.id))
  );
}

/** `const stream = createReadStream()` of an upload, handed to a function that does not listen for `error` either. */
function checkUpload(ctx: RuleContext, site: Site, call: Call): void {
  const { file } = ctx;
  if (call.args.length > 1 || lastName(call.callee) !== 'createReadStream' || !isUpload(ctx, call)) return;
  const holder = file.index.parent(call);
  if (holder?.k !== 'var') return;
  const target = holder.decls.find((d) => d.init === call)?.target;
  if (target?.k !== 'pid') return;
  const owner = file.facts.functions[ctx.model.outermost(file, site.fn)];
  if (!owner || owner.id === 0) return;
  const hears = (text: string): boolean =>
    /['"`](?:error|aborted)['"`]|\bpipeline\s*\(|\bfinished\s*\(|for\s+await\b|once\s*\(/.test(text);
  if (hears(file.text.slice(owner.s, owner.e))) return;
  const taker = ctx.sites.find(
    (s) =>
      s.node.k === 'call' &&
      s.node.args.some((a) => {
        const inner = uncast(a);
        return inner.k === 'id' && inner.b === target.b;
      }),
  );
  // Only what can be read is known to listen for nothing.
  if (taker?.target.k !== 'fn') return;
  const reached = ctx.model.reach(taker.target.value.file, taker.target.value.fn);
  const bodies = [
    taker.target.value,
    ...reached.flatMap((r) => (r.site.target.k === 'fn' ? [r.site.target.value] : [])),
  ];
  for (const { file: of, fn } of bodies) {
    const fact = of.facts.functions[fn];
    if (fact && hears(of.text.slice(fact.s, fact.e))) return;
  }
  ctx.report({
    at: call.callee,
    message: `When the upload breaks off or grows too large, \`${target.name}\` emits \`error\` and nothing on its way listens: it is thrown outside every call.`,
    trigger: 'the client disconnects, or the file exceeds its limit',
    scenario: `At \`createReadStream\`, when \`${target.name}\` emits \`error\`, then it is an uncaught exception, which ends a process that has no handler for those.`,
    detection: DETECTION_WHEN_THROWN_LOOSE,
    fix: `Listen for \`error\` on \`${target.name}\` and reject, or read it with \`pipeline\`.`,
    anchor: `${target.name} createReadStream`,
    confidence: 'assumed',
  });
}

/** `createReadStream` is a part of an upload: taken out of what a promise of it gives. */
function isUpload(ctx: RuleContext, call: Call): boolean {
  const { file } = ctx;
  const callee = uncast(call.callee);
  if (callee.k === 'id') {
    const decl = file.facts.bindings[callee.b]?.decl;
    return decl?.k === 'init' && decl.path.length > 0 && uncast(decl.init).k === 'await';
  }
  if (callee.k !== 'mem') return false;
  const base = uncast(callee.obj);
  if (base.k === 'await') return true;
  if (base.k !== 'id' || !/upload|file/i.test(base.name)) return false;
  const decl = file.facts.bindings[base.b]?.decl;
  return decl?.k === 'init' && uncast(decl.init).k === 'await';
}

export const examples: readonly RuleExample[] = [
  {
    title: 'A download that hangs when the disk fails',
    bad: `import { createReadStream } from 'node:fs';
export function send(path: string, res: NodeJS.WritableStream) {
  createReadStream(path).pipe(res);
}
`,
    good: `import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
export async function send(path: string, res: NodeJS.WritableStream) {
  await pipeline(createReadStream(path), res);
}
`,
  },
];
