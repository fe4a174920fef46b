/** A secret compared in time that depends on how much of it was guessed. */
import type { TextEdit } from '../base/textEdit.ts';
import type { Binary, Call, Expr } from '../facts/ir.ts';
import { bare, uncast, walk } from '../facts/walk.ts';
import { addNamedImport } from '../fixes/imports.ts';
import type { SourceFile } from '../model/project.ts';
import { defineRule, type FixDraft, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { secretKind, soundsSecret, type SecretKind } from './_kit/secrets.ts';
import { exprName } from './_kit/text.ts';

export const rule = defineRule({
  id: 'timing-unsafe-compare',
  lens: 'hostile-input',
  axis: 'none',
  faultClass: 'trust',
  severity: 'medium',
  blocking: false,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'A signature, keyed digest or secret is compared with what a caller sent by `===`, `!==` or `includes`.',
    why: 'The comparison stops at the first byte that differs. Whoever can send many guesses and measure the answers learns the secret byte by byte, and then signs what they like.',
    remedy: 'Compare with `crypto.timingSafeEqual` over buffers of equal length.',
    whenNot:
      'Comparisons of lengths, of presence, with constants, or of digests that are public anyway (checksums, cache keys).',
  },
  incidents: ['forged-input'],
  fixKind: 'safe',
  detect(ctx) {
    if (!/signature|hmac|digest|secret|token|api_?key|password|authorization|\bmac\b/i.test(ctx.file.text))
      return;
    for (const fn of ctx.functions)
      for (const st of fn.body)
        walk(st, (node) => {
          if (node.k === 'bin') checkOperator(ctx, node);
        });
    for (const site of ctx.sites) if (site.node.k === 'call') checkIncludes(ctx, site.node);
  },
});

function checkOperator(ctx: RuleContext, node: Binary): void {
  if (node.op !== '===' && node.op !== '!==' && node.op !== '==' && node.op !== '!=') return;
  const { file, model } = ctx;
  if (isPlain(node.l) || isPlain(node.r) || saysWhether(node.l) || saysWhether(node.r)) return;
  const l = secretKind(model, file, node.l);
  const r = secretKind(model, file, node.r);
  const evidence = judge(l, node.l, r, node.r);
  if (!evidence) return;
  const secret = evidence.secret === 'l' ? node.l : node.r;
  // The token of a domain challenge is public: whoever asks for it is the authority that made it.
  if (/(?:challenge|acme)\b.*\.token$/i.test(exprName(file, secret))) return;
  const name = quotable(exprName(file, secret));
  ctx.report({
    at: node,
    ...words(name, node.op, evidence.what),
    anchor: `${exprName(file, node.l)} ${node.op} ${exprName(file, node.r)}`,
    confidence: evidence.confidence,
    fixes: fixesFor(file, node, l, r),
  });
}

interface Evidence {
  readonly secret: 'l' | 'r';
  readonly what: string;
  readonly confidence: 'shown' | 'assumed';
}

/** One side is bound to a secret by where it comes from; the other is what a caller sent, or is named like it. */
function judge(l: SecretKind, left: Expr, r: SecretKind, right: Expr): Evidence | null {
  if (l === 'literal' || r === 'literal') return null;
  const sides = [
    { side: 'l' as const, kind: l, other: r, expr: left, otherExpr: right },
    { side: 'r' as const, kind: r, other: l, expr: right, otherExpr: left },
  ];
  for (const { side, kind, other, otherExpr } of sides) {
    const isSent = other === 'request' || soundsSecret(otherExpr);
    if (
      kind === 'mac' &&
      other !== 'mac' &&
      other !== 'digest' &&
      (isSent || /hash|digest/i.test(nameOf(otherExpr)))
    )
      return { secret: side, what: 'a keyed digest', confidence: 'shown' };
    if (kind === 'secret' && other !== 'secret' && isSent)
      return { secret: side, what: 'a secret', confidence: 'shown' };
    if (
      kind === 'digest' &&
      other !== 'digest' &&
      (other === 'request'
        ? soundsSecret(otherExpr) || /signature|hmac/i.test(nameOf(otherExpr))
        : /signature|hmac|token|secret|password|api_?key/i.test(nameOf(otherExpr)))
    )
      return { secret: side, what: 'a digest that proves a secret', confidence: 'shown' };
  }
  for (const { side, kind, other, expr } of sides)
    if (kind === 'other' && other === 'request' && soundsSecret(expr))
      return { secret: side, what: 'a secret', confidence: 'assumed' };
  return null;
}

function nameOf(expr: Expr): string {
  const inner = bare(expr);
  if (inner.k === 'id') return inner.name;
  if (inner.k === 'mem') return inner.prop;
  return '';
}

/** `isSecret`, `hasToken`: about a secret, and no secret itself. */
function saysWhether(expr: Expr): boolean {
  return /^(?:is|has|had|was|can|should|needs|uses|allows?)[A-Z]/.test(nameOf(expr));
}

/** Lengths, constants, types, numbers. */
function isPlain(expr: Expr): boolean {
  const inner = uncast(expr);
  if (inner.k === 'lit' || inner.k === 'un' || inner.k === 'obj' || inner.k === 'arr' || inner.k === 'fn')
    return true;
  if (inner.k === 'mem')
    return (
      /^(?:length|byteLength|size|type|kind|status|statusCode|name)$/.test(inner.prop) ||
      /^[A-Z][A-Za-z]*(?:Type|Kind|Enum|Status|Level)$/.test(nameOf(inner.obj))
    );
  return inner.k === 'tmpl' && inner.exprs.length === 0;
}

