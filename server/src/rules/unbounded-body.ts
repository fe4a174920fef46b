/** Bodies that are read whole, however large they are. */
import type { Call, Expr, Stmt } from '../facts/ir.ts';
import { bare, some, uncast, walk } from '../facts/walk.ts';
import { numberOf, readOption, readPath, stringOf } from '../model/options.ts';
import type { SourceFile } from '../model/project.ts';
import type { Site } from '../model/sites.ts';
import { externalSource } from './_kit/external.ts';
import { isOneOff } from './_kit/guards.ts';
import { requestValue } from './_kit/requestValue.ts';
import { defineRule, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { calleeName, exprName } from './_kit/text.ts';

export const rule = defineRule({
  id: 'unbounded-body',
  lens: 'resource-exhaustion',
  axis: 'load-saturation',
  faultClass: 'backpressure',
  severity: 'medium',
  blocking: false,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'A body that others send is collected in memory with no limit on its size: the chunks of a raw request, an upload, a parser whose limit was taken away, a file behind an address that a request gave, compressed data that is unpacked whole.',
    why: 'One body of a few gigabytes, or a few kilobytes that unpack to as much, takes the memory of the process, and every other request goes down with it.',
    remedy:
      'Count what has come and stop at a limit, give the parser or the upload its limit, and check the length before and while a foreign answer is read.',
    whenNot: 'A proxy in front refuses large bodies, and nothing else can reach the service.',
  },
  incidents: ['memory-exhaustion', 'resource-exhaustion'],
  fixKind: 'none',
  detect(ctx) {
    if (isOneOff(ctx.file)) return;
    for (const site of ctx.sites) {
      checkChunks(ctx, site);
      checkMiddleware(ctx, site);
      checkParserLimit(ctx, site);
      checkForeign(ctx, site);
      checkUnpack(ctx, site);
    }
    for (const fn of ctx.functions)
      for (const st of fn.body)
        walk(st, (node) => {
          if (node.k === 'forof' && node.await) checkAwaited(ctx, node, fn.id);
        });
  },
});

const DETECTION = 'By a restart: the process runs out of memory.';

// ---- raw requests

