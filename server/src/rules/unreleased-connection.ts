/** A connection, session or file handle that some way out does not give back. */
import type { TextEdit } from '../base/textEdit.ts';
import type { Call, Expr, New, Stmt } from '../facts/ir.ts';
import { some, uncast, type AnyNode } from '../facts/walk.ts';
import { inherited } from '../model/packIndex.ts';
import { releasedOnAllExits } from '../model/paths.ts';
import { placeOfPath } from '../model/place.ts';
import type { Site } from '../model/sites.ts';
import { releaseInFinally } from './_kit/releaseInFinally.ts';
import { openedStream, type OpenedStream } from './_kit/openedStreams.ts';
import { defineRule, type FixDraft, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { calleeName, exprName, short } from './_kit/text.ts';

export const rule = defineRule({
  id: 'unreleased-connection',
  lens: 'resource-exhaustion',
  axis: 'load-saturation',
  faultClass: 'backpressure',
  severity: 'high',
  blocking: true,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'A connection, query runner, session, client or file handle is taken, and some way out of the function (an error, an early return) does not give it back.',
    why: 'Each time that way is taken the pool has one connection less. After as many errors as the pool is large every request waits for a connection that nobody returns, and only a restart helps.',
    remedy: 'Release in `finally`, begun directly after the acquisition, or declare it with `await using`.',
    whenNot: 'Handles that are given to an owner which releases them, or a process that ends right after.',
  },
  incidents: ['connection-leak', 'pool-exhaustion'],
  fixKind: 'safe',
  detect(ctx) {
    for (const site of ctx.sites) {
      const made = acquired(ctx, site);
      if (made) check(ctx, site, made);
      const opened = openedStream(ctx, site);
      if (opened) leftOpen(ctx, site, opened);
    }
  },
});

/** `await store({ body: createReadStream(path) })` before `unlink(path)` in `finally`. */
function leftOpen(ctx: RuleContext, site: Site, opened: OpenedStream): void {
  const name = calleeName(site);
  const taker = exprName(site.file, opened.taker.callee);
  ctx.report({
    at: (site.node as Call).callee,
    message: `When \`${taker}\` fails, nothing closes the stream on \`${short(opened.path)}\`: its descriptor stays open, and the file keeps its space though it is removed.`,
    trigger: `\`${taker}\` fails before it has read the stream to its end`,
    scenario: `At \`${name}\`, when that has happened often enough, then the process has no descriptors left.`,
    detection: 'When the limit is reached: each single leak raises no error.',
    fix: 'Keep the stream in a name and destroy it in `finally`, before the file is removed.',
    anchor: name,
    confidence: 'assumed',
    severity: 'medium',
  });
}

interface Acquired {
  readonly release: readonly string[];
  /** What it is, for the message. */
  readonly what: string;
  /** Where it comes back to. */
  readonly from: 'pool' | 'server' | 'system';
  /** Whether releasing must be awaited. */
  readonly async: boolean;
  /** Only reported where nothing in the function releases it at all. */
  readonly whole: boolean;
}

/** What must be closed that is made by `new` or a factory, by pack and type. */
const CLIENTS: Readonly<Record<string, readonly string[]>> = {
  'prisma.PrismaClient': ['$disconnect'],
  'mongodb.MongoClient': ['close'],
  'pg.Pool': ['end'],
  'postgresJs.Sql': ['end'],
  'mysql2.Pool': ['end'],
  'knex.Knex': ['destroy'],
  'kysely.Kysely': ['destroy'],
  'typeorm.DataSource': ['destroy', 'close'],
};

function acquired(ctx: RuleContext, site: Site): Acquired | null {
  const { target, effect, node } = site;
  if (node.k === 'tag') return null;
  if (target.k === 'lib') {
    const type = target.makes ?? target.spec.returns;
    if (!type || type === 'self' || type === 'callback') return null;
    if (effect?.kind === 'connection' && effect.op === 'acquire') {
      const release = inherited(target.pack, type, 'release');
      return release
        ? {
            release,
            what: 'connection',
            from: 'pool',
            async: isAsyncRelease(target.pack.id, type),
            whole: false,
          }
        : null;
    }
    if (target.pack.id === 'pg' && target.makes === 'Client')
      return { release: ['end'], what: 'client', from: 'server', async: true, whole: false };
    const close = CLIENTS[`${target.pack.id}.${type}`];
    if (close && site.fn !== 0 && (target.makes !== null || target.recv === null))
      return { release: close, what: 'client with its own pool', from: 'server', async: true, whole: true };
    return null;
  }
  if (target.k === 'class') return ofClass(ctx, site, target.file, target.cls);
  if (
    target.k === 'package' &&
    /^(?:node:)?fs(?:\/promises)?$/.test(target.pkg) &&
    /^(?:promises\.)?open$/.test(target.path) &&
    isPromised(site, target)
  )
    return { release: ['close'], what: 'file handle', from: 'system', async: true, whole: false };
  return null;
}

