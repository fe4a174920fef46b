/**
 * Text that others wrote: what came with a request, a message or an answer. Owns the tracing of an expression back to
 * such a source within its file; what it cannot trace is not external.
 */
import type { Expr } from '../../facts/ir.ts';
import { bare, uncast, walk, type AnyNode } from '../../facts/walk.ts';
import type { Site, Target } from '../../model/sites.ts';
import type { SourceFile } from '../../model/project.ts';
import type { Inst, Value } from '../../model/values.ts';
import type { RuleContext } from './rule.ts';
import { usesOf } from './uses.ts';

export type SourceKind = 'request' | 'message' | 'response' | 'model' | 'file';

export interface External {
  readonly kind: SourceKind;
  /** Set where only names tell that others wrote it. */
  readonly assumed?: true;
  /** The calls by which it came into the function, innermost first; the place is only as safe as each of them. */
  readonly via: readonly Site[];
}

const RESPONSE_PACKS = new Set([
  'fetch',
  'nodeFetch',
  'got',
  'ky',
  'axios',
  'superagent',
  'googleapis',
  'octokit',
]);
const MESSAGE_PACKS = new Set(['amqplib', 'kafkajs', 'nats', 'awsSdk', 'pubsub', 'mqtt']);
/** Data that this program itself put into its queue. */
const OWN_PACKS = new Set(['bull', 'bullmq', 'pgBoss', 'graphileWorker', 'redis', 'ioredis']);
const MODEL_PACKS = new Set(['openai', 'anthropic']);
const STRING_METHODS = new Set([
  'toString',
  'trim',
  'trimStart',
  'trimEnd',
  'replace',
  'replaceAll',
  'slice',
  'substring',
  'substr',
  'split',
  'at',
  'toLowerCase',
  'toUpperCase',
  'pop',
  'shift',
  'valueOf',
  'normalize',
  'join',
]);
const PASS_THROUGH = new Set([
  'String',
  'Buffer.from',
  'Buffer.concat',
  'atob',
  'decodeURIComponent',
  'unescape',
]);
const REQUEST_READS = new Set(['text', 'json', 'formData']);
const REQUEST_PARTS = new Set([
  'body',
  'rawBody',
  'query',
  'params',
  'headers',
  'cookies',
  'searchParams',
  'nextUrl',
  'queryStringParameters',
  'pathParameters',
]);

export function externalSource(ctx: RuleContext, file: SourceFile, expr: Expr, depth = 0): External | null {
  if (depth > 8) return null;
  const inner = bare(uncast(bare(expr)));
  const known = ofValue(ctx.model.values.of(file, inner));
  if (known) return { kind: known, via: [] };
  switch (inner.k) {
    case 'tmpl': {
      for (const part of inner.exprs) {
        const found = externalSource(ctx, file, part, depth + 1);
        if (found) return found;
      }
      return null;
    }
    case 'bin':
      return inner.op === '+' || inner.op === '??' || inner.op === '||'
        ? (externalSource(ctx, file, inner.l, depth + 1) ?? externalSource(ctx, file, inner.r, depth + 1))
        : null;
    case 'cond':
      return (
        externalSource(ctx, file, inner.yes, depth + 1) ?? externalSource(ctx, file, inner.no, depth + 1)
      );
    case 'mem':
      return (
        fromRequestPart(ctx, file, inner) ??
        externalSource(ctx, file, inner.obj, depth + 1) ??
        fromNamedMember(ctx, file, inner)
      );
    case 'idx':
      return fromRequestPart(ctx, file, inner.obj) ?? externalSource(ctx, file, inner.obj, depth + 1);
    case 'call': {
      const callee = uncast(inner.callee);
      if (callee.k === 'mem') {
        if (STRING_METHODS.has(callee.prop)) return externalSource(ctx, file, callee.obj, depth + 1);
        if (callee.prop === 'get' || callee.prop === 'getAll') {
          // `searchParams.get`, `headers.get`, `cookies.get`, `form.get` of a request.
          return fromRequestPart(ctx, file, callee.obj) ?? externalSource(ctx, file, callee.obj, depth + 1);
        }
        if (REQUEST_READS.has(callee.prop) && isRequest(ctx, file, callee.obj))
          return { kind: 'request', via: [] };
      }
      const target = ctx.model.sites.target(file, inner);
      const first = inner.args[0];
      if (target.k === 'builtin' && PASS_THROUGH.has(target.name) && first)
        return externalSource(ctx, file, first, depth + 1);
      return (
        fromNamedCall(ctx, inner, target) ??
        (target.k === 'fn' ? fromReturn(ctx, target.value.file, target.value.fn, depth) : null)
      );
    }
    case 'id': {
      const binding = file.facts.bindings[inner.b];
      const decl = binding?.decl;
      if (!binding || !decl) return null;
      if (decl.k === 'init') {
        const found = externalSource(ctx, file, decl.init, depth + 1);
        if (found) return found;
      }
      if (decl.k === 'each') return externalSource(ctx, file, decl.iter, depth + 1);
      for (const write of binding.writes) {
        const found = write ? externalSource(ctx, file, write, depth + 1) : null;
        if (found) return found;
      }
      for (const piece of collected(file, inner.b)) {
        const found = externalSource(ctx, file, piece, depth + 1);
        if (found) return found;
      }
      return decl.k === 'param' ? fromParameter(ctx, file, decl.fn, decl.index, decl.path, depth) : null;
    }
    default:
      return null;
  }
}

