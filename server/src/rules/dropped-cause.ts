/** A new error that hides the one it replaces. */
import type { Expr, New, Try } from '../facts/ir.ts';
import { some, uncast, walk, type AnyNode } from '../facts/walk.ts';
import { addArgument, addProperty } from '../fixes/edits.ts';
import type { SourceFile } from '../model/project.ts';
import { isLogCall } from './_kit/detection.ts';
import { defineRule, type FixDraft, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { exprName } from './_kit/text.ts';

export const rule = defineRule({
  id: 'dropped-cause',
  lens: 'partial-failure',
  axis: 'operational-visibility',
  faultClass: 'observability',
  severity: 'low',
  blocking: false,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'A handler throws a new error in place of the caught one and does not hand the caught one on as its `cause`.',
    why: 'The stack and the code of the first error are gone: the log tells that something failed, not what or where. Handlers further out that look at the code cannot tell a timeout from a refusal.',
    remedy: 'Give it on: `throw new Error(message, { cause: error })`.',
    whenNot:
      'The first error is logged on the spot, or the answer must not tell the caller why (a refused sign-in).',
  },
  incidents: ['monitoring-blind'],
  fixKind: 'safe',
  detect(ctx) {
    for (const fn of ctx.functions) for (const node of ctx.file.index.tries[fn.id] ?? []) check(ctx, node);
  },
});

const PLAIN = new Set([
  'Error',
  'TypeError',
  'RangeError',
  'EvalError',
  'URIError',
  'SyntaxError',
  'ReferenceError',
]);

/**
 * Error classes of frameworks that take `cause` among their options: the argument those are in. Refusals (401, 403, 404)
 * are left out: they must not tell why.
 */
const FRAMEWORK_ERRORS: readonly {
  readonly pkg: string;
  readonly name: RegExp;
  readonly options: number;
}[] = [
  { pkg: '@nestjs/common', name: /^HttpException$/, options: 2 },
  {
    pkg: '@nestjs/common',
    name: /^(?:BadRequest|InternalServerError|BadGateway|ServiceUnavailable|GatewayTimeout|UnprocessableEntity|Conflict|PreconditionFailed)Exception$/,
    options: 1,
  },
  { pkg: '@trpc/server', name: /^TRPCError$/, options: 0 },
];

function check(ctx: RuleContext, node: Try): void {
  const { file } = ctx;
  if (!node.handler || node.param?.k !== 'pid') return;
  const error = node.param.b;
  const name = node.param.name;
  // A parse that fails is told in full by the new message; an underscore says that the old one is left out on purpose.
  if (name.startsWith('_') || !some(node.block, (n) => n.k === 'await')) return;
  if (some(node.handler, (n) => n.k === 'call' && isLogCall(ctx.model, file, n))) return;
  // `if (error instanceof X) throw new Y(…)`: the new error says all that the class of the old one did.
  walk(node.handler, (n) => {
    if (n.k === 'try') return false;
    if (n.k !== 'throw') return;
    const made = uncast(n.arg);
    if (made.k !== 'new' || made.args.some((a) => a.k === 'spread') || isFiltered(file, n, node, error))
      return;
    const how = takesCause(ctx, file, made);
    if (how === null || handsOn(made, error)) return;
    const what = exprName(file, made.callee);
    ctx.report({
      at: made.callee,
      message: `\`${what}\` replaces \`${name}\` without its cause: the log tells that it failed and not why.`,
      trigger: 'what the try block calls fails',
      scenario: `At \`throw new ${what}\`, when the block fails, then the stack and code of \`${name}\` are gone.`,
      detection: 'At once, but the log does not say why: the first error is gone.',
      fix: `Hand \`${name}\` on as \`cause\`.`,
      anchor: `throw new ${what}`,
      fixes: [causeFix(file, made, name, how)],
    });
  });
}

