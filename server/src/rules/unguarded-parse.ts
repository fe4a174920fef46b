/** Parsing what others wrote as if it could not be malformed. */
import { indentAt, indentUnit, lineEnd, usesSemicolons } from '../fixes/edits.ts';
import type { Expr } from '../facts/ir.ts';
import { bare, some, uncast } from '../facts/walk.ts';
import type { SourceFile } from '../model/project.ts';
import type { Site } from '../model/sites.ts';
import type { UnitRef } from '../units/discover.ts';
import { DETECTION_WHEN_THROWN_LOOSE, detectionWhenThrown } from './_kit/detection.ts';
import { externalSource, isGuarded, type External, type SourceKind } from './_kit/external.ts';
import { defineRule, type FixDraft, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { calleeName, short } from './_kit/text.ts';
import { settled, takenBy } from './_kit/uses.ts';

export const rule = defineRule({
  id: 'unguarded-parse',
  lens: 'boundaries',
  axis: 'cascading-failure',
  faultClass: 'network',
  severity: 'medium',
  blocking: false,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'Text that came with a request, a message or an answer is parsed (`JSON.parse`, `new URL`, `decodeURIComponent`, `BigInt`, YAML) where nothing catches the error of malformed text.',
    why: "One malformed input throws where no code expects it: a request answers 500 and pages somebody for what was the caller's mistake, a message is delivered again without end, a socket listener takes the process down with every other connection.",
    remedy:
      'Catch the error where the text is parsed and answer 400, drop the message, or use a parser that returns the failure.',
    whenNot: 'The program wrote the text itself, or a schema has judged it before.',
  },
  incidents: ['poison-message', 'unhandled-error'],
  fixKind: 'previewed',
  detect(ctx) {
    for (const site of ctx.sites) check(ctx, site);
  },
});

const PARSERS: Readonly<Record<string, string>> = {
  'JSON.parse': 'JSON',
  decodeURIComponent: 'percent-encoding',
  decodeURI: 'percent-encoding',
  BigInt: 'an integer',
};

function check(ctx: RuleContext, site: Site): void {
  const format = formatOf(site);
  const { node, file } = site;
  if (!format || node.k === 'tag') return;
  const arg = node.args[0];
  if (!arg) return;
  if (isGuarded(ctx, file, node, site.fn)) return;
  const source = externalSource(ctx, file, arg);
  if (!source || source.via.some((v) => isGuarded(ctx, v.file, v.node, v.fn))) return;
  // `new URL` of text that a peer sent in an answer is rarely wrong; JSON is where answers differ from what is expected.
  if ((source.kind === 'response' || source.kind === 'file') && format !== 'JSON') return;
  if (isJudgedBefore(file, arg, site) || isSignedBefore(file, site)) return;
  const units = ctx.unitsReaching(ctx.model.outermost(file, site.fn));
  if (guardedOnTheWay(ctx, units, site)) return;
  if (units.some((u) => registersSchema(ctx, u))) return;
  const name = calleeName(site);
  const crash = (source.kind === 'message' || source.kind === 'response') && crashes(file, site);
  ctx.report({
    at: { s: node.callee.s, e: node.callee.e },
    message: `${OPENING[source.kind]} that is not ${format === 'JSON' ? 'valid JSON' : format} makes \`${name}\` throw, and nothing here catches it${end(source, crash)}.`,
    trigger: `${short(file.text.slice(arg.s, arg.e))} is malformed`,
    scenario: `At \`${name}\`, when the text is not ${format}, then it throws${end(source, crash)}.`,
    detection: crash ? DETECTION_WHEN_THROWN_LOOSE : detectionWhenThrown(ctx, site),
    fix:
      source.kind === 'request'
        ? 'Catch the error and answer 400.'
        : 'Catch the error and deal with the malformed text.',
    anchor: name,
    ...(source.assumed ? { confidence: 'assumed' as const } : {}),
    cause: `${site.fn} ${format} ${source.kind} ${source.kind === 'request' ? '' : rootName(file, arg)}`,
    ...(crash
      ? { severity: 'high' as const }
      : seldomMalformed(file, arg, source, units)
        ? { severity: 'low' as const }
        : {}),
    fixes: fixesFor(ctx, site, source, units),
  });
}

/**
 * An answer that its peer gave for a success, what a sender signs, and a query value, which was decoded before: a person
 * has to write the address by hand for it to be malformed.
 */