/** What is pushed onto a list: the pieces of a body that `Buffer.concat` or `join` puts together. */
function collected(file: SourceFile, binding: number): Expr[] {
  const decl = file.facts.bindings[binding]?.decl;
  const init = decl?.k === 'init' && decl.path.length === 0 ? uncast(decl.init) : null;
  if (init?.k !== 'arr' || init.items.length > 0) return [];
  return usesOf(file, binding).flatMap((use) => {
    const member = file.index.parent(use);
    const call = member?.k === 'mem' && member.prop === 'push' ? file.index.parent(member) : undefined;
    return call?.k === 'call' && call.callee === member && call.args[0] ? [call.args[0]] : [];
  });
}

function ofValue(value: Value): SourceKind | null {
  let at: Value = value;
  for (let guard = 0; at.k === 'of' && guard < 12; guard++) at = at.base;
  if (at.k !== 'inst') return null;
  return at.type === 'Input'
    ? ofPack(at)
    : MODEL_PACKS.has(at.pack.id) && at.type === 'Answer' && value.k === 'of'
      ? 'model'
      : null;
}

function ofPack(inst: Inst): SourceKind | null {
  if (RESPONSE_PACKS.has(inst.pack.id)) return 'response';
  if (MESSAGE_PACKS.has(inst.pack.id)) return 'message';
  return OWN_PACKS.has(inst.pack.id) ? null : 'request';
}

/** A repository host's answer to "give me this file": its text is what the owner of that repository wrote. */
const FOREIGN_FILE =
  /^(?:getRawFile|getRepoFile|getRepositoryFile|getFileContents?|getRawFileContents?|fetchFileContents?|readRepoFile|readRepositoryFile)$/;
const REPOSITORY =
  /(?:^|\.)(?:platform|repo|repository|gitlab|github|bitbucket|gitea|azure|scm|octokit)\w*$/i;

function fromNamedCall(ctx: RuleContext, call: Expr & { k: 'call' }, target: Target): External | null {
  const callee = uncast(call.callee);
  const name = callee.k === 'mem' ? callee.prop : callee.k === 'id' ? callee.name : '';
  const onRepository =
    name === 'getFile' &&
    callee.k === 'mem' &&
    REPOSITORY.test(ctx.file.text.slice(callee.obj.s, callee.obj.e));
  if (FOREIGN_FILE.test(name) || onRepository) return { kind: 'file', via: [], assumed: true };
  if (target.k !== 'unresolved' || callee.k !== 'mem') return null;
  // `.text()` on something called a response, which came from a call that nothing describes.
  const holder = bare(uncast(callee.obj));
  if (name === 'text' && call.args.length === 0 && holder.k === 'id' && ANSWER_NAME.test(holder.name))
    return { kind: 'response', via: [], assumed: true };
  return null;
}