/** `KEYS.includes(req.headers['x-api-key'])` over secrets of the environment. */
function checkIncludes(ctx: RuleContext, call: Call): void {
  if (
    call.callee.k !== 'mem' ||
    (call.callee.prop !== 'includes' && call.callee.prop !== 'indexOf') ||
    call.args.length !== 1
  )
    return;
  const given = call.args[0];
  if (!given || isPlain(given)) return;
  const { file, model } = ctx;
  if (secretKind(model, file, call.callee.obj) !== 'secret') return;
  const kind = secretKind(model, file, given);
  if (kind !== 'request' && !(kind === 'other' && soundsSecret(given))) return;
  const name = exprName(file, call.callee.obj);
  ctx.report({
    at: call.callee,
    ...words(name, call.callee.prop, 'a secret'),
    anchor: exprName(file, call.callee),
  });
}

/** A template's text without its own quotes. */
function quotable(name: string): string {
  return name.replaceAll('`', '');
}

function words(
  name: string,
  operator: string,
  what: string,
): { message: string; trigger: string; scenario: string; detection: string; fix: string } {
  return {
    message: `How long \`${operator}\` takes depends on how much of \`${name}\` was right: a caller who can measure it learns about ${what} bit by bit.`,
    trigger: 'a caller sends many guesses and measures the answers',
    scenario: `At \`${name}\`, when a caller measures how long refusals take over many guesses, then it tells better guesses from worse ones.`,
    detection:
      'By the number of refused guesses, where somebody counts them: a right one looks like a valid request.',
    fix: 'Compare with `timingSafeEqual` over buffers of equal length.',
  };
}

// ---- fix

function fixesFor(file: SourceFile, node: Binary, l: SecretKind, r: SecretKind): FixDraft[] {
  if (!isPure(node.l) || !isPure(node.r)) return [];
  return [
    {
      id: 'timing-safe-equal',
      title: 'Compare with timingSafeEqual',
      kind: 'safe',
      edits: () => {
        const text = (e: Expr): string => file.text.slice(e.s, e.e);
        const a = text(node.l);
        const b = text(node.r);
        const { name, edit } = safeEqual(file);
        const parts = [
          ...(isText(node.l, l) ? [] : [`typeof ${a} === 'string'`]),
          ...(isText(node.r, r) ? [] : [`typeof ${b} === 'string'`]),
          `Buffer.byteLength(${a}) === Buffer.byteLength(${b})`,
          `${name}(Buffer.from(${a}), Buffer.from(${b}))`,
        ].join(' && ');
        const parent = file.index.parent(node);
        const negated = node.op.startsWith('!');
        const alone = parent === undefined || parent.k === 'if' || parent.k === 'ret' || parent.k === 'var';
        const newText = negated ? `!(${parts})` : alone ? parts : `(${parts})`;
        const edits: TextEdit[] = [{ start: node.s, end: node.e, newText }];
        return [{ file: file.path, edits: edit ? [edit, ...edits] : edits }];
      },
    },
  ];
}

/** Read twice without doing anything. */
function isPure(expr: Expr): boolean {
  const inner = uncast(expr);
  if (inner.k === 'id' || inner.k === 'this') return true;
  if (inner.k === 'mem') return isPure(inner.obj);
  if (inner.k === 'idx') return inner.index.k === 'lit' && isPure(inner.obj);
  return inner.k === 'tmpl' && inner.exprs.every(isPure);
}

function isText(expr: Expr, kind: SecretKind): boolean {
  return uncast(expr).k === 'tmpl' || kind === 'mac' || kind === 'digest';
}

/** How the file can name `timingSafeEqual`, with the import it needs. */
function safeEqual(file: SourceFile): { name: string; edit: TextEdit | null } {
  const { bindings } = file.facts;
  if (bindings.some((b) => b.name === 'timingSafeEqual' && b.fn === 0))
    return { name: 'timingSafeEqual', edit: null };
  const whole = bindings.find(
    (b) =>
      b.fn === 0 &&
      b.decl?.k === 'import' &&
      /^(?:node:)?crypto$/.test(b.decl.from) &&
      (b.decl.name === 'default' || b.decl.name === '*' || b.decl.name === '='),
  );
  if (whole) return { name: `${whole.name}.timingSafeEqual`, edit: null };
  const from = file.facts.specifiers.includes('crypto') ? 'crypto' : 'node:crypto';
  return { name: 'timingSafeEqual', edit: addNamedImport(file.text, file.facts, 'timingSafeEqual', from) };
}

export const examples: readonly RuleExample[] = [
  {
    title: 'A cron endpoint behind a shared secret',
    bad: `export async function POST(request: Request) {
  const sent = request.headers.get('authorization');
  if (sent !== \`Bearer \${process.env.CRON_SECRET}\`) return new Response('no', { status: 401 });
  return new Response('ok');
}
`,
    good: `import { timingSafeEqual } from 'node:crypto';
export async function POST(request: Request) {
  const sent = Buffer.from(request.headers.get('authorization') ?? '');
  const wanted = Buffer.from(\`Bearer \${process.env.CRON_SECRET}\`);
  if (sent.length !== wanted.length || !timingSafeEqual(sent, wanted)) return new Response('no', { status: 401 });
  return new Response('ok');
}
`,
    fixed: `import { timingSafeEqual } from 'node:crypto';
export async function POST(request: Request) {
  const sent = request.headers.get('authorization');
  if (!(typeof sent === 'string' && Buffer.byteLength(sent) === Buffer.byteLength(\`Bearer \${process.env.CRON_SECRET}\`) && timingSafeEqual(Buffer.from(sent), Buffer.from(\`Bearer \${process.env.CRON_SECRET}\`)))) return new Response('no', { status: 401 });
  return new Response('ok');
}
`,
  },
];