function seldomMalformed(file: SourceFile, arg: Expr, source: External, units: readonly UnitRef[]): boolean {
  if (source.kind === 'response' || units.some((u) => u.unit.kind === 'webhook')) return true;
  const from = uncast(initOf(file, arg));
  if (from.k !== 'call' || from.callee.k !== 'mem' || from.callee.prop !== 'get') return false;
  const params = initOf(file, from.callee.obj);
  return /\bsearchParams\b|\bURLSearchParams\b/.test(file.text.slice(params.s, params.e));
}

/** What a name was given where it was declared. */
function initOf(file: SourceFile, expr: Expr): Expr {
  const inner = uncast(expr);
  const decl = inner.k === 'id' ? file.facts.bindings[inner.b]?.decl : undefined;
  return decl?.k === 'init' && decl.path.length === 0 ? decl.init : inner;
}

const OPENING: Readonly<Record<SourceKind, string>> = {
  request: 'Input',
  message: 'A message',
  response: 'An answer',
  model: 'A model answer',
  file: 'A file of a foreign repository',
};

function end(source: External, crash: boolean): string {
  if (crash) return ': an uncaught exception, which ends a process that has no handler for those';
  if (source.kind === 'request') return ': the request fails like a fault of the server';
  if (source.kind === 'message') return ': the message fails each time it is delivered';
  return '';
}

function formatOf(site: Site): string | null {
  const { target, node } = site;
  if (target.k === 'builtin') {
    if (node.k === 'new') return target.name === 'URL' && node.args.length === 1 ? 'a URL' : null;
    return PARSERS[target.name] ?? null;
  }
  if (
    target.k === 'package' &&
    ((target.pkg === 'yaml' && target.path === 'parse') ||
      (target.pkg === 'js-yaml' && target.path === 'load'))
  )
    return 'YAML';
  return null;
}

/** The name that the text is read from: parts of one request are one habit, two answers are two places to fail. */
function rootName(file: SourceFile, arg: Expr): string {
  let at = bare(uncast(arg));
  for (;;) {
    if (at.k === 'mem' || at.k === 'idx') at = bare(uncast(at.obj));
    else if (at.k === 'call' && at.callee.k === 'mem' && at.args.length === 0)
      at = bare(uncast(at.callee.obj));
    else return at.k === 'id' ? `${at.b} ${at.name}` : file.text.slice(at.s, at.e);
  }
}

/** A listener runs on its own: what it throws is uncaught. */
function crashes(file: SourceFile, site: Site): boolean {
  for (let fn = site.fn; fn > 0; fn = file.facts.functions[fn]?.parent ?? 0) {
    const call = file.index.argumentSite(fn)?.call;
    if (call?.callee.k === 'mem' && (call.callee.prop === 'on' || call.callee.prop === 'once')) return true;
  }
  return false;
}

/** An `if` before it tests the same text by a call: `if (!isUrl(x)) return`, `/^\d+$/.test(x)`, `URL.canParse(x)`. */
function isJudgedBefore(file: SourceFile, arg: Expr, site: Site): boolean {
  const text = file.text.slice(arg.s, arg.e);
  const inner = uncast(arg);
  const root =
    inner.k === 'call' && inner.callee.k === 'mem'
      ? file.text.slice(inner.callee.obj.s, inner.callee.obj.e)
      : text;
  const judged = (file.index.calls[site.fn] ?? []).filter(
    (c) =>
      c.k === 'call' &&
      c.s < site.node.s &&
      c !== site.node &&
      c.args.some((a) => [text, root].includes(file.text.slice(a.s, a.e))),
  );
  return judged.some((c) => {
    for (let at = file.index.parent(c), child: unknown = c; at; child = at, at = file.index.parent(at)) {
      if (at.k === 'if' && at.test === child) return true;
      if (at.k === 'cond' && at.test === child) return true;
      if (at.k === 'bin' && at.op === '&&' && at.l === child) return true;
    }
    return false;
  });
}

/** A verified signature vouches for the text. */
function isSignedBefore(file: SourceFile, site: Site): boolean {
  return (file.index.calls[site.fn] ?? []).some(
    (c) =>
      c !== site.node &&
      c.k !== 'tag' &&
      c.s < site.node.s &&
      /verif|signature|constructEvent|hmac|timingSafeEqual|unwrap|decrypt|jwt/i.test(
        file.text.slice(c.callee.s, c.callee.e),
      ),
  );
}

/** Every unit that is known to lead here catches on the way. */
function guardedOnTheWay(ctx: RuleContext, units: readonly UnitRef[], site: Site): boolean {
  if (units.length === 0) return false;
  return units.every((u) => {
    const reached = ctx.model.reach(u.file, u.fn).find((r) => r.site.node === site.node);
    return reached !== undefined && reached.via.some((v) => isGuarded(ctx, v.file, v.node, v.fn));
  });
}

