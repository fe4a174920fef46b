/** SQL put together from what came with a request. */
import type { Expr } from '../facts/ir.ts';
import { bare, uncast } from '../facts/walk.ts';
import type { SourceFile } from '../model/project.ts';
import type { Site } from '../model/sites.ts';
import { looksLikeSql } from '../model/sql.ts';
import { stringOf } from '../model/options.ts';
import { requestValue, type RequestValue } from './_kit/requestValue.ts';
import { defineRule, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { calleeName, short } from './_kit/text.ts';

export const rule = defineRule({
  id: 'string-built-query',
  lens: 'hostile-input',
  axis: 'data-consistency',
  faultClass: 'trust',
  severity: 'critical',
  blocking: true,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'The text of a query holds a part of a request as it came, instead of a parameter.',
    why: 'Whoever sends the request writes the query: reads the rows of others, changes them, or takes the table away. A name with an apostrophe is enough to break it by accident.',
    remedy:
      'Give the value as a parameter (`$1`, `?`, a tagged template); choose names of columns and directions from a fixed list.',
    whenNot: 'The part is one of a fixed list, or was made a number before.',
  },
  incidents: ['forged-input', 'data-loss'],
  fixKind: 'none',
  detect(ctx) {
    for (const site of ctx.sites) check(ctx, site);
  },
});

/** Methods that take a part of a statement as text. */
const RAW_PARTS =
  /^(?:raw|whereRaw|orWhereRaw|havingRaw|orderByRaw|groupByRaw|joinRaw|selectRaw|literal|\$queryRawUnsafe|\$executeRawUnsafe|unsafe)$/;
const BUILDERS = /^(?:knex|kysely|sequelize|typeorm|prisma|drizzle|pg|mysql2|sqlite|pgPromise|postgresJs)$/;

function check(ctx: RuleContext, site: Site): void {
  const { node, file, target, effect } = site;
  if (node.k === 'tag') return;
  const text = textOf(ctx, site);
  if (!text) return;
  const shown =
    effect?.kind === 'db' && effect.confidence === 'shown'
      ? true
      : target.k === 'lib' && BUILDERS.test(target.pack.id);
  for (const part of partsOf(ctx, text.file, text.expr, 0)) {
    const value = requestValue(ctx, part.file, part.expr);
    if (!value || isSafe(value) || isChecked(value)) continue;
    const name = calleeName(site);
    const what = short(part.file.text.slice(part.expr.s, part.expr.e));
    ctx.report({
      at: part.file === file ? part.expr : node.callee,
      message: `\`${what}\` goes into the text of \`${short(name)}\` as it came with the request: whoever sends it writes the query.`,
      trigger: `\`${what}\` holds SQL, or only an apostrophe`,
      scenario: `At \`${short(name)}\`, when a request brings SQL in \`${what}\`, then the database runs it with the rights of the service.`,
      detection: 'When data leaks or is gone: the query is valid SQL.',
      fix: 'Give the value as a parameter.',
      anchor: short(name),
      path: value.via,
      ...(shown && !value.assumed ? {} : { confidence: 'assumed' as const, severity: 'high' as const }),
    });
    return;
  }
}

function textOf(ctx: RuleContext, site: Site): { file: SourceFile; expr: Expr } | null {
  const { node, file, target, effect } = site;
  if (node.k === 'tag') return null;
  const first = node.args[0];
  if (!first) return null;
  if (effect?.kind === 'db' && typeof effect.spec.sqlAt === 'number') {
    const arg = node.args[effect.spec.sqlAt];
    const inner = arg ? uncast(arg) : null;
    if (inner?.k === 'obj') {
      const text = inner.props.find((p) => p.key === 'text' || p.key === 'sql');
      return text ? { file, expr: text.value } : null;
    }
    return inner ? { file, expr: inner } : null;
  }
  const member = node.callee.k === 'mem' ? node.callee.prop : '';
  if (RAW_PARTS.test(member) && target.k === 'lib' && BUILDERS.test(target.pack.id))
    return { file, expr: first };
  // Known by its own text alone.
  if (target.k === 'unresolved' && /^(?:query|execute|raw|unsafe)$/.test(member)) {
    const text = stringOf(ctx.model.values, file, first);
    return text !== null && looksLikeSql(text) ? { file, expr: first } : null;
  }
  return null;
}

