/** Filters that vanish: a value that can be undefined where undefined means "no condition". */
import type { Expr, Param, Prop, TypeRef } from '../facts/ir.ts';
import { bare, some, uncast, walk, type AnyNode } from '../facts/walk.ts';
import { atVersion } from '../model/bounds.ts';
import { isNothing, readOption } from '../model/options.ts';
import type { SourceFile } from '../model/project.ts';
import type { Site } from '../model/sites.ts';
import { isDatabaseCall } from './_kit/databaseCalls.ts';
import { requestValue } from './_kit/requestValue.ts';
import { defineRule, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { calleeName, short } from './_kit/text.ts';

export const rule = defineRule({
  id: 'undefined-filter',
  lens: 'boundaries',
  axis: 'data-consistency',
  faultClass: 'trust',
  severity: 'critical',
  blocking: true,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'A value that can be `undefined` is a condition of a write, or of a search for one row, in a library that drops conditions that are `undefined` (Prisma; TypeORM before 1.0).',
    why: 'With the value missing the condition is gone: a delete meant for one row takes all of them, and a look-up by token finds the first row there is, which belongs to somebody else.',
    remedy:
      'Refuse the call where the value is missing before it reaches the query, or let the library refuse it: `strictUndefinedChecks` in Prisma.',
    whenNot: 'A filter of a list that is meant to be optional.',
  },
  incidents: ['data-loss'],
  fixKind: 'none',
  detect(ctx) {
    for (const site of ctx.sites) if (isDatabaseCall(site)) check(ctx, site);
  },
});

/** Before 1.0 TypeORM left conditions out that are undefined; since then it refuses them. */
const DROPS = [
  { range: '<1.0.0', value: true },
  { range: '*', value: false },
] as const;

/** A key that names one thing, or the things of one owner. */
const IDENTITY =
  /(?:^|[a-z_])(?:[iI]d|ID|[uU]uid|[tT]oken|[kK]ey|[sS]lug|[eE]mail|[hH]ash|[sS]ecret|[cC]ode|[uU]sername|[iI]dentifier|[hH]andle)$/;

function check(ctx: RuleContext, site: Site): void {
  const { effect, file, node } = site;
  if (!effect?.spec.filterAt || node.k !== 'call') return;
  const pack = effect.pack?.id;
  const member = node.callee.k === 'mem' ? node.callee.prop : '';
  const write = effect.write;
  const one =
    member === 'findFirst' ||
    member === 'findFirstOrThrow' ||
    /^findOne(?:By|OrFail|ByOrFail)?$/.test(member);
  if (pack === 'prisma') {
    if (!(write && effect.spec.many) && !member.startsWith('findFirst')) return;
  } else if (pack === 'typeorm') {
    if (!write && !one) return;
    if (!effect.pack || atVersion(ctx.model.sites, file, effect.pack, DROPS) !== true) return;
  } else return;
  const read = readOption(ctx.model.values, file, node, effect.spec.filterAt);
  if (read.k !== 'value' || read.file !== file) return;
  const where = uncast(read.expr);
  if (where.k !== 'obj' || where.props.some((p) => p.kind === 'spread')) return;
  const held = where.props.filter((p) => p.key !== null);
  const missing = held
    .filter((p) => p.key !== 'OR' && p.key !== 'AND' && p.key !== 'NOT' && IDENTITY.test(p.key ?? ''))
    .map((p) => ({ prop: p, why: canBeMissing(ctx, site, p) }))
    .find((p) => p.why !== null);
  if (!missing?.why) return;
  if (pack === 'prisma' && ctx.model.project.schema.refusesUndefined()) return;
  const key = missing.prop.key ?? '';
  // What is left narrows to one thing of its own: another identity, which is not the owner that all rows share.
  const rest = held.filter((p) => p !== missing.prop && !isEmptyFilter(p));
  if (rest.some((p) => p.key === 'id' || p.key === 'uuid')) return;
  const name = calleeName(site);
  const text = short(file.text.slice(missing.prop.value.s, missing.prop.value.e));
  const table = effect.entity ? ` of \`${effect.entity}\`` : '';
  const left = rest.length > 0 ? ` that the other conditions leave` : '';
  const what = write
    ? `${effect.op === 'delete' ? 'deletes' : 'changes'} every row${table}${left}`
    : `finds the first row${table}${left}, whoever it belongs to`;
  ctx.report({
    at: missing.prop.value.e > missing.prop.value.s ? missing.prop : node.callee,
    message: `Without \`${text}\` the condition on \`${key}\` is dropped and \`${name}\` ${what}.`,
    trigger: `\`${text}\` is undefined`,
    scenario: `At \`${name}\`, when \`${text}\` is undefined (${missing.why}), then it ${what}.`,
    detection: 'When users miss their data or see that of others: the query succeeds.',
    fix: `Refuse the call where \`${text}\` is missing.`,
    anchor: name,
    ...(write ? {} : { severity: 'high' as const }),
  });
}

