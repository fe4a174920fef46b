/** A failed read that turns into "there is nothing". */
import type { Call, Expr, FunctionFact, Stmt, Try } from '../facts/ir.ts';
import { bare, some, uncast, walk, type AnyNode } from '../facts/walk.ts';
import { lineEnd, quoteOf, usesSemicolons } from '../fixes/edits.ts';
import type { SourceFile } from '../model/project.ts';
import type { Site } from '../model/sites.ts';
import { isHintName, isTidyName, lossIn, type Loss } from './_kit/consequence.ts';
import { loggerAt, logLine } from './_kit/loggers.ts';
import { catchKeyword, tryFixes } from './_kit/logFixes.ts';
import { commentsIn, explainedBefore, explains, trailingComment } from './_kit/reasons.ts';
import { defineRule, type FixDraft, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { calleeName } from './_kit/text.ts';

export const rule = defineRule({
  id: 'default-on-failure',
  lens: 'partial-failure',
  axis: 'silent-failure',
  faultClass: 'network',
  severity: 'high',
  blocking: true,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'A query or request fails and the code answers with an empty list, zero, an empty object or "not found", with no log line and no metric.',
    why: 'Callers cannot tell "there is none" from "it could not be read". They delete what seems gone, create what seems missing, bill zero, or show an empty page, and the outage behind it leaves no trace.',
    remedy:
      'Let the error out, or log it with what was asked for and give callers a value that says that it failed.',
    whenNot:
      'The empty answer is documented as the fallback (a comment says why), the failure is logged or counted, or only one expected error is caught.',
  },
  incidents: ['swallowed-error', 'silent-failure'],
  fixKind: 'safe',
  detect(ctx) {
    for (const fn of ctx.functions)
      for (const node of ctx.file.index.tries[fn.id] ?? []) checkTry(ctx, node, fn);
    for (const site of ctx.sites) if (site.node.k === 'call') checkCatch(ctx, site, site.node);
  },
});

/** What the failure turns into, for words; `nothing` is the value that also says "not found". */
type Default =
  'an empty list' | 'an empty object' | 'zero' | 'an empty string' | 'an empty result' | 'nothing';

const TELLS =
  /^(?:error|errors|err|ok|success|failed|failure|status|statusCode|message|reason|code|type|kind|valid|available|healthy|degraded|partial|stale|reachable|connected|online|up)$/i;

function defaultOf(expr: Expr | null): Default | null {
  if (expr === null) return 'nothing';
  const inner = uncast(expr);
  switch (inner.k) {
    case 'arr':
      return inner.items.length === 0 ? 'an empty list' : null;
    case 'lit':
      if (inner.kind === 'null') return 'nothing';
      if (inner.kind === 'number' && inner.value === 0) return 'zero';
      return inner.kind === 'string' && inner.value === '' ? 'an empty string' : null;
    case 'obj':
      if (inner.props.length === 0) return 'an empty object';
      return inner.props.every(
        (p) => p.key !== null && !TELLS.test(p.key) && p.kind === 'init' && defaultOf(p.value) !== null,
      )
        ? 'an empty result'
        : null;
    case 'new':
      return inner.args.length === 0 &&
        inner.callee.k === 'id' &&
        inner.callee.b < 0 &&
        /^(?:Map|Set)$/.test(inner.callee.name)
        ? 'an empty result'
        : null;
    case 'id':
      return inner.name === 'undefined' && inner.b < 0 ? 'nothing' : null;
    case 'un':
      return inner.op === 'void' && inner.arg.k === 'lit' ? 'nothing' : null;
    default:
      return null;
  }
}

// ---- catch blocks