const SIZE = /\.(?:length|byteLength|size)\b|\blength\b|limit|max|tooLarge|too_large|413|destroy\(/i;

function checkChunks(ctx: RuleContext, site: Site): void {
  const { node, file } = site;
  if (node.k !== 'call' || node.callee.k !== 'mem' || !/^(?:on|addListener)$/.test(node.callee.prop)) return;
  const [event, listener] = node.args;
  if (event?.k !== 'lit' || event.value !== 'data' || listener?.k !== 'fn') return;
  if (!isIncoming(ctx, file, node.callee.obj)) return;
  const fact = file.facts.functions[listener.fn];
  if (!fact || !collects(fact.body)) return;
  if (boundedAround(file, site.fn, fact.s, fact.e)) return;
  report(ctx, node.callee, exprName(file, node.callee.obj), 'request');
}

function checkAwaited(ctx: RuleContext, loop: Stmt & { k: 'forof' | 'forin' }, fn: number): void {
  const { file } = ctx;
  if (!isIncoming(ctx, file, loop.iter) || !collects([loop.body])) return;
  if (boundedAround(file, fn, loop.s, loop.e)) return;
  report(ctx, loop.iter, exprName(file, loop.iter), 'request');
}

/** The listener or loop counts, or something else of the function watches the size. */
function boundedAround(file: SourceFile, fn: number, s: number, e: number): boolean {
  const own = file.text.slice(s, e).replace(/\bcontent-length\b/gi, 'limit');
  if (SIZE.test(own)) return true;
  const fact = file.facts.functions[fn];
  return (
    fact !== undefined &&
    /content-?length|max\w*(?:Size|Bytes|Length)|\b413\b|limit/i.test(file.text.slice(fact.s, fact.e))
  );
}

/** `chunks.push(chunk)`, `body += chunk`. */
function collects(body: readonly Stmt[]): boolean {
  return body.some((st) =>
    some(
      st,
      (n) =>
        (n.k === 'asg' && n.op === '+=') ||
        (n.k === 'call' && n.callee.k === 'mem' && n.callee.prop === 'push') ||
        (n.k === 'asg' && n.op === '=' && n.value.k === 'call' && /concat$/.test(exprTail(n.value))),
    ),
  );
}

function exprTail(call: Call): string {
  return call.callee.k === 'mem' ? call.callee.prop : '';
}

/** The raw request of a server: the first parameter of a unit's handler, of `createServer`, or one that is typed so. */
function isIncoming(ctx: RuleContext, file: SourceFile, expr: Expr): boolean {
  const inner = bare(uncast(expr));
  if (inner.k === 'mem') return inner.prop === 'req' && /^(?:ctx|context|c)$/.test(exprName(file, inner.obj));
  if (inner.k !== 'id') return false;
  const decl = file.facts.bindings[inner.b]?.decl;
  if (decl?.k !== 'param' || decl.path.length > 0) return false;
  if (decl.type)
    return (
      /^(?:http\.)?IncomingMessage$|^(?:NextApi|Express\.|express\.)?Request$|^NextApiRequest$/.test(
        decl.type.name,
      ) &&
      decl.index < 2 &&
      !isAnswer(file, decl.fn)
    );
  if (decl.index !== 0) return false;
  if (ctx.units.some((u) => u.file === file && u.fn === decl.fn && /^(?:http|webhook)$/.test(u.unit.kind)))
    return true;
  const at = file.index.argumentSite(decl.fn);
  return at !== null && /(?:^|\.)createServer$/.test(exprName(file, at.call.callee));
}

/** The listener of `http.get(url, (res) => …)` is handed an answer of the same type. */
function isAnswer(file: SourceFile, fn: number): boolean {
  const at = file.index.argumentSite(fn);
  return (
    at !== null &&
    !/createServer$/.test(exprName(file, at.call.callee)) &&
    /(?:^|\.)(?:get|request)$/.test(exprName(file, at.call.callee))
  );
}

function report(
  ctx: RuleContext,
  at: { s: number; e: number },
  name: string,
  what: 'request' | 'answer',
): void {
  ctx.report({
    at,
    message: `Every chunk of \`${name}\` is kept until the end, with no limit: a body of any size is held in memory.`,
    trigger: 'a very large body',
    scenario: `At \`${name}\`, when a ${what} of several gigabytes comes in, then all of it is held until the process runs out of memory.`,
    detection: DETECTION,
    fix: 'Count the bytes and stop at a limit.',
    anchor: name,
  });
}

// ---- uploads

interface Upload {
  readonly pkg: RegExp;
  /** Exported name; empty for the module itself. */
  readonly name: RegExp;
  readonly arg: number;
  readonly limit: readonly string[];
  /** Keeps files in memory rather than on disk. */
  readonly memory?: (text: string) => boolean;
  readonly what: string;
}

const UPLOADS: readonly Upload[] = [
  {
    pkg: /^graphql-upload(?:-minimal|-ts)?(?:\/|$)/,
    name: /^(?:graphqlUploadExpress|graphqlUploadKoa|processRequest|)$|graphqlUpload(?:Express|Koa)/,
    arg: 0,
    limit: ['maxFileSize'],
    what: 'an upload',
  },
  {
    pkg: /^multer$/,
    name: /^(?:default)?$/,
    arg: 0,
    limit: ['limits'],
    memory: (text) => !/\bdest\b|diskStorage|storage\s*:(?!\s*(?:multer\.)?memoryStorage)/.test(text),
    what: 'an upload',
  },
  {
    pkg: /^express-fileupload$/,
    name: /^(?:default)?$/,
    arg: 0,
    limit: ['limits', 'useTempFiles'],
    what: 'an upload',
  },
];

function checkMiddleware(ctx: RuleContext, site: Site): void {
  const { node, file, target } = site;
  if (node.k !== 'call' || target.k !== 'package') return;
  const known = UPLOADS.find((u) => u.pkg.test(target.pkg) && u.name.test(lastPart(target.path, node, file)));
  if (!known) return;
  if (
    known.name.source.includes('processRequest') &&
    !/graphqlUpload|processRequest/.test(exprName(file, node.callee))
  )
    return;
  const given = node.args[known.arg];
  if (known.pkg.source === '^multer$' && node.callee.k !== 'id') return;
  if (known.memory && !known.memory(given ? file.text.slice(given.s, given.e) : '')) return;
  for (const key of known.limit) {
    const read = given ? readPath(ctx.model.values, file, given, [key]) : { k: 'absent' as const };
    if (read.k !== 'absent') return;
  }
  const name = calleeName(site);
  ctx.report({
    at: node.callee,
    message: `\`${name}\` is given no size limit: it takes ${known.what} of any size.`,
    trigger: 'a very large file',
    scenario: `At \`${name}\`, when somebody sends a file of many gigabytes, then all of it is taken in until memory or disk is full.`,
    detection: 'By memory or disk alerts: the upload itself is valid.',
    fix: `Give it a limit (\`${known.limit[0]}\`).`,
    anchor: name,
  });
}

function lastPart(path: string, node: Call, file: SourceFile): string {
  return path === '' || path === 'default'
    ? (node.callee.k === 'id' ? node.callee.name : exprName(file, node.callee)) && path
    : path;
}

// ---- parsers whose limit was taken away

const HUGE = 200 * 1024 * 1024;

function checkParserLimit(ctx: RuleContext, site: Site): void {
  const { node, file } = site;
  if (node.k !== 'call') return;
  const name = exprName(file, node.callee);
  const at =
    /^(?:express|bodyParser|bodyparser)\.(?:json|raw|text|urlencoded)$/.test(name) ||
    /^(?:bodyParser|koaBody|koaBodyParser|json|urlencoded)$/.test(name)
      ? 'limit'
      : /^(?:[fF]astify|createFastify|Fastify)$/.test(name)
        ? 'bodyLimit'
        : null;
  if (!at || !node.args[0]) return;
  for (const key of at === 'limit' ? ['limit', 'jsonLimit', 'textLimit', 'formLimit'] : [at]) {
    const read = readOption(ctx.model.values, file, node, { arg: 0, path: key });
    if (read.k !== 'value' || read.file !== file) continue;
    const size = bytesOf(ctx, file, read.expr);
    if (size === null || size < HUGE) continue;
    const shown = file.text.slice(read.expr.s, read.expr.e);
    ctx.report({
      at: read.expr,
      message: `\`${name}\` reads bodies of up to ${size === Infinity ? 'any size' : shown.replace(/['"]/g, '')} whole into memory.`,
      trigger: 'a very large body',
      scenario: `At \`${name}\`, when a few such bodies come in together, then the process runs out of memory.`,
      detection: DETECTION,
      fix: 'Lower the limit, or read large bodies as a stream on the routes that take them.',
      anchor: `${name} ${key}`,
    });
  }
}

function bytesOf(ctx: RuleContext, file: SourceFile, expr: Expr): number | null {
  const n = numberOf(ctx.model.values, file, expr);
  if (n !== null) return n;
  const text = stringOf(ctx.model.values, file, expr);
  const m = text === null ? null : /^\s*([\d.]+)\s*(b|kb|mb|gb|tb)\s*$/i.exec(text);
  if (!m) return null;
  const unit =
    { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3, tb: 1024 ** 4 }[(m[2] ?? 'b').toLowerCase()] ?? 1;
  return Number(m[1]) * unit;
}

// ---- answers of addresses that others gave

const READS = /^(?:text|json|arrayBuffer|blob|buffer|bytes)$/;

function checkForeign(ctx: RuleContext, site: Site): void {
  const { node, file } = site;
  if (node.k !== 'call' || node.callee.k !== 'mem' || !READS.test(node.callee.prop) || node.args.length > 0)
    return;
  const request = requestBehind(ctx, file, node.callee.obj);
  if (!request) return;
  const outer = file.facts.functions[ctx.model.outermost(file, site.fn)];
  const around = outer && outer.id !== 0 ? file.text.slice(outer.s, outer.e) : '';
  if (around === '' || /content-?length|max\w*(?:Size|Bytes|Length)|size|limit/i.test(around)) return;
  const name = calleeName(request);
  ctx.report({
    at: node.callee,
    message: `\`${exprName(file, node.callee)}\` holds the whole answer of an address that the request gave, however long it is.`,
    trigger: 'the address answers with an endless body',
    scenario: `At \`${name}\`, when the address that was given answers without end, then the process runs out of memory.`,
    detection: DETECTION,
    fix: 'Read the body as a stream and stop at a limit.',
    anchor: exprName(file, node.callee),
  });
}

/** The `fetch` of an address that a request gave. */
function requestBehind(ctx: RuleContext, file: SourceFile, expr: Expr): Site | null {
  let inner = bare(uncast(expr));
  if (inner.k === 'id') {
    const decl = file.facts.bindings[inner.b]?.decl;
    if (decl?.k !== 'init' || decl.path.length > 0) return null;
    inner = bare(uncast(decl.init));
  }
  if (inner.k !== 'call') return null;
  const site = ctx.model.sites.at(file, inner);
  const at = site?.effect?.kind === 'http' ? site.effect.spec.urlAt : undefined;
  if (!site || !at || !/^(?:fetch|nodeFetch)$/.test(site.effect?.pack?.id ?? '')) return null;
  const url = readOption(ctx.model.values, file, inner, at);
  if (url.k !== 'value') return null;
  const whole = uncast(url.expr);
  if (whole.k === 'tmpl' && whole.quasis[0] !== '') return null;
  if (whole.k === 'bin') return null;
  return requestValue(ctx, url.file, whole) ? site : null;
}

// ---- compressed data

function checkUnpack(ctx: RuleContext, site: Site): void {
  const { node, file } = site;
  if (node.k !== 'call') return;
  const name = exprName(file, node.callee);
  if (!/^(?:zlib\.)?(?:gunzip|inflate|inflateRaw|brotliDecompress|unzip)(?:Sync)?$/.test(name)) return;
  if (!ctx.file.facts.specifiers.some((s) => /^(?:node:)?zlib$/.test(s))) return;
  const [data, options] = node.args;
  if (!data) return;
  if (
    options &&
    uncast(options).k !== 'fn' &&
    readOption(ctx.model.values, file, node, { arg: 1, path: 'maxOutputLength' }).k !== 'absent'
  )
    return;
  const source = externalSource(ctx, file, data);
  if (source?.kind !== 'request' && source?.kind !== 'message') return;
  ctx.report({
    at: node.callee,
    message: `\`${name}\` unpacks what was sent in one piece, with no limit on what comes out: a few kilobytes become gigabytes.`,
    trigger: 'a body made to unpack to very much',
    scenario: `At \`${name}\`, when a body that was made for it comes in, then the process runs out of memory.`,
    detection: DETECTION,
    fix: 'Give `maxOutputLength`.',
    anchor: name,
  });
}

export const examples: readonly RuleExample[] = [
  {
    title: 'A request that is collected by hand',
    bad: `import { createServer } from 'node:http';
createServer((req, res) => {
  let body = '';
  req.on('data', (chunk) => {
    body += chunk;
  });
  req.on('end', () => res.end(body));
}).listen(8080);
`,
    good: `import { createServer } from 'node:http';
createServer((req, res) => {
  let body = '';
  req.on('data', (chunk) => {
    body += chunk;
    if (body.length > 100_000) req.destroy();
  });
  req.on('end', () => res.end(body));
}).listen(8080);
`,
  },
];