function isEmptyFilter(prop: Prop): boolean {
  return isNothing(uncast(prop.value));
}

/** Why the value may be undefined at the place; null where it cannot, or where that cannot be told. */
function canBeMissing(ctx: RuleContext, site: Site, prop: Prop): string | null {
  const { file } = site;
  const value = uncast(prop.value);
  // `x!` and `x as string` are the author's word that it is there.
  if (prop.value.k === 'as') return null;
  const inner = value;
  if (inner.k === 'mem' && isOptionalChain(inner))
    return guarded(file, site, inner) ? null : 'what it is read from is missing';
  if (inner.k === 'id') {
    const binding = file.facts.bindings[inner.b];
    const decl = binding?.decl;
    if (!binding || !decl || binding.writes.length > 0 || guarded(file, site, inner)) return null;
    if (decl.k === 'param') {
      const param = file.facts.functions[decl.fn]?.params[decl.index];
      if (param && isOptionalParam(file, param, decl.path, inner.name)) return 'the parameter is optional';
    }
    if (decl.k === 'init' && decl.path.length === 0) {
      const init = decl.init;
      if (init.k === 'mem' && isOptionalChain(init) && !guarded(file, site, init))
        return 'what it is read from is missing';
      if (decl.type && hasUndefined(decl.type)) return 'its type allows it';
    }
    return fromRequest(ctx, file, inner);
  }
  if (inner.k === 'mem') return guarded(file, site, inner) ? null : fromRequest(ctx, file, inner);
  return null;
}

/** A part of the request that nothing has judged, or that its schema calls optional. Route parameters are always there. */
function fromRequest(ctx: RuleContext, file: SourceFile, expr: Expr): string | null {
  const value = requestValue(ctx, file, expr);
  if (!value || value.via.length > 0 || value.conversions.length > 0) return null;
  if (!value.field) {
    const text = file.text.slice(expr.s, expr.e);
    return !value.assumed && /\b(?:query|body|searchParams)\b/.test(text) && !/params\./.test(text)
      ? 'the request leaves it out'
      : null;
  }
  let optional = false;
  for (const step of value.field.steps) {
    if (/^(?:optional|nullish)$/.test(step.name)) optional = true;
    if (/^(?:default|prefault|catch|transform|pipe|preprocess|refine)$/.test(step.name)) return null;
  }
  return optional && value.field.complete ? 'its schema calls it optional' : null;
}

function isOptionalChain(expr: Expr): boolean {
  for (let at: Expr = expr; ;) {
    if (at.k === 'mem') {
      if (at.opt) return true;
      at = at.obj;
    } else if (at.k === 'call') {
      if (at.opt) return true;
      at = at.callee;
    } else return false;
  }
}