const ANSWER_NAME = /^(?:(?:api|http|fetch|raw|upstream|web|token|user)?(?:res|resp|response))$/i;
const TEXT_PART = /^(?:body|rawBody|responseText|bodyText)$/;

/** `response.body` where `response` is the awaited result of a call that nothing describes. */
function fromNamedMember(ctx: RuleContext, file: SourceFile, member: Expr & { k: 'mem' }): External | null {
  const holder = bare(uncast(member.obj));
  // `error.response.body` in a handler: what a peer sent along with its refusal.
  if (holder.k === 'mem' && holder.prop === 'response' && TEXT_PART.test(member.prop)) {
    const error = bare(uncast(holder.obj));
    return error.k === 'id' && file.facts.bindings[error.b]?.kind === 'catch'
      ? { kind: 'response', via: [], assumed: true }
      : null;
  }
  if (holder.k !== 'id' || !TEXT_PART.test(member.prop) || !ANSWER_NAME.test(holder.name)) return null;
  const decl = file.facts.bindings[holder.b]?.decl;
  if (decl?.k !== 'init' || decl.path.length > 0 || decl.init.k !== 'await') return null;
  const made = bare(uncast(decl.init));
  if (made.k !== 'call') return null;
  const target = ctx.model.sites.target(file, made);
  return target.k === 'unresolved' || target.k === 'package' || target.k === 'fn'
    ? { kind: 'response', via: [], assumed: true }
    : null;
}

/** What a local function gives back, where every way out is not a matter of its callers: text it read from others. */
function fromReturn(ctx: RuleContext, file: SourceFile, fn: number, depth: number): External | null {
  const fact = file.facts.functions[fn];
  if (!fact || file !== ctx.file || fact.generator || depth > 5) return null;
  let found: External | null = null;
  for (const st of fact.body)
    walk(st, (node) => {
      if (node.k === 'ret' && node.arg && !found) found = externalSource(ctx, file, node.arg, depth + 2);
    });
  return found;
}

/** `req.body…`, `event.body`, where the root is the request of a unit or typed as one. */
function fromRequestPart(ctx: RuleContext, file: SourceFile, expr: Expr): External | null {
  let at = bare(uncast(expr));
  let part: string | null = null;
  for (;;) {
    if (at.k === 'mem') {
      part = at.prop;
      at = bare(uncast(at.obj));
    } else if (at.k === 'idx') at = bare(uncast(at.obj));
    else break;
  }
  if (at.k === 'new' && at.args[0] && part === 'searchParams') {
    const arg = bare(uncast(at.args[0]));
    return arg.k === 'mem' && arg.prop === 'url' && isRequest(ctx, file, arg.obj)
      ? { kind: 'request', via: [] }
      : null;
  }
  if (at.k === 'id' && (part === 'searchParams' || part === null)) {
    // `const { searchParams } = new URL(req.url)`
    const decl = file.facts.bindings[at.b]?.decl;
    if (decl?.k === 'init') {
      const made = bare(uncast(decl.init));
      const arg = made.k === 'new' ? made.args[0] : undefined;
      const url = arg ? bare(uncast(arg)) : null;
      const named = part === 'searchParams' || decl.path[0] === 'searchParams';
      if (named && url?.k === 'mem' && url.prop === 'url' && isRequest(ctx, file, url.obj))
        return { kind: 'request', via: [] };
    }
  }
  if (part === null) return at.k === 'id' && isForm(file, at.b) ? { kind: 'request', via: [] } : null;
  if (!REQUEST_PARTS.has(part)) return null;
  if (isRequest(ctx, file, at)) return { kind: 'request', via: [] };
  return at.k === 'id' && isCalledRequest(file, at.b) ? { kind: 'request', via: [], assumed: true } : null;
}

/** The form that a server action is handed. */
function isForm(file: SourceFile, binding: number): boolean {
  const decl = file.facts.bindings[binding]?.decl;
  return decl?.k === 'param' && decl.path.length === 0 && decl.type?.name === 'FormData';
}

