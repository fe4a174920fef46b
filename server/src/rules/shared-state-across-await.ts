/** A shared value that is read before an `await` and written from that reading after it. */
import type { Assign, Expr, FunctionFact, Stmt } from '../facts/ir.ts';
import { some, uncast, walk, type AnyNode } from '../facts/walk.ts';
import { indentAt, lineEnd } from '../fixes/edits.ts';
import { exitsAt } from '../model/frames.ts';
import { mayFollow } from '../model/paths.ts';
import type { SourceFile } from '../model/project.ts';
import { isOneOff } from './_kit/guards.ts';
import { defineRule, type FixDraft, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { namesAround } from './_kit/scope.ts';

export const rule = defineRule({
  id: 'shared-state-across-await',
  lens: 'concurrency',
  axis: 'data-consistency',
  faultClass: 'timing',
  severity: 'medium',
  blocking: false,
  stage: 'stable',
  since: '0.2.0',
  docs: {
    what: 'A variable of the module, a field of a shared object or a variable around concurrent callbacks is read, then the code waits, then it is written from what was read; or a flag that keeps a second run out is set only after the first wait.',
    why: 'While one call waits the others run. Each of them has read the same old value, and the last one to write wins: counts come out too low, list entries vanish, two runs pass the guard. It happens under load only, and never in a test that calls the function once.',
    remedy: 'Wait first and read and write in one step after it; set a guard before the first `await`.',
    whenNot: 'Where the calls cannot overlap, because one caller awaits each before the next.',
  },
  incidents: ['lost-update'],
  fixKind: 'previewed',
  detect(ctx) {
    if (isOneOff(ctx.file)) return;
    for (const fn of ctx.functions) if (fn.async && fn.id !== 0 && fn.kind !== 'constructor') check(ctx, fn);
  },
});

interface Cell {
  readonly name: string;
  /** `closure`: a variable around callbacks that run at the same time. */
  readonly scope: 'module' | 'field' | 'closure';
  readonly confidence: 'shown' | 'assumed';
  same(node: AnyNode): boolean;
}

function check(ctx: RuleContext, fn: FunctionFact): void {
  const { file } = ctx;
  const writes: Assign[] = [];
  for (const st of fn.body)
    walk(st, (n) => {
      if (n.k === 'asg') writes.push(n);
    });
  for (const write of writes) {
    const cell = cellOf(ctx, fn, write);
    if (!cell || isAlone(ctx, write, fn)) continue;
    if (readsThenWaits(write, cell)) report(ctx, write, cell, 'lost');
    else if (fromEarlierRead(file, fn, write, cell)) report(ctx, write, cell, 'lost');
    else if (isLateGuard(file, fn, write, cell)) report(ctx, write, cell, 'guard');
  }
}

/** What the assignment writes, where others can see it. */
function cellOf(ctx: RuleContext, fn: FunctionFact, write: Assign): Cell | null {
  const { file } = ctx;
  const target = write.target.k === 'id' || write.target.k === 'mem' ? uncast(write.target) : null;
  if (target?.k === 'id') {
    const binding = file.facts.bindings[target.b];
    if (!binding || (binding.kind !== 'let' && binding.kind !== 'var')) return null;
    const same = (n: AnyNode): boolean => n.k === 'id' && n.b === target.b;
    if (binding.fn === 0) return { name: target.name, scope: 'module', confidence: 'shown', same };
    if (binding.fn === fn.id || !runsConcurrently(ctx, fn, binding.fn)) return null;
    return { name: target.name, scope: 'closure', confidence: 'shown', same };
  }
  if (target?.k !== 'mem' || uncast(target.obj).k !== 'this') return null;
  const shared = sharedness(ctx, fn);
  if (!shared) return null;
  const same = (n: AnyNode): boolean => n.k === 'mem' && n.prop === target.prop && uncast(n.obj).k === 'this';
  return { name: `this.${target.prop}`, scope: 'field', confidence: shared, same };
}

/** An async callback of `map` or `forEach`, with the variable declared around it. */
function runsConcurrently(ctx: RuleContext, fn: FunctionFact, home: number): boolean {
  const { file } = ctx;
  let at: FunctionFact | undefined = fn;
  for (let guard = 0; at && at.id !== home && guard < 8; guard++) {
    const callback = ctx.model.frames.callbackOf(file, at.id);
    if (!callback) return false;
    if (callback.roles.has('limit') && !isOneAtATime(file, callback.call)) return true;
    if (callback.iterates === 'map' || callback.iterates === 'forEach' || callback.iterates === 'flatMap')
      return callback.iterates === 'forEach' || gathered(file, callback.call);
    at = file.facts.functions[file.index.functionOf(callback.call)];
  }
  return false;
}

function isOneAtATime(file: SourceFile, call: AnyNode): boolean {
  return /concurrency:\s*1\b|pLimit\(1\)/.test(file.text.slice(call.s, call.e));
}

/** `Promise.all(xs.map(…))`: the promises run side by side. */
function gathered(file: SourceFile, call: AnyNode): boolean {
  const outer = file.index.parent(call);
  return (
    outer?.k === 'call' &&
    outer.callee.k === 'mem' &&
    outer.callee.obj.k === 'id' &&
    outer.callee.obj.name === 'Promise' &&
    /^(?:all|allSettled)$/.test(outer.callee.prop)
  );
}

/** One object serves all calls: made by a container, kept in the module, or with static members. */
function sharedness(ctx: RuleContext, fn: FunctionFact): 'shown' | null {
  const { file } = ctx;
  let outer: FunctionFact | undefined = fn;
  while (outer && outer.cls < 0) outer = file.facts.functions[outer.parent];
  const cls = outer ? file.facts.classes[outer.cls] : undefined;
  if (!outer || !cls) return null;
  if (outer.static) return 'shown';
  // A request-scoped provider is one object a request.
  const decorators = cls.decorators.map((d) => file.text.slice(d.s, d.e)).join(' ');
  if (/Scope\.(?:REQUEST|TRANSIENT)|transient/i.test(decorators)) return null;
  if (/\b(?:Injectable|Service|Controller|Resolver|Processor|Singleton|WebSocketGateway)\b/.test(decorators))
    return 'shown';
  const kept = ctx.file.facts.bindings.some((b) => {
    if (b.fn !== 0 || b.decl?.k !== 'init') return false;
    const made = uncast(b.decl.init);
    return made.k === 'new' && made.callee.k === 'id' && made.callee.name === cls.name;
  });
  return kept ? 'shown' : null;
}

/** `x += await f()`, `x = [...x, await f()]`: the old value is read before the wait. */
function readsThenWaits(write: Assign, cell: Cell): boolean {
  const waits: number[] = [];
  walk(write.value, (n) => {
    if (n.k === 'await') waits.push(n.s);
  });
  const last = Math.max(...waits);
  if (waits.length === 0) return false;
  if (/^(?:\+|-|\*|\/|\||&|\^|%|<<|>>)=$/.test(write.op)) return true;
  if (write.op !== '=') return false;
  return isBuiltFrom(write.value, (n) => cell.same(n) && n.s < last);
}

/** The value is the old one with something added: arithmetic or a spread, not an argument of a call. */
function isBuiltFrom(expr: Expr, old: (node: AnyNode) => boolean): boolean {
  const inner = uncast(expr);
  switch (inner.k) {
    case 'bin':
      return (
        /^[-+*/|&]$/.test(inner.op) &&
        (isOld(inner.l, old) || isOld(inner.r, old) || isBuiltFrom(inner.l, old))
      );
    case 'arr':
      return inner.items.some((i) => i.k === 'spread' && isOld(i.arg, old));
    case 'obj':
      return inner.props.some((p) => p.kind === 'spread' && isOld(p.value, old));
    case 'call':
      return inner.callee.k === 'mem' && inner.callee.prop === 'concat' && isOld(inner.callee.obj, old);
    default:
      return false;
  }
}

function isOld(expr: Expr, old: (node: AnyNode) => boolean): boolean {
  return old(uncast(expr));
}

/** `const n = count; await …; count = n + 1` */
function fromEarlierRead(file: SourceFile, fn: FunctionFact, write: Assign, cell: Cell): boolean {
  if (write.op !== '=') return false;
  const held = new Set<number>();
  for (const b of file.facts.bindings.keys()) {
    const binding = file.facts.bindings[b];
    if (binding?.fn !== fn.id || binding.decl?.k !== 'init' || binding.decl.path.length > 0) continue;
    if (binding.writes.length > 0) continue;
    const init = uncast(binding.decl.init);
    if (!cell.same(init) || init.s > write.s) continue;
    if (waitsBetween(file, fn, init.e, write.s, init, write)) held.add(b);
  }
  return held.size > 0 && isBuiltFrom(write.value, (n) => n.k === 'id' && held.has(n.b));
}

/** An `await` of this function lies between two places, on a way from the one to the other. */
function waitsBetween(
  file: SourceFile,
  fn: FunctionFact,
  from: number,
  to: number,
  a: AnyNode,
  b: AnyNode,
): boolean {
  return fn.body.some((st) =>
    some(
      st,
      (n) =>
        (n.k === 'await' || (n.k === 'forof' && n.await)) &&
        n.s >= from &&
        n.e <= to &&
        mayFollow(file, a, n) &&
        mayFollow(file, n, b),
    ),
  );
}

const BUSY =
  /(?:running|processing|busy|inprogress|in_progress|locked|syncing|polling|flushing|refreshing|working|draining|executing|inflight|in_flight|ticking)$/i;

/** `if (running) return; await …; running = true`: a second call passes while the first one waits. */
function isLateGuard(file: SourceFile, fn: FunctionFact, write: Assign, cell: Cell): boolean {
  if (write.op !== '=' || !BUSY.test(cell.name)) return false;
  const value = uncast(write.value);
  if (value.k !== 'lit' || value.value !== true) return false;
  const guard = fn.body.find(
    (st): st is Stmt & { k: 'if' } =>
      st.k === 'if' && cell.same(uncast(st.test)) && exitsAt(st.then) && st.e <= write.s,
  );
  if (!guard) return false;
  const earlier = fn.body.some((st) =>
    some(
      st,
      (n) =>
        n.k === 'asg' &&
        n !== write &&
        n.s < write.s &&
        (n.target.k === 'id' || n.target.k === 'mem') &&
        cell.same(n.target),
    ),
  );
  return !earlier && waitsBetween(file, fn, guard.e, write.s, guard, write);
}

/** A lock is held, or nobody else can be there: set-up that runs once, a test that looks again. */
function isAlone(ctx: RuleContext, write: Assign, fn: FunctionFact): boolean {
  const { file } = ctx;
  for (const frame of ctx.model.frames.around(file, write, fn.id))
    if (frame.k === 'callback' && (frame.roles.has('lock') || frame.roles.has('step'))) return true;
  const outer = file.facts.functions[ctx.model.outermost(file, fn.id)];
  if (!outer) return true;
  if (/\b(?:mutex|semaphore|runExclusive|acquire)\b/i.test(file.text.slice(outer.s, outer.e))) return true;
  return /^(?:main|run|bootstrap|setup|init(?:iali[sz]e)?|start|stop|close|shutdown|connect|disconnect|onModuleInit|onModuleDestroy|onApplication\w+|before\w*|after\w*|seed|migrate)$/.test(
    outer.name ?? '',
  );
}

function report(ctx: RuleContext, write: Assign, cell: Cell, how: 'lost' | 'guard'): void {
  const { file } = ctx;
  const name = `\`${cell.name}\``;
  const others = cell.scope === 'closure' ? 'the callbacks that run beside it' : 'other calls';
  ctx.report({
    at: write.target,
    message:
      how === 'lost'
        ? `${name} is read before the \`await\` and written from that value after it: what ${others} wrote in between is lost.`
        : `${name} is set only after an \`await\`: a second call that comes while this one waits passes the guard, and both run.`,
    trigger:
      cell.scope === 'closure'
        ? 'two of the callbacks wait at the same time'
        : 'a second call while the first one waits',
    scenario:
      how === 'lost'
        ? `At ${name}, when another one writes it while this one waits, then its write is overwritten with what this one read before.`
        : `At ${name}, when a second call comes before it is set, then the work that it keeps apart runs twice.`,
    detection: 'When a user complains or the numbers are compared: nothing fails.',
    fix:
      how === 'lost'
        ? `Wait first, then read and write ${name} in one step.`
        : `Set ${name} directly after the guard, before the first \`await\`, and reset it in \`finally\`.`,
    anchor: cell.name,
    fixes: how === 'lost' ? waitFirst(file, write) : [],
  });
}

/** `x += await f();` becomes `const added = await f(); x += added;`. */
function waitFirst(file: SourceFile, write: Assign): FixDraft[] {
  const stmt = file.index.parent(write);
  if (stmt?.k !== 'expr' || write.value.k !== 'await' || write.op === '=') return [];
  const holder = file.index.parent(stmt);
  if (holder && holder.k !== 'block') return [];
  const taken = namesAround(file, write);
  const name = ['added', 'awaited', 'settled'].find((n) => !taken.has(n));
  if (!name) return [];
  const { value } = write;
  return [
    {
      id: 'wait-first',
      title: 'Wait before reading the old value',
      kind: 'previewed',
      edits: () => [
        {
          file: file.path,
          edits: [
            {
              start: stmt.s,
              end: stmt.s,
              newText: `const ${name} = ${file.text.slice(value.s, value.e)};${lineEnd(file.text)}${indentAt(file.text, stmt.s)}`,
            },
            { start: value.s, end: value.e, newText: name },
          ],
        },
      ],
    },
  ];
}

export const examples: readonly RuleExample[] = [
  {
    title: 'A sum over concurrent callbacks',
    bad: `export async function total(ids: string[], price: (id: string) => Promise<number>) {
  let sum = 0;
  await Promise.all(
    ids.map(async (id) => {
      sum += await price(id);
    }),
  );
  return sum;
}
`,
    good: `export async function total(ids: string[], price: (id: string) => Promise<number>) {
  const prices = await Promise.all(ids.map((id) => price(id)));
  return prices.reduce((a, b) => a + b, 0);
}
`,
    fixed: `export async function total(ids: string[], price: (id: string) => Promise<number>) {
  let sum = 0;
  await Promise.all(
    ids.map(async (id) => {
      const added = await price(id);
      sum += added;
    }),
  );
  return sum;
}
`,
  },
];
