/** Durations that are taken from the wall clock. */
import type { Expr } from '../facts/ir.ts';
import { uncast, walk } from '../facts/walk.ts';
import { placeOfPath } from '../model/place.ts';
import type { SourceFile } from '../model/project.ts';
import { defineRule, type FixDraft, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { short } from './_kit/text.ts';
import { usesOf } from './_kit/uses.ts';

export const rule = defineRule({
  id: 'wall-clock-duration',
  lens: 'clock',
  axis: 'operational-visibility',
  faultClass: 'timing',
  severity: 'low',
  blocking: false,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'The difference of two readings of the wall clock (`Date.now()`, `new Date()`), both taken by the running program, is used as a duration.',
    why: 'The wall clock is set back and forth by time synchronisation and by hand. A latency comes out negative or hours long, a metric or alert built on it lies, a deadline that counts with it ends at once or not at all.',
    remedy: 'Read both times from `performance.now()` or `process.hrtime.bigint()`, which only go forward.',
    whenNot:
      "One of the times comes from outside the process: a stored timestamp, a token's expiry, a header.",
  },
  incidents: ['clock-skew', 'wrong-metric'],
  fixKind: 'safe',
  detect(ctx) {
    const { file } = ctx;
    if (!/\bDate\b/.test(file.text) || placeOfPath(file.path) === 'script') return;
    const measured = new Set<number>();
    for (const fn of ctx.functions)
      for (const st of fn.body)
        walk(st, (node) => {
          if (node.k === 'bin' && node.op === '-') check(ctx, node, measured);
        });
  },
});

interface Reading {
  readonly k: 'wall' | 'steady';
  /** The binding that holds it, or the member it is kept in; null when it is read in place. */
  readonly binding: number | null;
  readonly read: Expr;
}

function check(ctx: RuleContext, node: Expr & { k: 'bin' }, measured: Set<number>): void {
  const { file } = ctx;
  const end = reading(file, node.l);
  const start = reading(file, node.r);
  if (!end || !start) return;
  if (end.k === 'steady' && start.k === 'steady') return;
  // Two different readings: the same name twice is no measure.
  if (end.binding !== null && end.binding === start.binding) return;
  // One reading of the start is one gap, however often it is measured from.
  if (measured.has(start.read.s)) return;
  measured.add(start.read.s);
  const mixed = end.k !== start.k;
  const text = short(file.text.slice(node.s, node.e));
  // The reading that the duration starts from is what is replaced; in place, the subtraction is all there is.
  const from = mixed && start.k === 'steady' ? end.read : start.read;
  ctx.report({
    at: { s: from.s, e: from.e },
    message: mixed
      ? `\`${text}\` subtracts readings of two different clocks: the result is the time since 1970 and no duration.`
      : `When the system clock is set, \`${text}\` jumps with it: the wall clock measures this duration.`,
    trigger: 'time synchronisation or an operator sets the clock between the two readings',
    scenario: `At \`${text}\`, when the clock is set between the two readings, then the duration is wrong by as much.`,
    detection: mixed
      ? 'When somebody looks at the number: it is wrong every time.'
      : 'When somebody doubts the number: nothing fails.',
    fix: 'Read both times from `performance.now()`.',
    anchor: text,
    ...(mixed ? { severity: 'medium' as const } : {}),
    fixes: fixesFor(ctx, node, end, start),
  });
}

/** A reading of a clock by this program: in place, by a name that only such a reading is given to, or by a start field. */
function reading(file: SourceFile, expr: Expr, depth = 0): Reading | null {
  const inner = uncast(expr);
  const own = clockCall(inner);
  if (own) return { k: own, binding: null, read: inner };
  if (inner.k === 'un' && inner.op === '+' && inner.arg.k === 'new') return reading(file, inner.arg, depth);
  if (inner.k === 'call' && isNumberCall(inner)) {
    const of = reading(file, inner.args[0] as Expr, depth);
    return of ? { ...of, read: inner } : null;
  }
  if (
    inner.k === 'call' &&
    inner.callee.k === 'mem' &&
    (inner.callee.prop === 'getTime' || inner.callee.prop === 'valueOf')
  ) {
    const of = reading(file, inner.callee.obj, depth);
    return of ? { ...of, read: inner } : null;
  }
  if (inner.k === 'id' && inner.b >= 0) {
    const binding = file.facts.bindings[inner.b];
    if (binding?.decl?.k === 'param') return handedIn(file, binding.decl, depth);
    if (!binding || (binding.kind !== 'const' && binding.kind !== 'let' && binding.kind !== 'var'))
      return null;
    const decl = binding.decl;
    if (decl?.k !== 'init' || decl.path.length > 0) return null;
    const first = clockCall(uncast(decl.init));
    if (!first) return null;
    if (binding.writes.some((w) => !w || clockCall(uncast(w)) !== first)) return null;
    return { k: first, binding: inner.b, read: uncast(decl.init) };
  }
  // `req.startTime`, `this.startedAt`: a field that this file fills from the clock.
  if (
    inner.k === 'mem' &&
    /^_?(?:start(?:Time|ed|edAt|Ms|Date|Timestamp)?|begin(?:Time)?|t0|requestStart(?:Time)?)$/i.test(
      inner.prop,
    )
  ) {
    const given = fieldReadings(file).get(inner.prop) ?? keptInObject(file, inner);
    return given ? { k: 'wall', binding: null, read: given } : null;
  }
  return null;
}

function isNumberCall(call: Expr & { k: 'call' }): boolean {
  return (
    call.callee.k === 'id' && call.callee.name === 'Number' && call.callee.b < 0 && call.args.length === 1
  );
}

