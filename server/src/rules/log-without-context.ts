/** A failure that is logged without a word on what failed. */
import type { Call, Expr, FunctionFact, Try } from '../facts/ir.ts';
import { some, uncast, walk } from '../facts/walk.ts';
import { addArgument } from '../fixes/edits.ts';
import type { SourceFile } from '../model/project.ts';
import { lossIn } from './_kit/consequence.ts';
import { isLogCall } from './_kit/detection.ts';
import { defineRule, type FixDraft, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { visibleNames } from './_kit/scope.ts';
import { calleeName, exprName } from './_kit/text.ts';

export const rule = defineRule({
  id: 'log-without-context',
  lens: 'partial-failure',
  axis: 'operational-visibility',
  faultClass: 'observability',
  severity: 'low',
  blocking: false,
  stage: 'experimental',
  since: '0.1.0',
  docs: {
    what: 'The failure of a change is caught and logged as a bare error or a fixed text, though the id of what it was about is in scope, and it goes no further.',
    why: 'The log says that some order was not booked and not which one. Nobody can find it, tell the customer or run it again: the failure is seen and still lost.',
    remedy: 'Log the ids that are at hand with the error, as fields.',
    whenNot: 'The logger adds them by itself, from a request context or as a child logger.',
  },
  incidents: ['missing-context'],
  fixKind: 'safe',
  detect(ctx) {
    for (const fn of ctx.functions)
      for (const node of ctx.file.index.tries[fn.id] ?? []) if (node.handler) check(ctx, node, fn);
  },
});

/** Names of what identifies a thing of the business. */
const ID = /^(?:id|uuid|slug|key)$|(?:Id|ID|Uuid|_id|Slug)$/;
const CARRIES =
  /AsyncLocalStorage|getStore\(|nestjs-cls|cls-hooked|\.child\s*\(|mixin|@opentelemetry|runWithContext|withContext/;

function check(ctx: RuleContext, node: Try, fn: FunctionFact): void {
  const { file, model } = ctx;
  const handler = node.handler;
  if (!handler || node.param?.k !== 'pid') return;
  const error = node.param.b;
  // What is thrown on may be logged further out, and what is handed on is used there.
  if (some(handler, (n) => n.k === 'throw')) return;
  const logs: Call[] = [];
  let otherUse = false;
  walk(handler, (n) => {
    if (n.k !== 'call') return;
    if (isLogCall(model, file, n)) {
      logs.push(n);
      return false;
    }
    // A fallback that does the work another way, or somebody else who is told.
    if (
      file.index.parent(n)?.k === 'await' ||
      n.args.some((a) => some(a, (m) => m.k === 'id' && m.b === error))
    )
      otherUse = true;
    return;
  });
  const [log] = logs;
  if (!log || logs.length > 1 || otherUse || log.callee.k !== 'mem') return;
  if (!/^(?:error|warn|fatal)$/.test(log.callee.prop)) return;
  if (!log.args.every((a) => saysNothing(a, error))) return;
  if (CARRIES.test(file.text) || isBound(ctx, file, log.callee.obj)) return;
  const loss = lossIn(model, file, node.block);
  if (!loss?.write || loss.confidence !== 'shown') return;
  const ids = visibleNames(file, log)
    .map((v) => v.name)
    .filter((n) => ID.test(n));
  const used = [...new Set(ids)].filter((n) => some(node.block, (m) => m.k === 'id' && m.name === n));
  const [first] = used;
  if (!first) return;
  const name = calleeName(loss.site);
  ctx.report({
    at: log.callee,
    message: `When \`${name}\` fails, the log does not say for which \`${first}\`: nobody can find what was lost.`,
    trigger: `\`${name}\` throws or rejects`,
    scenario: `At \`${exprName(file, log.callee)}\`, when \`${name}\` fails, then one line says that something failed and not what.`,
    detection: 'When somebody reads the log: which one it was has to be guessed from the time.',
    fix: `Log ${used
      .slice(0, 3)
      .map((n) => `\`${n}\``)
      .join(', ')} with the error.`,
    anchor: exprName(file, log.callee),
    fixes: fixFor(ctx, log, used.slice(0, 3), fn),
  });
}

/** A fixed text, the error, or what the error says. */
function saysNothing(arg: Expr, error: number): boolean {
  const inner = uncast(arg);
  if (inner.k === 'lit') return true;
  if (inner.k === 'id') return inner.b === error;
  if (inner.k === 'mem') return saysNothing(inner.obj, error);
  if (inner.k === 'tmpl') return inner.exprs.every((e) => saysNothing(e, error));
  if (inner.k === 'call')
    return (
      inner.args.every((a) => saysNothing(a, error)) &&
      /^(?:String|stringify)$/.test(
        inner.callee.k === 'id' ? inner.callee.name : inner.callee.k === 'mem' ? inner.callee.prop : '',
      )
    );
  if (inner.k === 'bin') return saysNothing(inner.l, error) && saysNothing(inner.r, error);
  if (inner.k === 'cond') return saysNothing(inner.yes, error) && saysNothing(inner.no, error);
  if (inner.k === 'obj')
    return inner.props.every(
      (p) =>
        p.kind !== 'spread' &&
        /^(?:err|error|e|stack|message|cause)$/.test(p.key ?? '') &&
        saysNothing(p.value, error),
    );
  return false;
}

/** A logger that belongs to a request or was made for this piece of work. */
function isBound(ctx: RuleContext, file: SourceFile, receiver: Expr): boolean {
  const inner = uncast(receiver);
  if (inner.k === 'call') return true;
  if (inner.k === 'mem') {
    const base = exprName(file, inner.obj);
    return !/^(?:this|console|[A-Z]\w*)$/.test(base);
  }
  if (inner.k !== 'id') return true;
  const binding = file.facts.bindings[inner.b];
  if (binding && binding.fn !== 0) return true;
  const value = ctx.model.values.of(file, inner);
  // What the logger adds by itself is seen where it is made.
  if (value.k === 'inst' && value.origin) return CARRIES.test(value.origin.file.text);
  if (value.k === 'ns' || value.k === 'cls') return CARRIES.test(value.file.text);
  if (value.k === 'node') return CARRIES.test(value.file.text);
  return false;
}

function fixFor(ctx: RuleContext, log: Call, ids: readonly string[], fn: FunctionFact): FixDraft[] {
  const { file } = ctx;
  const first = log.args[0] ? uncast(log.args[0]) : null;
  // Loggers that take fields first have their own order, which the arguments show.
  if (!first || first.k === 'obj' || fn.generator) return [];
  const console = log.callee.k === 'mem' && exprName(file, log.callee.obj) === 'console';
  if (!console) return [];
  return [
    {
      id: 'log-ids',
      title: `Log ${ids.map((n) => `\`${n}\``).join(', ')}, too`,
      kind: 'safe',
      edits: () => [
        { file: file.path, edits: [addArgument(file.text, log, log.args.length, `{ ${ids.join(', ')} }`)] },
      ],
    },
  ];
}

export const examples: readonly RuleExample[] = [
  {
    title: 'Some order was not booked',
    bad: `import { Pool } from 'pg';
const pool = new Pool();
export async function book(orderId: string) {
  try {
    await pool.query('INSERT INTO bookings (order_id) VALUES ($1)', [orderId]);
  } catch (error) {
    console.error('booking failed', error);
  }
}
`,
    good: `import { Pool } from 'pg';
const pool = new Pool();
export async function book(orderId: string) {
  try {
    await pool.query('INSERT INTO bookings (order_id) VALUES ($1)', [orderId]);
  } catch (error) {
    console.error('booking failed', error, { orderId });
  }
}
`,
    fixed: `import { Pool } from 'pg';
const pool = new Pool();
export async function book(orderId: string) {
  try {
    await pool.query('INSERT INTO bookings (order_id) VALUES ($1)', [orderId]);
  } catch (error) {
    console.error('booking failed', error, { orderId });
  }
}
`,
  },
];
