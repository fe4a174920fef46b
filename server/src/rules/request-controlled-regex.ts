/** Patterns that whoever sends the request writes, and patterns that a long text makes run for ever. */
import type { Expr } from '../facts/ir.ts';
import { bare, uncast } from '../facts/walk.ts';
import type { SourceFile } from '../model/project.ts';
import type { Site } from '../model/sites.ts';
import { requestValue, type RequestValue } from './_kit/requestValue.ts';
import { defineRule, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { short } from './_kit/text.ts';

export const rule = defineRule({
  id: 'request-controlled-regex',
  lens: 'hostile-input',
  axis: 'load-saturation',
  faultClass: 'backpressure',
  severity: 'medium',
  blocking: false,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'A regular expression is made from a part of a request, or one with a repetition inside a repetition is run over it.',
    why: 'A pattern such as `(a+)+$` tries exponentially many ways on a text that does not match. The one thread of the process is busy with it for minutes and answers nobody else. And a pattern that is malformed throws.',
    remedy:
      'Escape the text before it becomes a pattern, use an engine without backtracking (`re2`), or compare strings.',
    whenNot: 'The text was made of letters and digits only before.',
  },
  incidents: ['resource-exhaustion'],
  fixKind: 'none',
  detect(ctx) {
    for (const site of ctx.sites) {
      checkMade(ctx, site);
      checkNested(ctx, site);
    }
  },
});

function checkMade(ctx: RuleContext, site: Site): void {
  const { node, file } = site;
  if (node.k === 'tag' || site.target.k !== 'builtin' || site.target.name !== 'RegExp') return;
  const pattern = node.args[0];
  if (!pattern) return;
  for (const part of partsOf(file, pattern, 0)) {
    const value = requestValue(ctx, file, part);
    if (!value || value.conversions.length > 0 || isPlain(value) || isEscaped(value)) continue;
    const what = short(file.text.slice(part.s, part.e));
    ctx.report({
      at: part,
      message: `\`${what}\` comes with the request and becomes a pattern: one that backtracks keeps the process busy and nobody else is answered.`,
      trigger: `\`${what}\` is a pattern such as \`(a+)+$\``,
      scenario: `At \`RegExp\`, when a request brings a pattern that backtracks, then matching it takes minutes and every other request waits.`,
      detection: 'By latency alerts: the process is busy and reports nothing.',
      fix: 'Escape the text before it becomes a pattern.',
      anchor: `RegExp ${what}`,
      path: value.via,
      ...(value.assumed ? { confidence: 'assumed' as const } : {}),
    });
    return;
  }
}

/** The pattern, or the holes of the template that it is. A call on the way may escape. */
function partsOf(file: SourceFile, expr: Expr, depth: number): Expr[] {
  if (depth > 4) return [];
  const inner = bare(uncast(expr));
  if (inner.k === 'tmpl') return inner.exprs.flatMap((e) => partsOf(file, e, depth + 1));
  if (inner.k === 'bin')
    return inner.op === '+'
      ? [...partsOf(file, inner.l, depth + 1), ...partsOf(file, inner.r, depth + 1)]
      : [];
  if (inner.k === 'id') {
    const decl = file.facts.bindings[inner.b]?.decl;
    const init = decl?.k === 'init' && decl.path.length === 0 ? bare(uncast(decl.init)) : null;
    if (init?.k === 'tmpl' || (init?.k === 'bin' && init.op === '+')) return partsOf(file, init, depth + 1);
    return [inner];
  }
  if (inner.k === 'call') {
    const callee = uncast(inner.callee);
    const first = inner.args[0];
    if (callee.k === 'id' && callee.name === 'String' && first) return partsOf(file, first, depth + 1);
    return callee.k === 'mem' && /^(?:trim|toLowerCase|toString|get)$/.test(callee.prop) ? [inner] : [];
  }
  return inner.k === 'mem' || inner.k === 'idx' ? [inner] : [];
}

/** Its schema lets no special characters through. */
function isPlain(value: RequestValue): boolean {
  const { field } = value;
  if (!field) return false;
  return (
    !field.complete ||
    field.steps.some((s) =>
      /^(?:enum|nativeEnum|literal|uuid|cuid2?|ulid|nanoid|regex|number|boolean|date|datetime|refine|superRefine|transform|pipe|email)$/.test(
        s.name,
      ),
    )
  );
}

function isEscaped(value: RequestValue): boolean {
  return value.hops.some((hop) => {
    const fact = hop.file.facts.functions[hop.fn];
    return (
      fact !== undefined &&
      fact.id !== 0 &&
      /escape|quoteMeta|sanitize|\bre2\b|safe-?regex|\\\\\$&|isValidRegex/i.test(
        hop.file.text.slice(fact.s, fact.e),
      )
    );
  });
}

// ---- repetition inside repetition

/** One class repeated within a group that is itself repeated, with nothing else that has to match in between. */
const NESTED = /\((?:\?:)?(?:\[(?:[^\]\\]|\\.)+\]|\\[wdsWDS]|\.|\w)[+*]\)[+*](?!\?)/;

function checkNested(ctx: RuleContext, site: Site): void {
  const { node, file } = site;
  if (node.k !== 'call' || node.callee.k !== 'mem') return;
  const { prop, obj } = node.callee;
  const first = node.args[0];
  if (!first) return;
  const [pattern, text] =
    prop === 'test' || prop === 'exec'
      ? [obj, first]
      : /^(?:match|matchAll|replace|replaceAll|search|split)$/.test(prop)
        ? [first, obj]
        : [null, null];
  if (!pattern || !text) return;
  const source = literalOf(ctx, file, pattern);
  const nested = source ? NESTED.exec(source) : null;
  if (!source || !nested) return;
  // Without something that must follow, the first way already matches.
  if (source.slice(nested.index + nested[0].length).replace(/\/[a-z]*$/, '') === '') return;
  const value = requestValue(ctx, file, text);
  if (!value || value.conversions.length > 0 || value.field) return;
  ctx.report({
    at: pattern,
    message: `\`${short(nested[0])}\` repeats what is repeated already: on a text of the request that does not match it tries exponentially many ways.`,
    trigger: 'a long text that nearly matches',
    scenario: `At \`${short(source)}\`, when a request brings a long text that nearly matches, then the process is busy for minutes and every other request waits.`,
    detection: 'By latency alerts: the process is busy and reports nothing.',
    fix: 'Write the pattern without the inner repetition, or limit the length of the text first.',
    anchor: short(source),
    path: value.via,
    ...(value.assumed ? { confidence: 'assumed' as const } : {}),
  });
}

function literalOf(ctx: RuleContext, file: SourceFile, expr: Expr): string | null {
  const inner = bare(uncast(expr));
  if (inner.k === 'lit') return inner.kind === 'regex' ? String(inner.value) : null;
  const value = ctx.model.values.of(file, inner);
  return value.k === 'node' && value.expr.k === 'lit' && value.expr.kind === 'regex'
    ? String(value.expr.value)
    : null;
}

export const examples: readonly RuleExample[] = [
  {
    title: 'A search box that takes patterns',
    bad: `import express from 'express';
const app = express();
const names = ['Ada', 'Grace'];
app.get('/people', (req, res) => {
  const wanted = new RegExp(String(req.query.q), 'i');
  res.json(names.filter((name) => wanted.test(name)));
});
`,
    good: `import express from 'express';
const app = express();
const names = ['Ada', 'Grace'];
app.get('/people', (req, res) => {
  const wanted = String(req.query.q).toLowerCase();
  res.json(names.filter((name) => name.toLowerCase().includes(wanted)));
});
`,
  },
];