/** `const timing = { start: Date.now() }` */
function keptInObject(file: SourceFile, member: Expr & { k: 'mem' }): Expr | undefined {
  const decl = member.obj.k === 'id' ? file.facts.bindings[member.obj.b]?.decl : undefined;
  const made = decl?.k === 'init' && decl.path.length === 0 ? uncast(decl.init) : null;
  const value = made?.k === 'obj' ? made.props.find((p) => p.key === member.prop)?.value : undefined;
  return value && clockCall(uncast(value)) === 'wall' ? value : undefined;
}

/** A start that every caller in the file reads from the wall clock. */
function handedIn(
  file: SourceFile,
  decl: { readonly fn: number; readonly index: number; readonly path: readonly unknown[] },
  depth: number,
): Reading | null {
  const fact = file.facts.functions[decl.fn];
  if (!fact || fact.exported || fact.kind !== 'function' || decl.path.length > 0 || depth > 2) return null;
  let found: Reading | null = null;
  for (const list of file.index.calls)
    for (const call of list) {
      if (call.k !== 'call' || call.callee.k !== 'id') continue;
      const target = file.facts.bindings[call.callee.b]?.decl;
      if (target?.k !== 'fn' || target.fn !== decl.fn) continue;
      const arg = call.args[decl.index];
      const given = arg ? reading(file, arg, depth + 1) : null;
      if (given?.k !== 'wall') return null;
      found = { k: 'wall', binding: null, read: given.read };
    }
  return found;
}

const fields = new WeakMap<SourceFile, Map<string, Expr>>();
/** Fields that the file fills from the wall clock, with the reading. */
function fieldReadings(file: SourceFile): ReadonlyMap<string, Expr> {
  let found = fields.get(file);
  if (!found) {
    found = new Map();
    const into = found;
    for (const fn of file.facts.functions)
      for (const st of fn.body)
        walk(st, (n) => {
          if (
            n.k === 'asg' &&
            n.op === '=' &&
            n.target.k === 'mem' &&
            clockCall(uncast(n.value)) === 'wall' &&
            !into.has(n.target.prop)
          )
            into.set(n.target.prop, n.value);
        });
    fields.set(file, found);
  }
  return found;
}

function clockCall(expr: Expr): 'wall' | 'steady' | null {
  if (
    expr.k === 'new' &&
    expr.callee.k === 'id' &&
    expr.callee.name === 'Date' &&
    expr.callee.b < 0 &&
    expr.args.length === 0
  )
    return 'wall';
  if (expr.k === 'un' && expr.op === '+') return expr.arg.k === 'new' ? clockCall(expr.arg) : null;
  if (expr.k === 'call' && isNumberCall(expr))
    return expr.args[0]?.k === 'new' ? clockCall(expr.args[0]) : null;
  if (expr.k !== 'call' || expr.callee.k !== 'mem' || expr.callee.obj.k !== 'id' || expr.callee.obj.b >= 0) {
    if (
      expr.k === 'call' &&
      expr.callee.k === 'mem' &&
      (expr.callee.prop === 'getTime' || expr.callee.prop === 'valueOf')
    )
      return clockCall(expr.callee.obj);
    return null;
  }
  if (expr.callee.obj.name === 'Date' && expr.callee.prop === 'now') return 'wall';
  return expr.callee.obj.name === 'performance' && expr.callee.prop === 'now' ? 'steady' : null;
}

/** Both readings move to the steady clock, where nothing else reads the names. */
function fixesFor(ctx: RuleContext, node: Expr, end: Reading, start: Reading): FixDraft[] {
  const { file } = ctx;
  const readings = [end, start];
  if (readings.some((r) => r.k === 'wall' && r.binding === null && (r.read.s < node.s || r.read.e > node.e)))
    return [];
  for (const r of readings) {
    if (r.binding === null) continue;
    const binding = file.facts.bindings[r.binding];
    if (!binding || binding.writes.length > 0) return [];
    // Every use is a subtraction: as a timestamp the value would change its meaning.
    if (usesOf(file, r.binding).some((id) => !isSubtracted(file, id))) return [];
    // The other side of each such subtraction would stay on the wall clock.
    if (usesOf(file, r.binding).length > 1) return [];
  }
  return [
    {
      id: 'steady-clock',
      title: 'Measure with performance.now()',
      kind: 'safe',
      edits: () => {
        const edits = readings
          .filter((r) => r.k === 'wall')
          .map((r) => ({ start: r.read.s, end: r.read.e, newText: 'performance.now()' }));
        edits.sort((a, b) => a.start - b.start);
        return [{ file: file.path, edits }];
      },
    },
  ];
}

function isSubtracted(file: SourceFile, id: Expr): boolean {
  let at = file.index.parent(id);
  while (at?.k === 'as') at = file.index.parent(at);
  return at?.k === 'bin' && at.op === '-';
}

export const examples: readonly RuleExample[] = [
  {
    title: 'A latency for the metrics',
    bad: `export async function timed(work: () => Promise<void>, record: (ms: number) => void) {
  const startedAt = Date.now();
  await work();
  record(Date.now() - startedAt);
}
`,
    good: `export async function timed(work: () => Promise<void>, record: (ms: number) => void) {
  const startedAt = performance.now();
  await work();
  record(performance.now() - startedAt);
}
`,
    fixed: `export async function timed(work: () => Promise<void>, record: (ms: number) => void) {
  const startedAt = performance.now();
  await work();
  record(performance.now() - startedAt);
}
`,
  },
];