function checkTry(ctx: RuleContext, node: Try, fn: FunctionFact): void {
  const { file } = ctx;
  if (!node.handler || isExpected(ctx, file, node, fn)) return;
  const given = givenBack(file, node, node.handler.body);
  if (!given) return;
  if (explains(node.handlerComment) || explainedBefore(file, node.s) || explainedBefore(file, node.handler.s))
    return;
  const loss = readIn(ctx, file, node.block);
  if (!loss || !isTheQuestion(file, loss, node.block)) return;
  if (given.value === 'nothing' && !mayBeNothing(ctx, node.block, loss)) return;
  report(
    ctx,
    catchKeyword(file, node),
    loss,
    given.value,
    tryFixes(ctx, file, node, fn, calleeName(loss.site)),
  );
}

/** The handler does nothing else than give a default: by `return`, or by leaving or setting a name that holds one. */
function givenBack(file: SourceFile, node: Try, body: readonly Stmt[]): { readonly value: Default } | null {
  const statements = body.filter((st) => st.k !== 'empty');
  const [only] = statements;
  if (statements.length === 0) return leftAtDefault(file, node);
  if (statements.length > 1 || !only) return null;
  if (only.k === 'block') return givenBack(file, node, only.body);
  if (only.k === 'ret') {
    const value = defaultOf(only.arg);
    // A bare return of a function that gives nothing back is a failure that is dropped, which has its own rule.
    return value && (only.arg !== null || some(node.block, (n) => n.k === 'ret' && n.arg !== null))
      ? { value }
      : null;
  }
  if (only.k === 'expr' && only.expr.k === 'asg' && only.expr.op === '=' && only.expr.target.k === 'id') {
    const value = defaultOf(only.expr.value);
    const target = only.expr.target;
    return value && value !== 'nothing' && assigns(node.block, target.b) ? { value } : null;
  }
  return null;
}

function assigns(block: AnyNode, binding: number): boolean {
  return some(block, (n) => n.k === 'asg' && n.target.k === 'id' && n.target.b === binding);
}

/** `let rows = []; try { rows = await … } catch {}`: the name keeps what it began with. */
function leftAtDefault(file: SourceFile, node: Try): { readonly value: Default } | null {
  let value: Default | null = null;
  walk(node.block, (n) => {
    if (n.k !== 'asg' || n.target.k !== 'id' || n.op !== '=' || value) return;
    const binding = file.facts.bindings[n.target.b];
    if (!binding || binding.s >= node.s || binding.decl?.k !== 'init') return;
    const began = defaultOf(binding.decl.init);
    if (began && began !== 'nothing' && binding.decl.path.length === 0) value = began;
  });
  return value ? { value } : null;
}

// ---- promise handlers

function checkCatch(ctx: RuleContext, site: Site, call: Call): void {
  const { file } = ctx;
  if (call.callee.k !== 'mem') return;
  const { prop, obj } = call.callee;
  const given = prop === 'catch' ? call.args[0] : prop === 'then' ? call.args[1] : undefined;
  const inner = given ? uncast(given) : null;
  if (inner?.k !== 'fn') return;
  const fact = file.facts.functions[inner.fn];
  if (!fact || fact.body.length !== 1) return;
  const back = fact.body[0];
  if (back?.k !== 'ret' || !back.arg) return;
  const value = defaultOf(back.arg);
  if (!value) return;
  const fn = ctx.functions[site.fn];
  if (!fn || isExpected(ctx, file, call, fn)) return;
  const statement = file.index.statementOf(call);
  if (
    explains(commentsIn(file, fact.s, fact.e)) ||
    explains(trailingComment(file, call.e)) ||
    (statement && explainedBefore(file, statement.s))
  )
    return;
  const loss = readIn(ctx, file, obj);
  if (!loss || !isTheQuestion(file, loss, obj)) return;
  if (value === 'nothing' && !rowMayBeMissing(loss)) return;
  const at = { s: call.callee.ps, e: call.callee.ps + prop.length };
  report(ctx, at, loss, value, catchFixes(ctx, file, fact, back.arg, fn, calleeName(loss.site)));
}

// ---- what counts