function isPromised(site: Site, target: Site['target'] & { k: 'package' }): boolean {
  return (
    target.pkg.endsWith('/promises') ||
    target.path.startsWith('promises.') ||
    site.file.index.parent(site.node)?.k === 'await'
  );
}

/** `new PrismaService()` where the class extends a client. */
function ofClass(ctx: RuleContext, site: Site, file: Site['file'], cls: number): Acquired | null {
  const parent = file.facts.classes[cls]?.extends;
  if (!parent || site.fn === 0) return null;
  const made = ctx.model.values.constructorSpec(ctx.model.values.of(file, parent));
  const close = made ? CLIENTS[`${made.pack.id}.${made.type}`] : undefined;
  return close
    ? { release: close, what: 'client with its own pool', from: 'server', async: true, whole: true }
    : null;
}

function isAsyncRelease(pack: string, type: string): boolean {
  return (
    pack === 'typeorm' ||
    pack === 'mongoose' ||
    pack === 'mongodb' ||
    (pack === 'mysql2' && type === 'Connection')
  );
}

interface Holder {
  readonly stmt: Stmt;
  readonly binding: number;
  readonly name: string;
}

function check(ctx: RuleContext, site: Site, made: Acquired): void {
  const holder = holderOf(site);
  if (!holder) return;
  const { file } = site;
  // Module-level clients live as long as the process; so does what a script makes.
  if (site.fn === 0 || (made.whole && (placeOfPath(file.path) === 'script' || isMain(ctx, site)))) return;
  const binding = file.facts.bindings[holder.binding];
  // Stored in a name that outlives the call.
  if (!binding || binding.fn !== site.fn) return;
  const releases = (node: AnyNode): boolean => isRelease(ctx, site, node, holder.binding, made.release);
  const fate = fateOf(ctx, site, holder, made);
  if (fate === 'owned') return;
  if (made.whole) {
    if (fate === 'released') return;
    report(ctx, site, holder, made, null);
    return;
  }
  if (coveredOutside(site, holder, releases)) return;
  const result = releasedOnAllExits(file, outwards(site, holder.stmt), site.fn, releases, awaits);
  if (result.ok) return;
  report(ctx, site, holder, made, result.leak);
}

/** `let c; try { c = await connect(); … } finally { c?.release() }`. */
function coveredOutside(site: Site, holder: Holder, releases: (node: AnyNode) => boolean): boolean {
  let child: AnyNode = holder.stmt;
  for (const at of site.file.index.ancestors(holder.stmt)) {
    if (at.k === 'try' && child === at.block && at.final && some(at.final, releases)) return true;
    child = at;
  }
  return false;
}

/** `if (!runner) { runner = create(); }`: what follows is what follows the `if`. */
function outwards(site: Site, stmt: Stmt): Stmt {
  const { index } = site.file;
  let at = stmt;
  for (;;) {
    const block = index.parent(at);
    const holder = block?.k === 'block' && block.body.at(-1) === at ? index.parent(block) : block;
    if (holder?.k !== 'if') return at;
    at = holder;
  }
}

/** A plain call rarely throws; what is awaited, thrown or yielded is a way out. */
function awaits(node: AnyNode): boolean {
  return some(
    node,
    (n) => n.k === 'await' || n.k === 'throw' || n.k === 'yield' || (n.k === 'forof' && n.await),
  );
}

function isMain(ctx: RuleContext, site: Site): boolean {
  const fact = site.file.facts.functions[ctx.model.outermost(site.file, site.fn)];
  return /^(?:main|run|bootstrap|cli|start|init|setup|seed|migrate|connect|create\w*(?:Client|Pool|Connection)|get\w*(?:Client|Pool|Connection|Db|Database)|make\w*)$/i.test(
    fact?.name ?? '',
  );
}

function holderOf(site: Site): Holder | null {
  const { file } = site;
  for (
    let at = file.index.parent(site.top), child: AnyNode = site.top;
    at;
    child = at, at = file.index.parent(at)
  ) {
    if (at.k === 'await' || at.k === 'as' || (at.k === 'bin' && (at.op === '??' || at.op === '||') && false))
      continue;
    if (at.k === 'var') {
      if (at.kind === 'using' || at.kind === 'await using') return null;
      const decl = at.decls.find((d) => d.init === child);
      return decl?.target.k === 'pid' ? { stmt: at, binding: decl.target.b, name: decl.target.name } : null;
    }
    if (at.k === 'asg' && at.op === '=' && at.target.k === 'id' && at.value === child) {
      const stmt = file.index.parent(at);
      return stmt?.k === 'expr' ? { stmt, binding: at.target.b, name: at.target.name } : null;
    }
    return null;
  }
  return null;
}