/** A parameter that is called `req`, in a middleware or helper of a server: `function state(req) { … req.query.state … }`. */
function isCalledRequest(file: SourceFile, binding: number): boolean {
  const found = file.facts.bindings[binding];
  const decl = found?.decl;
  if (!found || decl?.k !== 'param' || decl.path.length > 0 || !/^_?(?:req|request)$/.test(found.name))
    return false;
  // A client's own description of what it is about to send is called so, too.
  return (
    (!decl.type ||
      /(?:^|\.)(?:Http|Express|Fastify|Next|Incoming|Api)?(?:Request|Req|IncomingMessage)$/.test(
        decl.type.name,
      )) &&
    !/\.\w*(?:send|fetch|dispatch)\(\s*_?req(?:uest)?\b/.test(file.text)
  );
}

/** The first parameter of an HTTP unit's handler, or a name that is typed as a request. */
function isRequest(ctx: RuleContext, file: SourceFile, expr: Expr): boolean {
  const inner = bare(uncast(expr));
  if (inner.k === 'mem')
    return inner.prop === 'req' || inner.prop === 'request' ? isContext(ctx, file, inner.obj) : false;
  if (inner.k !== 'id') return false;
  const decl = file.facts.bindings[inner.b]?.decl;
  if (decl?.k !== 'param') return false;
  if (
    decl.type &&
    /^(?:Next)?Request$|^NextApiRequest$|^IncomingMessage$|^APIGatewayProxyEvent(?:V2)?$/.test(decl.type.name)
  )
    return decl.path.length === 0;
  if (decl.path.length === 1 && decl.path[0] === 'request') return handles(ctx, file, decl.fn);
  return decl.index === 0 && decl.path.length === 0 && handles(ctx, file, decl.fn);
}

function isContext(ctx: RuleContext, file: SourceFile, expr: Expr): boolean {
  const inner = bare(uncast(expr));
  if (inner.k !== 'id') return false;
  const decl = file.facts.bindings[inner.b]?.decl;
  return decl?.k === 'param' && decl.index === 0 && handles(ctx, file, decl.fn);
}

function handles(ctx: RuleContext, file: SourceFile, fn: number): boolean {
  return ctx.units.some(
    (u) =>
      u.file === file &&
      u.fn === fn &&
      (u.unit.kind === 'http' || u.unit.kind === 'webhook' || u.unit.kind === 'lambda'),
  );
}

/** What callers hand in: the listener of a socket, or the local calls of the function. */
function fromParameter(
  ctx: RuleContext,
  file: SourceFile,
  fn: number,
  index: number,
  path: readonly unknown[],
  depth: number,
): External | null {
  const listener = file.index.argumentSite(fn);
  if (listener) {
    const { call } = listener;
    const event = call.args[0];
    const callee = call.callee;
    if (
      callee.k === 'mem' &&
      (callee.prop === 'on' || callee.prop === 'once' || callee.prop === 'addEventListener') &&
      event?.k === 'lit' &&
      event.value === 'message' &&
      index === 0
    ) {
      const receiver = file.text.slice(callee.obj.s, callee.obj.e);
      if (/(?:^|\.|\b)(?:ws|wss|socket|webSocket|websocket|conn|connection|peer)\w*$/i.test(receiver))
        return { kind: 'message', via: [] };
    }
    if (
      callee.k === 'mem' &&
      callee.prop === 'on' &&
      event?.k === 'lit' &&
      event.value === 'data' &&
      index === 0
    ) {
      if (isRequest(ctx, file, callee.obj)) return { kind: 'request', via: [] };
      const peer = ofHttpCallback(ctx, file, callee.obj);
      if (peer) return { kind: peer, via: [] };
    }
    return null;
  }
  if (isDecoratedInput(file, fn, index)) return { kind: 'request', via: [] };
  if (path.length > 0 || handles(ctx, file, fn)) return null;
  const named = file.facts.functions[fn]?.params[index];
  const name = named?.target.k === 'pid' ? named.target.name : '';
  if (
    HANDED_FILE.test(name) &&
    file.facts.functions[fn]?.exported &&
    (!named?.type || named.type.name === 'string')
  )
    return { kind: 'file', via: [], assumed: true };
  for (const site of ctx.model.sites.callersIn(ctx.file, file, fn)) {
    const arg = site.node.k === 'tag' ? undefined : site.node.args[index];
    const found = arg ? externalSource(ctx, file, arg, depth + 1) : null;
    if (found) return { kind: found.kind, via: [site, ...found.via] };
  }
  return null;
}

/** The first parameter of a callback of `node:http`: what a peer answers or asks, piece by piece. */
function ofHttpCallback(ctx: RuleContext, file: SourceFile, expr: Expr): 'response' | 'request' | null {
  const inner = bare(uncast(expr));
  const decl = inner.k === 'id' ? file.facts.bindings[inner.b]?.decl : undefined;
  if (decl?.k !== 'param' || decl.index !== 0 || decl.path.length > 0) return null;
  const call = file.index.argumentSite(decl.fn)?.call;
  if (call?.k !== 'call') return null;
  const [event] = call.args;
  if (call.callee.k === 'mem' && /^(?:on|once)$/.test(call.callee.prop))
    return event?.k === 'lit' && event.value === 'response' ? 'response' : null;
  const target = ctx.model.sites.target(file, call);
  const name =
    target.k === 'lib' && target.pack.id === 'nodeHttp'
      ? target.name
      : target.k === 'package' && /^(?:(?:node:)?https?|follow-redirects)$/.test(target.pkg)
        ? target.path
        : '';
  if (/(?:^|\.)createServer$/.test(name)) return 'request';
  return /(?:^|\.)(?:get|request)$/.test(name) ? 'response' : null;
}

/** Text of somebody's package file, handed in by whoever fetched it. */
const HANDED_FILE =
  /^(?:packageFileContent|packageJsonContent|manifestContent|lockFileContent|repoFileContent)$/;

/** `@Query('filter') filter: string`: the framework hands the request's part in as it came, unless a pipe judges it. */
function isDecoratedInput(file: SourceFile, fn: number, index: number): boolean {
  return (file.facts.functions[fn]?.params[index]?.decorators ?? []).some((d) => {
    const made = uncast(d);
    const callee = made.k === 'call' ? uncast(made.callee) : made;
    const plain = made.k !== 'call' || made.args.every((a) => a.k === 'lit' && a.kind === 'string');
    return (
      plain &&
      callee.k === 'id' &&
      /^(?:Query|Param|Body|RawBody|Headers|HeaderParam|QueryParam|BodyParam|CookieParam|Cookies)$/.test(
        callee.name,
      )
    );
  });
}

/** A handler around a place, also through callbacks that run at once, or a `.catch` on the chain it is part of. */
export function isGuarded(ctx: RuleContext, file: SourceFile, node: AnyNode, fn: number): boolean {
  for (const frame of ctx.model.frames.around(file, node, fn)) {
    if (frame.k === 'try' && frame.node.handler && !onlyRethrows(frame.node.handler.body)) return true;
    if (frame.k === 'callback') {
      if (hasCatch(file, frame.call)) return true;
      if (!frame.resolved)
        return frame.lib === null && !frame.roles.size && isUnknownWrapper(file, frame.call.callee);
    }
  }
  return false;
}

/** Wrappers that nothing resolves may catch: `safely(() => JSON.parse(x))`, `Result.try(…)`. */
function isUnknownWrapper(file: SourceFile, callee: Expr): boolean {
  return /try|safe|attempt|catch|result|either|from/i.test(file.text.slice(callee.s, callee.e));
}

function onlyRethrows(body: readonly AnyNode[]): boolean {
  const only = body[0];
  return body.length === 1 && only?.k === 'throw' && only.arg.k === 'id';
}

function hasCatch(file: SourceFile, call: Expr): boolean {
  let at: Expr = call;
  for (;;) {
    const member = file.index.parent(at);
    if (member?.k !== 'mem' || member.obj !== at) return false;
    const next = file.index.parent(member);
    if (next?.k !== 'call') return false;
    if (member.prop === 'catch') return true;
    if (member.prop === 'then' && next.args.length > 1) return true;
    at = next;
  }
}