/** Names whose callers expect a value and no error, and code whose own purpose is to look whether something works. */
const EXPECTED =
  /^(?:is|has|can|should|exists?|probe|detect|discover|guess|resolve|try|maybe|safe|ping|health|check|validate|verify|supports|warm|prefetch|suggest|autocomplete|preview|favicon|seed|migrate)(?:[A-Z_]|$)|(?:OrNull|OrUndefined|OrDefault|OrEmpty|Safe|Safely|IfExists|IfAny|BestEffort|WithFallback|Quietly)$/;

function isExpected(ctx: RuleContext, file: SourceFile, node: AnyNode, fn: FunctionFact): boolean {
  const owner = ctx.functions[ctx.model.outermost(file, fn.id)];
  for (const name of [fn.name, owner?.name ?? null])
    if (name !== null && (EXPECTED.test(name) || COSMETIC.test(name) || isTidyName(name) || isHintName(name)))
      return true;
  if (/(?:^|\/)(?:og|opengraph-image|newsletter|changelog)(?:\/|\.)/.test(file.path)) return true;
  for (const frame of ctx.model.frames.around(file, node, fn.id))
    if (frame.k === 'catch' || frame.k === 'finally') return true;
  return false;
}

/** A read that leaves the process and is no cache; with a write beside it, the failure is that of the write. */
function readIn(ctx: RuleContext, file: SourceFile, root: AnyNode): Loss | null {
  const loss = lossIn(ctx.model, file, root);
  if (!loss || loss.write || loss.confidence !== 'shown') return null;
  const effect = loss.site.effect ?? reachedEffect(ctx, loss.site);
  if (!effect || !/^(?:db|http|sdk|rpc)$/.test(effect.kind) || effect.write) return null;
  return loss;
}

function reachedEffect(ctx: RuleContext, site: Site): Site['effect'] {
  if (site.target.k !== 'fn') return null;
  const { file, fn } = site.target.value;
  return (
    ctx.model.reach(file, fn).find((r) => r.site.effect && /^(?:db|http|sdk|rpc)$/.test(r.site.effect.kind))
      ?.site.effect ?? null
  );
}

/** The value that is replaced comes from the read: the read is not just a step on the way to a parse. */
function isTheQuestion(file: SourceFile, loss: Loss, root: AnyNode): boolean {
  let parses = false;
  walk(root, (n) => {
    if (n.k === 'call' && n.callee.k === 'mem' && n.callee.prop === 'parse')
      parses ||= n.s < loss.site.node.s;
  });
  return !parses;
}

/** Without a failure the block, too, can answer that there is nothing. */
function mayBeNothing(ctx: RuleContext, block: AnyNode, loss: Loss): boolean {
  // A block that answers nothing for bad statuses has told its callers what that means.
  if ((loss.site.effect ?? reachedEffect(ctx, loss.site))?.kind !== 'db') return false;
  let nothing = false;
  walk(block, (n) => {
    if (n.k !== 'ret' || !n.arg) return;
    const arg = bare(n.arg);
    if (defaultOf(arg) === 'nothing') nothing = true;
    if (arg.k === 'bin' && (arg.op === '??' || arg.op === '||') && defaultOf(arg.r) === 'nothing')
      nothing = true;
    if (arg.k === 'cond' && (defaultOf(arg.yes) === 'nothing' || defaultOf(arg.no) === 'nothing'))
      nothing = true;
    if (arg.k === 'idx' && loss.site.effect?.kind === 'db') nothing = true;
    if ((arg === loss.site.node || arg === loss.site.top) && rowMayBeMissing(loss)) nothing = true;
  });
  return nothing;
}

/** Pictures and news that a page is drawn without. */
const COSMETIC = /avatar|favicon|photo|picture|news|changelog|banner|opengraph|ogImage/i;

function rowMayBeMissing(loss: Loss): boolean {
  const { effect, node } = loss.site;
  if (effect?.kind !== 'db' || effect.op !== 'read' || effect.spec.throwsWhenEmpty || node.k !== 'call')
    return false;
  const name = loss.site.chain.at(-1)?.name ?? (node.callee.k === 'mem' ? node.callee.prop : '');
  return /^(?:find(?:First|One|Unique|ById|ByPk|OneBy)|first|oneOrNone|maybeOne|executeTakeFirst)$/.test(
    name,
  );
}