/** `client.release()`, `await runner.release()`, or a local function that does it to its parameter. */
function isRelease(
  ctx: RuleContext,
  site: Site,
  node: AnyNode,
  binding: number,
  names: readonly string[],
): boolean {
  if (node.k !== 'call') return false;
  const callee = uncast(node.callee);
  if (callee.k === 'mem' && names.includes(callee.prop)) {
    const obj = uncast(callee.obj);
    return obj.k === 'id' && obj.b === binding;
  }
  const at = node.args.findIndex((a) => uncast(a).k === 'id' && (uncast(a) as { b: number }).b === binding);
  if (at < 0) return false;
  return releasesParameter(ctx, site.file, node, at, names);
}

function releasesParameter(
  ctx: RuleContext,
  file: Site['file'],
  call: Call,
  at: number,
  names: readonly string[],
): boolean {
  const target = ctx.model.sites.target(file, call);
  if (target.k !== 'fn') return false;
  const { value } = target;
  const param = value.file.facts.functions[value.fn]?.params[at]?.target;
  if (param?.k !== 'pid') return false;
  return (value.file.index.calls[value.fn] ?? []).some(
    (c) =>
      c.k === 'call' &&
      c.callee.k === 'mem' &&
      names.includes(c.callee.prop) &&
      c.callee.obj.k === 'id' &&
      c.callee.obj.b === param.b,
  );
}

/** Where else the handle goes: to an owner, to a release in a function written inside, or nowhere. */
function fateOf(ctx: RuleContext, site: Site, holder: Holder, made: Acquired): 'owned' | 'released' | 'kept' {
  const { file } = site;
  const top = file.facts.functions[site.fn];
  if (!top) return 'owned';
  let released = false;
  for (const fn of file.index.within(top.id)) {
    let owned = false;
    const look = (root: AnyNode): void => {
      some(root, (node) => {
        if (node.k !== 'id' || node.b !== holder.binding) return false;
        const parent = file.index.parent(node);
        if (parent && goesToOwner(ctx, site, node, parent, made)) owned = true;
        if (parent?.k === 'mem' && parent.obj === node && made.release.includes(parent.prop)) {
          released = true;
          // A clean-up that is written inside is called by somebody else.
          if (fn.id !== site.fn && !runsHere(ctx, file, fn.id)) owned = true;
        }
        return owned;
      });
    };
    for (const st of fn.body) look(st);
    if (owned) return 'owned';
  }
  return released ? 'released' : 'kept';
}

function runsHere(ctx: RuleContext, file: Site['file'], fn: number): boolean {
  const callback = ctx.model.frames.callbackOf(file, fn);
  return callback !== null && (callback.roles.has('sync') || callback.roles.has('transaction'));
}

function goesToOwner(ctx: RuleContext, site: Site, node: Expr, parent: AnyNode, made: Acquired): boolean {
  switch (parent.k) {
    case 'ret':
    case 'arr':
    case 'yield':
    case 'spread':
    case 'throw':
      return true;
    case 'obj':
      return !isOption(ctx, site.file, parent);
    case 'as':
    case 'await': {
      const next = site.file.index.parent(parent);
      return next ? goesToOwner(ctx, site, parent, next, made) : false;
    }
    case 'asg':
      return parent.value === node;
    case 'var':
      return true;
    case 'cond':
    case 'bin':
      return parent.k === 'cond' ? parent.test !== node : parent.op === '??' || parent.op === '||';
    case 'new':
      return parent.args.includes(node);
    case 'call':
      return (
        parent.args.includes(node) && !keepsNothing(ctx, site.file, parent, parent.args.indexOf(node), made)
      );
    default:
      return false;
  }
}

/** `{ session }` among the options of a database call hands nothing over. */
function isOption(ctx: RuleContext, file: Site['file'], obj: AnyNode): boolean {
  const call = file.index.parent(obj);
  return call?.k === 'call' && ctx.model.sites.at(file, call)?.effect?.kind === 'db';
}