function isOptionalParam(
  file: SourceFile,
  param: Param,
  path: readonly (string | number)[],
  name: string,
): boolean {
  const { target, type } = param;
  if (path.length === 0) {
    if (target.k !== 'pid') return false;
    const mark = file.text.slice(target.s + name.length, type ? type.s : param.e);
    return /^\s*\?/.test(mark) || (type !== null && hasUndefined(type));
  }
  // `{ id }: { id?: string }`
  const key = path[0];
  if (path.length > 1 || typeof key !== 'string' || type?.name !== '{}' || !type.members) return false;
  if (target.k !== 'pobj' || target.props.find((p) => p.key === key)?.value.k === 'pdef') return false;
  const member = type.members[key];
  if (!member) return false;
  return hasUndefined(member) || new RegExp(`\\b${key}\\?\\s*:\\s*$`).test(file.text.slice(type.s, member.s));
}

function hasUndefined(type: TypeRef): boolean {
  return type.name === '|' && type.args.some((a) => a.name === 'undefined');
}

/** Something before the place, or around it, looks at whether the value is there. */
function guarded(file: SourceFile, site: Site, expr: Expr): boolean {
  const roots = rootsOf(file, expr);
  const outer = file.facts.functions[site.fn];
  let found = false;
  const look = (node: AnyNode): void =>
    walk(node, (n) => {
      if (found || n.s > site.node.s) return false;
      const test =
        n.k === 'if' || n.k === 'cond' || n.k === 'while'
          ? n.test
          : n.k === 'bin' && (n.op === '&&' || n.op === '||' || n.op === '??')
            ? n.l
            : n.k === 'switch'
              ? n.disc
              : null;
      if (test && mentionsAny(file, test, roots)) found = true;
      // `assert(id)`, `invariant(id, …)`, `requireId(id)`, `if (!isValid({ id }))`
      if (
        n.k === 'call' &&
        n !== site.node &&
        n.e <= site.node.s &&
        /assert|invariant|ensure|require|check|valid|verif|guard|must|throwIf|authori[sz]e/i.test(
          file.text.slice(n.callee.s, n.callee.e),
        ) &&
        n.args.some((a) => mentionsAny(file, a, roots))
      )
        found = true;
      return !found;
    });
  for (let at = outer; at && at.id !== 0; at = file.facts.functions[at.parent])
    for (const st of at.body) look(st);
  return found;
}

function mentionsAny(file: SourceFile, node: AnyNode, roots: ReadonlySet<string>): boolean {
  return some(
    node,
    (n) => (n.k === 'id' || n.k === 'mem') && roots.has(file.text.slice(n.s, n.e).replace(/[?!]/g, '')),
  );
}

/** The expression and what it is read from: `user.id` also asks for `user`. */
function rootsOf(file: SourceFile, expr: Expr): ReadonlySet<string> {
  const out = new Set<string>();
  let at: Expr = bare(expr);
  for (let guard = 0; guard < 20; guard++) {
    out.add(file.text.slice(at.s, at.e).replace(/[?!]/g, ''));
    if (at.k === 'mem') at = bare(at.obj);
    else if (at.k === 'id') {
      const decl = file.facts.bindings[at.b]?.decl;
      // A name for part of something that was looked at under another name.
      if (decl?.k !== 'init' || (decl.init.k !== 'mem' && decl.init.k !== 'id')) break;
      at = bare(decl.init);
    } else break;
  }
  return out;
}

export const examples: readonly RuleExample[] = [
  {
    title: 'Sessions of nobody in particular',
    bad: `import { PrismaClient } from '@prisma/client';
const prisma = new PrismaClient();
export async function signOut(userId?: string) {
  await prisma.session.deleteMany({ where: { userId } });
}
`,
    good: `import { PrismaClient } from '@prisma/client';
const prisma = new PrismaClient();
export async function signOut(userId?: string) {
  if (!userId) throw new Error('nobody is signed in');
  await prisma.session.deleteMany({ where: { userId } });
}
`,
  },
];