function report(
  ctx: RuleContext,
  at: { readonly s: number; readonly e: number },
  loss: Loss,
  value: Default,
  fixes: readonly FixDraft[],
): void {
  const name = calleeName(loss.site);
  const none = value === 'nothing' ? '"not found"' : value;
  ctx.report({
    at,
    message: `When \`${name}\` fails, the answer is ${none}: callers take a failure for "there is none", and no log says so.`,
    trigger: `\`${name}\` throws or rejects`,
    scenario: `At \`${name}\`, when it fails, then callers get ${none} and act as if nothing were there, with no log line and no metric.`,
    detection: 'When a user complains or the data is compared: the failure looks like an empty answer.',
    fix: `Let the failure of \`${name}\` out, or log it and give callers a value that says so.`,
    anchor: name,
    // A part of a page that stays empty: whoever looks at it sees that, and loads it again.
    severity: /\.[jt]sx$/.test(ctx.file.path)
      ? 'low'
      : value === 'nothing' || loss.site.effect?.kind === 'http'
        ? 'medium'
        : 'high',
    fixes,
  });
}

function catchFixes(
  ctx: RuleContext,
  file: SourceFile,
  handler: FunctionFact,
  value: Expr,
  fn: FunctionFact,
  name: string,
): FixDraft[] {
  const style = loggerAt(ctx.model, file, fn.id);
  if (!style || !handler.exprBody || handler.params.length > 0) return [];
  return [
    {
      id: 'log-rejection',
      title: `Log it with \`${style.receiver}\``,
      kind: 'safe',
      edits: () => {
        const own = /\.[cm]?tsx?$/.test(file.path) ? '(error: unknown)' : 'error';
        const line = logLine(style, `${name} failed`, 'error', quoteOf(file.text));
        const semi = usesSemicolons(file.text) ? ';' : '';
        const nl = lineEnd(file.text);
        const lineStart = file.text.lastIndexOf('\n', handler.s) + 1;
        const indent = /^[ \t]*/.exec(file.text.slice(lineStart))?.[0] ?? '';
        const inner = `${indent}${indent.includes('\t') ? '\t' : '  '}`;
        const kept = file.text.slice(value.s, value.e);
        return [
          {
            file: file.path,
            edits: [
              {
                start: handler.s,
                end: handler.e,
                newText: `${own} => {${nl}${inner}${line}${semi}${nl}${inner}return ${kept}${semi}${nl}${indent}}`,
              },
            ],
          },
        ];
      },
    },
  ];
}

export const examples: readonly RuleExample[] = [
  {
    title: 'A customer without invoices, or a database that is down',
    bad: `import { PrismaClient } from '@prisma/client';
import pino from 'pino';
const prisma = new PrismaClient();
const logger = pino();
export async function openInvoices(customerId: string) {
  logger.debug({ customerId }, 'reading invoices');
  try {
    return await prisma.invoice.findMany({ where: { customerId, paidAt: null }, take: 100 });
  } catch {
    return [];
  }
}
`,
    good: `import { PrismaClient } from '@prisma/client';
import pino from 'pino';
const prisma = new PrismaClient();
const logger = pino();
export async function openInvoices(customerId: string) {
  logger.debug({ customerId }, 'reading invoices');
  return await prisma.invoice.findMany({ where: { customerId, paidAt: null }, take: 100 });
}
`,
    fixed: `import { PrismaClient } from '@prisma/client';
import pino from 'pino';
const prisma = new PrismaClient();
const logger = pino();
export async function openInvoices(customerId: string) {
  logger.debug({ customerId }, 'reading invoices');
  try {
    return await prisma.invoice.findMany({ where: { customerId, paidAt: null }, take: 100 });
  } catch (error) {
    logger.error({ err: error }, 'prisma.invoice.findMany failed');
    return [];
  }
}
`,
  },
];