/** A local function that only uses its parameter, or a library call that does. */
function keepsNothing(ctx: RuleContext, file: Site['file'], call: Call, at: number, made: Acquired): boolean {
  const target = ctx.model.sites.target(file, call);
  if (target.k === 'lib')
    return (
      ctx.model.sites.at(file, call)?.effect?.kind === 'db' ||
      (call.callee.k === 'mem' && /^(?:session|\$session|transacting)$/.test(call.callee.prop))
    );
  if (target.k !== 'fn') return false;
  const { value } = target;
  if (releasesParameter(ctx, file, call, at, made.release)) return true;
  const param = value.file.facts.functions[value.fn]?.params[at]?.target;
  if (param?.k !== 'pid') return false;
  const fact = value.file.facts.functions[value.fn];
  if (!fact) return false;
  let kept = false;
  for (const inner of value.file.index.within(fact.id)) {
    for (const st of inner.body)
      some(st, (n) => {
        if (n.k !== 'id' || n.b !== param.b) return false;
        const parent = value.file.index.parent(n);
        if (!parent) return false;
        if (parent.k === 'mem' && parent.obj === n) return false;
        if (parent.k === 'call' && parent.args.includes(n)) return false;
        if (parent.k === 'if' || parent.k === 'un') return false;
        kept = true;
        return true;
      });
  }
  return !kept;
}

function report(ctx: RuleContext, site: Site, holder: Holder, made: Acquired, leak: AnyNode | null): void {
  const name = calleeName(site);
  const { file } = site;
  const releasing = made.release[0] ?? 'release';
  const where = leak && leak !== holder.stmt ? ` at line ${file.lines.positionAt(leak.s).line}` : '';
  const back =
    made.from === 'pool'
      ? 'the pool has one connection less'
      : made.from === 'server'
        ? 'its connections stay open'
        : 'the descriptor stays open';
  const never = !mentionsRelease(ctx, site, holder, made);
  ctx.report({
    at: (site.node as Call | New).callee as { s: number; e: number },
    message: never
      ? `Nothing in this function calls \`${holder.name}.${releasing}()\`: after each call ${back}.`
      : `A failure or early return leaves without \`${holder.name}.${releasing}()\`: each time ${back}.`,
    trigger: never ? 'every call' : `a statement between acquisition and release fails${where}`,
    scenario: `At \`${name}\`, when ${never ? 'this has run often enough' : 'that has happened often enough'}, then ${made.from === 'pool' ? 'the pool has no connection left and every request waits' : made.from === 'server' ? 'the server refuses further connections' : 'the process has no descriptors left'}.`,
    detection:
      made.from === 'pool'
        ? 'When the pool is empty: each single leak raises no error.'
        : 'When the limit is reached: each single leak raises no error.',
    fix: `Release \`${holder.name}\` in \`finally\`.`,
    anchor: name,
    severity: made.from === 'system' || (made.whole && !never) ? 'medium' : 'high',
    fixes: fixesFor(ctx, site, holder, made),
  });
}

function mentionsRelease(ctx: RuleContext, site: Site, holder: Holder, made: Acquired): boolean {
  const fact = site.file.facts.functions[site.fn];
  return (fact?.body ?? []).some((st) =>
    some(st, (n) => isRelease(ctx, site, n, holder.binding, made.release)),
  );
}

/** What follows goes into `try`, the release into `finally`; one release at the end of the block moves there. */
function fixesFor(ctx: RuleContext, site: Site, holder: Holder, made: Acquired): FixDraft[] {
  const edits = wrapped(ctx, site, holder, made);
  if (!edits) return [];
  return [
    {
      id: 'release-in-finally',
      title: 'Release in `finally`',
      kind: 'safe',
      edits: () => [{ file: site.file.path, edits }],
    },
  ];
}

function wrapped(ctx: RuleContext, site: Site, holder: Holder, made: Acquired): readonly TextEdit[] | null {
  if (holder.stmt.k !== 'var' || holder.stmt.decls.length !== 1) return null;
  const call = `${made.async ? 'await ' : ''}${holder.name}.${made.release[0] ?? 'release'}()`;
  return releaseInFinally(
    site.file,
    site.fn,
    holder.stmt,
    (node) => isRelease(ctx, site, node, holder.binding, made.release),
    call,
  );
}

export const examples: readonly RuleExample[] = [
  {
    title: 'Released only when nothing fails',
    bad: `import { Pool } from 'pg';
const pool = new Pool();
export async function names() {
  const client = await pool.connect();
  const { rows } = await client.query('SELECT name FROM users');
  client.release();
  return rows;
}
`,
    good: `import { Pool } from 'pg';
const pool = new Pool();
export async function names() {
  const client = await pool.connect();
  try {
    const { rows } = await client.query('SELECT name FROM users');
    return rows;
  } finally {
    client.release();
  }
}
`,
    fixed: `import { Pool } from 'pg';
const pool = new Pool();
export async function names() {
  const client = await pool.connect();
  try {
    const { rows } = await client.query('SELECT name FROM users');
    return rows;
  } finally {
    client.release();
  }
}
`,
  },
];