/** The argument that takes `{ cause }`; null when the class is not known to take one. */
function takesCause(ctx: RuleContext, file: SourceFile, made: New): number | null {
  const at = optionsAt(ctx, file, made.callee, 0);
  if (at === null) return null;
  // `new TRPCError(options)`: what is built elsewhere may hold it.
  const options = made.args[at];
  return at > 1 && made.args.length < at
    ? null
    : at === 0 && options && uncast(options).k !== 'obj'
      ? null
      : at;
}

function optionsAt(ctx: RuleContext, file: SourceFile, callee: Expr, depth: number): number | null {
  if (callee.k === 'id' && callee.b < 0) return PLAIN.has(callee.name) ? 1 : null;
  if (callee.k !== 'id' && callee.k !== 'mem') return null;
  const value = ctx.model.values.of(file, callee);
  if (value.k === 'ext')
    return (
      FRAMEWORK_ERRORS.find((f) => f.pkg === value.pkg && f.name.test(value.path.split('.').at(-1) ?? ''))
        ?.options ?? null
    );
  if (value.k !== 'cls' || depth > 3) return null;
  const cls = value.file.facts.classes[value.cls];
  // A class without a constructor of its own takes what its parent takes.
  if (!cls?.extends || cls.methods.some((id) => value.file.facts.functions[id]?.kind === 'constructor'))
    return null;
  return optionsAt(ctx, value.file, cls.extends, depth + 1);
}

/** The caught error itself is handed on; a message made of it keeps neither stack nor code. */
function handsOn(made: New, error: number): boolean {
  return made.args.some((arg) => {
    const inner = uncast(arg);
    if (isIt(inner, error)) return true;
    if (inner.k !== 'obj') return false;
    return inner.props.some((p) => p.key === 'cause' || isIt(uncast(p.value), error) || p.kind === 'spread');
  });
}

function isIt(expr: Expr, error: number): boolean {
  return expr.k === 'id' && expr.b === error;
}

function isFiltered(file: SourceFile, from: AnyNode, node: Try, error: number): boolean {
  let child: AnyNode = from;
  for (const at of file.index.ancestors(from)) {
    if (at === node) return false;
    if (at.k === 'if' && child === at.then && some(at.test, (n) => n.k === 'id' && n.b === error))
      return true;
    if (at.k === 'switch' && some(at.disc, (n) => n.k === 'id' && n.b === error)) return true;
    child = at;
  }
  return false;
}

function causeFix(file: SourceFile, made: New, name: string, at: number): FixDraft {
  return {
    id: 'add-cause',
    title: 'Hand the error on as its cause',
    kind: 'safe',
    edits: () => {
      const property = name === 'cause' ? 'cause' : `cause: ${name}`;
      const options = made.args[at] ? uncast(made.args[at]) : null;
      if (options?.k === 'obj')
        return [{ file: file.path, edits: [addProperty(file.text, options, property)] }];
      if (made.args.length > at || at === 0 || file.text[made.e - 1] !== ')') return null;
      const first = made.callee.k === 'id' && made.callee.b < 0 ? `''` : 'undefined';
      const before = made.args.length === 0 ? `${first}, { ${property} }` : `{ ${property} }`;
      return [
        { file: file.path, edits: [addArgument(file.text, made, made.args.length === 0 ? 0 : at, before)] },
      ];
    },
  };
}

export const examples: readonly RuleExample[] = [
  {
    title: 'A rate that cannot be read',
    bad: `export async function rate(load: () => Promise<string>) {
  try {
    return Number(await load());
  } catch (error) {
    throw new Error('no rate');
  }
}
`,
    good: `export async function rate(load: () => Promise<string>) {
  try {
    return Number(await load());
  } catch (error) {
    throw new Error('no rate', { cause: error });
  }
}
`,
    fixed: `export async function rate(load: () => Promise<string>) {
  try {
    return Number(await load());
  } catch (error) {
    throw new Error('no rate', { cause: error });
  }
}
`,
  },
];