interface Part {
  readonly file: SourceFile;
  readonly expr: Expr;
}

/** What is put into the text: holes of templates and the parts of a sum, through names. */
function partsOf(ctx: RuleContext, file: SourceFile, expr: Expr, depth: number): Part[] {
  if (depth > 6) return [];
  const inner = bare(uncast(expr));
  switch (inner.k) {
    case 'tmpl':
      return inner.exprs.flatMap((e) => leaf(ctx, file, e, depth));
    case 'bin':
      return inner.op === '+' ? [...leaf(ctx, file, inner.l, depth), ...leaf(ctx, file, inner.r, depth)] : [];
    case 'id': {
      const binding = file.facts.bindings[inner.b];
      const decl = binding?.decl;
      if (!binding) return [];
      const out =
        decl?.k === 'init' && decl.path.length === 0 ? partsOf(ctx, file, decl.init, depth + 1) : [];
      for (const write of binding.writes) if (write) out.push(...leaf(ctx, file, write, depth + 1));
      return out;
    }
    case 'cond':
      return [...partsOf(ctx, file, inner.yes, depth + 1), ...partsOf(ctx, file, inner.no, depth + 1)];
    default:
      return [];
  }
}

function leaf(ctx: RuleContext, file: SourceFile, expr: Expr, depth: number): Part[] {
  const inner = bare(uncast(expr));
  if (inner.k === 'lit') return [];
  if (inner.k === 'tmpl' || inner.k === 'bin' || inner.k === 'cond')
    return partsOf(ctx, file, inner, depth + 1);
  if (inner.k === 'id') {
    const further = partsOf(ctx, file, inner, depth + 1);
    return further.length > 0 ? further : [{ file, expr: inner }];
  }
  return inner.k === 'mem' || inner.k === 'call' || inner.k === 'idx' ? [{ file, expr: inner }] : [];
}

/** A number, or something that its schema takes from a fixed list or form. */
function isSafe(value: RequestValue): boolean {
  if (value.conversions.length > 0) return true;
  const { field } = value;
  if (!field) return false;
  if (!field.complete) return true;
  return !field.steps.some((s) => s.name === 'string') || field.steps.some((s) => SAFE_STEP.test(s.name));
}

const SAFE_STEP =
  /^(?:enum|nativeEnum|literal|uuid|guid|cuid2?|ulid|nanoid|regex|datetime|date|time|number|coerce|boolean|int|bigint|base64|ip|transform|refine|superRefine|pipe|array|email)$/;

/** Somewhere on its way it is compared with a list, tested by a pattern or escaped. */
function isChecked(value: RequestValue): boolean {
  return value.hops.some((hop) => {
    const fact = hop.file.facts.functions[hop.fn];
    if (!fact || fact.id === 0) return false;
    const name = hop.name.replace(/\$/g, '\\$');
    return new RegExp(
      `(?:includes|has|test|indexOf|isUUID|isUuid|validate\\w*|is[A-Z]\\w*|assert\\w*|check\\w*|escape\\w*|quote\\w*|sanitize\\w*|hasOwn\\w*|Number|parseInt|parseFloat)\\(\\s*(?:\\w+,\\s*)?(?:String\\()?[\\w.?]*\\b${name}\\b|\\b${name}\\b\\s*(?:!==?|===?)\\s*['"\`]|\\b${name}\\b\\s+in\\s|switch\\s*\\(\\s*${name}\\b|\\[\\s*${name}\\s*\\]|\\b${name}\\.(?:match|replace)\\(`,
    ).test(hop.file.text.slice(fact.bs, fact.e));
  });
}

export const examples: readonly RuleExample[] = [
  {
    title: 'A search that is pasted into the query',
    bad: `import express from 'express';
import { Pool } from 'pg';
const app = express();
const pool = new Pool();
app.get('/products', async (req, res) => {
  const { rows } = await pool.query(\`SELECT * FROM products WHERE name = '\${req.query.name}'\`);
  res.json(rows);
});
`,
    good: `import express from 'express';
import { Pool } from 'pg';
const app = express();
const pool = new Pool();
app.get('/products', async (req, res) => {
  const { rows } = await pool.query('SELECT * FROM products WHERE name = $1', [req.query.name]);
  res.json(rows);
});
`,
  },
];