/** A schema among the registration's arguments judges the input before the handler. */
function registersSchema(ctx: RuleContext, ref: UnitRef): boolean {
  const file = ctx.model.project.file(ref.unit.file);
  const handler = ref.file.facts.functions[ref.fn];
  if (!file || !handler || file !== ref.file) return false;
  return /schema|validat|celebrate|zod|joi/i.test(file.text.slice(ref.unit.startOffset, handler.s));
}

function fixesFor(ctx: RuleContext, site: Site, source: External, units: readonly UnitRef[]): FixDraft[] {
  const { file, node } = site;
  const unit = units.find((u) => u.file === file && u.fn === site.fn);
  if (source.kind !== 'request' || !unit || (unit.unit.kind !== 'http' && unit.unit.kind !== 'webhook'))
    return [];
  const held = takenBy(file, settled(file, node as Expr));
  if (held?.holder.k !== 'var' || held.holder.decls.length !== 1 || held.target.k !== 'pid') return [];
  const answer = badRequest(ctx, file, site.fn);
  if (!answer) return [];
  const statement = held.holder;
  const decl = statement.decls[0];
  const name = held.target.name;
  if (!decl?.init || file.index.parent(statement)?.k === 'for') return [];
  const init = decl.init;
  return [
    {
      id: 'answer-400',
      title: 'Answer 400 when it does not parse',
      kind: 'previewed',
      edits: () => {
        const nl = lineEnd(file.text);
        const indent = indentAt(file.text, statement.s);
        const deeper = indent + indentUnit(file.text);
        const semi = usesSemicolons(file.text) ? ';' : '';
        const type = decl.type ? `: ${file.text.slice(decl.type.s, decl.type.e)}` : '';
        const lines = [
          `let ${name}${type}${semi}`,
          `${indent}try {`,
          `${deeper}${name} = ${file.text.slice(init.s, init.e)}${semi}`,
          `${indent}} catch {`,
          ...answer.map((l) => `${deeper}${l}${semi}`),
          `${indent}}`,
        ];
        return [
          { file: file.path, edits: [{ start: statement.s, end: statement.e, newText: lines.join(nl) }] },
        ];
      },
    },
  ];
}

/** How the handler answers 400, as lines; null when that cannot be told. */
function badRequest(ctx: RuleContext, file: SourceFile, fn: number): string[] | null {
  const fact = ctx.functions[fn];
  if (!fact) return null;
  for (const param of fact.params) {
    if (param.target.k !== 'pid') continue;
    const binding = file.facts.bindings[param.target.b];
    const value = binding ? ctx.model.values.binding(file, binding) : null;
    if (value?.k !== 'inst') continue;
    const { name } = param.target;
    if (value.pack.id === 'express' && value.type === 'Response')
      return [`${name}.status(400).json({ error: 'malformed input' })`, 'return'];
    if (value.pack.id === 'fastify' && value.type === 'Reply')
      return [`return ${name}.code(400).send({ error: 'malformed input' })`];
    if (value.pack.id === 'hono' && value.type === 'Context')
      return [`return ${name}.json({ error: 'malformed input' }, 400)`];
  }
  const answersWithResponse = fact.body.some((st) =>
    some(
      st,
      (n) =>
        n.k === 'ret' &&
        n.arg !== null &&
        /^(?:new (?:Next)?Response\b|(?:Next)?Response\.json\()/.test(file.text.slice(n.arg.s, n.arg.e)),
    ),
  );
  return answersWithResponse ? ["return new Response('malformed input', { status: 400 })"] : null;
}

export const examples: readonly RuleExample[] = [
  {
    title: 'A filter that arrives as JSON in the query',
    bad: `import express from 'express';
const app = express();
app.get('/orders', (req, res) => {
  const filter = JSON.parse(String(req.query.filter));
  res.json(find(filter));
});
declare function find(filter: unknown): unknown;
`,
    good: `import express from 'express';
const app = express();
app.get('/orders', (req, res) => {
  let filter;
  try {
    filter = JSON.parse(String(req.query.filter));
  } catch {
    res.status(400).json({ error: 'filter is not JSON' });
    return;
  }
  res.json(find(filter));
});
declare function find(filter: unknown): unknown;
`,
    fixed: `import express from 'express';
const app = express();
app.get('/orders', (req, res) => {
  let filter;
  try {
    filter = JSON.parse(String(req.query.filter));
  } catch {
    res.status(400).json({ error: 'malformed input' });
    return;
  }
  res.json(find(filter));
});
declare function find(filter: unknown): unknown;
`,
  },
];
