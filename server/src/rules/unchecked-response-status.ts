/** The body of an answer that is read whatever its status is. */
import { insertAfter, usesSemicolons } from '../fixes/edits.ts';
import type { Call, Expr, Pattern } from '../facts/ir.ts';
import { uncast, type AnyNode } from '../facts/walk.ts';
import { blockAround } from '../model/paths.ts';
import type { SourceFile } from '../model/project.ts';
import type { Site } from '../model/sites.ts';
import { isLogCall } from './_kit/detection.ts';
import { isHintName, isTidyName } from './_kit/consequence.ts';
import { defineRule, type FixDraft, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { calleeName } from './_kit/text.ts';
import { startedTogether } from './_kit/together.ts';
import { isOwnFile, urlHost } from './_kit/url.ts';
import { memberOn, nameOf, outerCast, settled, taken, takenBy, usesOf } from './_kit/uses.ts';

export const rule = defineRule({
  id: 'unchecked-response-status',
  lens: 'boundaries',
  axis: 'silent-failure',
  faultClass: 'network',
  severity: 'high',
  blocking: true,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'The body of an HTTP answer is used though nothing looked at its status, with a client that resolves for every status (`fetch`, undici).',
    why: 'A 500 or 429 with a JSON body is taken for the answer: an error object goes on as data, is stored or shown, or its missing fields become `undefined` far from the cause. With an HTML body the failure is a parse error that names neither the host nor the status.',
    remedy: 'Test `response.ok` before the body is read, and throw an error that names the status.',
    whenNot: 'The body itself says whether the call succeeded and the code looks at that.',
  },
  incidents: ['unchecked-error', 'silent-data-corruption'],
  fixKind: 'safe',
  detect(ctx) {
    for (const site of ctx.sites) check(ctx, site);
  },
});

const BODY = new Set(['json', 'text', 'arrayBuffer', 'blob', 'formData', 'bytes', 'buffer', 'body']);
const STATUS = new Set(['ok', 'status', 'statusCode', 'redirected', 'type']);
/** Fields of a parsed body by which an API tells of failure. */
const VERDICT =
  /^(?:ok|error|errors|success|status|code|message|error_description|err|result_code|resultCode|errcode|isSuccess|failed|fault)$/;

/** What becomes of a response: read without a look at the status (with the place), looked at, or out of sight. */
type Outcome =
  | { readonly k: 'read'; readonly at: { s: number; e: number } }
  | { readonly k: 'checked' }
  | { readonly k: 'gone' };
const CHECKED: Outcome = { k: 'checked' };
const GONE: Outcome = { k: 'gone' };

function check(ctx: RuleContext, site: Site): void {
  const { effect } = site;
  if (effect?.kind !== 'http' || effect.spec.rejectsOnStatus !== false || effect.confidence !== 'shown')
    return;
  if (site.target.k !== 'lib' || site.target.spec.promise === false || site.target.spec.returns === undefined)
    return;
  if (isOwnFile(site)) return;
  const { file } = site;
  const host = urlHost(ctx.model, site);
  const value = settled(file, site.node as Expr);
  const outcome = follow(ctx, file, value, 0);
  const name = calleeName(site);
  const who = host ? `\`${host}\`` : 'the other side';
  if (outcome.k === 'gone' && isUnheardWrite(ctx, site, value)) {
    ctx.report({
      at: (site.node as Call).callee,
      message: `When ${who} answers 4xx or 5xx, nothing here knows: the answer is awaited and not looked at.`,
      trigger: `${who} answers with an error status`,
      scenario: `At \`${name}\`, when ${who} refuses or fails, then the code goes on as if the request had been accepted.`,
      detection: 'When a user complains or the data is compared: the call itself succeeds.',
      fix: 'Keep the answer, test `ok`, and throw with the status.',
      anchor: name,
      confidence: 'assumed',
      severity: 'medium',
      ...startedTogether(file, site.top),
    });
    return;
  }
  if (outcome.k !== 'read' || judgedByCallers(ctx, site)) return;
  ctx.report({
    at: outcome.at,
    message: `When ${who} answers 4xx or 5xx, its error body is read as if it were the answer: nothing looks at the status.`,
    trigger: `${who} answers with an error status`,
    scenario: `At \`${name}\`, when ${who} answers 500 or 429, then the error body goes on as data or fails later, without the status.`,
    detection:
      'When the data looks wrong, or by a later error that does not name the status: the call itself succeeds.',
    fix: 'Test `ok` before the body is read, and throw with the status.',
    anchor: name,
    ...(isAsset(site) || host === 'localhost' ? { severity: 'low' as const } : {}),
    ...startedTogether(file, site.top),
    fixes: fixesFor(site, host),
  });
}

const SIGNAL_ONLY =
  /telemetry|analytics|track|metric|beacon|heartbeat|ping|revalidat|warm|prefetch|health|log|purge|cache/i;

/**
 * `await fetch(url, { method: 'POST' });` as a statement, where the code tells success from failure: by a handler around
 * it, which an error status never reaches, or by what it answers.
 */
function isUnheardWrite(ctx: RuleContext, site: Site, value: Expr): boolean {
  const { file, node, effect } = site;
  if (node.k !== 'call' || !effect?.write || effect.method === null || effect.spec.bestEffort) return false;
  if (value.k !== 'await' || file.index.parent(value)?.k !== 'expr') return false;
  const owner = file.facts.functions[ctx.model.outermost(file, site.fn)];
  const address = node.args[0];
  if (
    SIGNAL_ONLY.test(owner?.name ?? '') ||
    isTidyName(owner?.name ?? null) ||
    isHintName(owner?.name ?? null) ||
    (address !== undefined && SIGNAL_ONLY.test(file.text.slice(address.s, address.e)))
  )
    return false;
  if (effect.method === 'DELETE') return false;
  let told = tellsSuccess(file, site.fn, value);
  for (const frame of ctx.model.frames.around(file, node, site.fn)) {
    // On the way out of a failure: a last attempt.
    if (frame.k === 'catch' || frame.k === 'finally') return false;
    if (frame.k === 'try' && frame.node.handler) told = true;
  }
  return told;
}

/** What follows says that it worked: `return true`, `return { sent: true }`. */
function tellsSuccess(file: SourceFile, fn: number, value: Expr): boolean {
  const statement = file.index.statementOf(value);
  if (!statement) return false;
  const { body, at } = blockAround(file, statement, fn);
  const next = at < 0 ? undefined : body[at + 1];
  if (next?.k !== 'ret' || !next.arg) return false;
  const answer = uncast(next.arg);
  return answer.k === 'obj' || (answer.k === 'lit' && answer.value === true);
}

/** The function gives the body back as it is, and a caller that is known looks at what it tells of failure. */
function judgedByCallers(ctx: RuleContext, site: Site, depth = 0): boolean {
  const { file, fn } = site;
  if (depth > 3 || !isReturned(file, site.node as Expr)) return false;
  const calls = (s: Site): boolean =>
    s.target.k === 'fn' && s.target.value.file === file && s.target.value.fn === fn && s.node.k === 'call';
  const known = [
    ...ctx.model.sites.callersIn(ctx.file, file, fn).filter((s) => s.node.k === 'call'),
    ...(file === ctx.file ? ctx.unitsReaching(ctx.model.outermost(file, fn)) : [])
      .slice(0, 6)
      .flatMap((u) => ctx.model.reach(u.file, u.fn).map((r) => r.site))
      .filter(calls),
  ];
  return known.some((s) => {
    const value = settled(s.file, s.node as Expr);
    const parent = s.file.index.parent(value);
    if (parent?.k === 'mem' && VERDICT.test(parent.prop)) return true;
    const target = targetOf(s.file, value);
    return target === null ? judgedByCallers(ctx, s, depth + 1) : bodyIsJudged(s.file, target);
  });
}

/** What a value is bound to, also as one of `await Promise.all([…])`. */
function targetOf(file: SourceFile, value: Expr): Pattern | Expr | null {
  const held = takenBy(file, value);
  if (held) return held.target;
  const list = file.index.parent(value);
  const call = list?.k === 'arr' ? file.index.parent(list) : undefined;
  if (list?.k !== 'arr' || call?.k !== 'call') return null;
  const all = takenBy(file, settled(file, call));
  return all?.target.k === 'parr' ? (all.target.items[list.items.indexOf(value)] ?? null) : null;
}

function isReturned(file: SourceFile, node: Expr): boolean {
  let child: AnyNode = node;
  for (let at = file.index.parent(node); at; child = at, at = file.index.parent(at)) {
    if (at.k === 'ret') return true;
    if (at.k === 'await' || at.k === 'as') continue;
    if (at.k === 'mem' && at.obj === child) continue;
    if (at.k === 'call' && at.callee === child) continue;
    return false;
  }
  return false;
}

/** A font or picture at a fixed address: whoever reads it refuses what is none. */
function isAsset({ file, node }: Site): boolean {
  const address = node.k === 'tag' ? undefined : node.args[0];
  return (
    address !== undefined &&
    /\.(?:ttf|otf|woff2?|png|jpe?g|gif|svg|webp|ico|css)\b(?!\.)/i.test(file.text.slice(address.s, address.e))
  );
}

function follow(ctx: RuleContext, file: SourceFile, value: Expr, depth: number): Outcome {
  if (depth > 4) return GONE;
  const parent = file.index.parent(value);
  // `(await fetch(u)).json()`
  if (parent?.k === 'mem' && parent.obj === value) {
    if (STATUS.has(parent.prop)) return CHECKED;
    if (parent.prop === 'then') {
      const call = file.index.parent(parent);
      return call?.k === 'call' ? afterThen(ctx, file, call, depth) : GONE;
    }
    if (parent.prop === 'catch' || parent.prop === 'finally') {
      const call = file.index.parent(parent);
      return call?.k === 'call' && call.callee === parent
        ? follow(ctx, file, settled(file, call), depth + 1)
        : GONE;
    }
    return BODY.has(parent.prop) ? readAt(ctx, file, parent) : GONE;
  }
  // `await Promise.all([fetch(a), fetch(b)])`
  if (parent?.k === 'arr') {
    const call = file.index.parent(parent);
    if (call?.k === 'call' && call.callee.k === 'mem' && call.callee.prop === 'all') {
      const held = takenBy(file, settled(file, call));
      const index = parent.items.indexOf(value);
      if (held?.target.k === 'parr') {
        const item = held.target.items[index];
        return item ? uses(ctx, file, nameOf(item), depth) : GONE;
      }
    }
    return GONE;
  }
  const held = takenBy(file, value);
  if (!held) return GONE;
  if (held.target.k === 'pobj') {
    if (
      held.target.rest ||
      [...STATUS].some((k) => held.target.k === 'pobj' && taken(held.target, k) !== undefined)
    )
      return CHECKED;
    const prop = held.target.props.find((p) => p.key !== null && BODY.has(p.key));
    return prop ? { k: 'read', at: { s: prop.s, e: prop.e } } : GONE;
  }
  return uses(ctx, file, nameOf(held.target), depth);
}

/** `.then(r => r.json())` */
function afterThen(ctx: RuleContext, file: SourceFile, call: Call, depth: number): Outcome {
  const first = call.args[0];
  if (!first) return GONE;
  const fn = ctx.model.values.of(file, first);
  if (fn.k !== 'fn') return GONE;
  const outcome = inFunction(ctx, fn.file, fn.fn, 0, depth + 1);
  if (outcome.k !== 'read') return outcome;
  // The next link may look into the body.
  const next = file.index.parent(call);
  const link = next?.k === 'mem' && next.prop === 'then' ? file.index.parent(next) : null;
  if (link?.k === 'call' && looksIntoBody(ctx, file, link)) return CHECKED;
  const held = takenBy(file, settled(file, call));
  if (held && bodyIsJudged(file, held.target)) return CHECKED;
  if (isValidated(file, settled(file, call))) return CHECKED;
  return fn.file === file ? outcome : { k: 'read', at: { s: first.s, e: first.e } };
}

function looksIntoBody(ctx: RuleContext, file: SourceFile, link: Call): boolean {
  const fn = link.args[0] ? ctx.model.values.of(file, link.args[0]) : null;
  if (fn?.k !== 'fn') return false;
  const param = fn.file.facts.functions[fn.fn]?.params[0];
  return param ? bodyIsJudged(fn.file, param.target) : false;
}

/** What a function does with the response it is given. */
function inFunction(ctx: RuleContext, file: SourceFile, fn: number, index: number, depth: number): Outcome {
  const param = file.facts.functions[fn]?.params[index];
  if (!param || depth > 4) return GONE;
  if (param.target.k === 'pobj') {
    const target = param.target;
    if ([...STATUS].some((k) => taken(target, k) !== undefined)) return CHECKED;
    const prop = target.props.find((p) => p.key !== null && BODY.has(p.key));
    return prop ? { k: 'read', at: { s: prop.s, e: prop.e } } : GONE;
  }
  return uses(ctx, file, nameOf(param.target), depth);
}

/** Every use of the name that holds the response. */
function uses(ctx: RuleContext, file: SourceFile, binding: number, depth: number): Outcome {
  if (binding < 0) return GONE;
  let read: Outcome | null = null;
  for (const id of usesOf(file, binding)) {
    const prop = memberOn(file, id);
    if (prop !== null) {
      if (STATUS.has(prop)) {
        if (onlyLogged(ctx, file, id)) continue;
        return CHECKED;
      }
      if (
        prop === 'headers' ||
        prop === 'url' ||
        prop === 'statusText' ||
        prop === 'clone' ||
        prop === 'bodyUsed' ||
        prop === 'cookies'
      )
        continue;
      if (!BODY.has(prop)) return GONE;
      const member = file.index.parent(outerCast(file, id));
      if (member?.k !== 'mem') return GONE;
      const outcome = readAt(ctx, file, member);
      if (outcome.k === 'checked') return outcome;
      if (outcome.k === 'read') read ??= outcome;
      continue;
    }
    const at = outerCast(file, id);
    const parent = file.index.parent(at);
    if (parent?.k === 'call' || parent?.k === 'new') {
      if (parent.k === 'call' && isLogCall(ctx.model, file, parent)) continue;
      const target = ctx.model.sites.target(file, parent);
      if (target.k !== 'fn') return GONE;
      const outcome = inFunction(ctx, target.value.file, target.value.fn, parent.args.indexOf(at), depth + 1);
      if (outcome.k === 'checked' || outcome.k === 'gone') return outcome;
      read ??= { k: 'read', at: { s: parent.callee.s, e: parent.callee.e } };
      continue;
    }
    // A test of the response itself (`if (!res)`) says nothing of the status; anything else takes it out of sight.
    if (parent?.k === 'if' || (parent?.k === 'un' && parent.op === '!') || parent?.k === 'expr') continue;
    return GONE;
  }
  return read ?? GONE;
}

function readAt(ctx: RuleContext, file: SourceFile, member: Expr & { k: 'mem' }): Outcome {
  const call = file.index.parent(member);
  const whole: Expr = call?.k === 'call' && call.callee === member ? call : member;
  // undici: `res.body.json()`
  const value = settled(file, whole);
  const parent = file.index.parent(value);
  // `body?.cancel()`, `body.dump()` use nothing of it.
  if (member.prop === 'body' && parent?.k === 'mem' && /^(?:cancel|dump|destroy|resume)$/.test(parent.prop))
    return GONE;
  if (parent?.k === 'expr' || parent?.k === 'if' || (parent?.k === 'un' && parent.op === '!')) return GONE;
  if (isValidated(file, value)) return CHECKED;
  if (parent?.k === 'mem' && VERDICT.test(parent.prop)) return CHECKED;
  // Read for a message alone.
  for (let at: AnyNode | undefined = parent; at; at = file.index.parent(at))
    if (at.k === 'throw' || (at.k === 'call' && isLogCall(ctx.model, file, at))) return GONE;
  const held = takenBy(file, value);
  if (held && bodyIsJudged(file, held.target)) return CHECKED;
  return { k: 'read', at: { s: member.s, e: member.e } };
}

/** The parsed body goes through a schema, whose failure ends the call. */
function isValidated(file: SourceFile, value: Expr): boolean {
  const parent = file.index.parent(value);
  if (parent?.k !== 'call' || !parent.args.includes(value)) return false;
  const name =
    parent.callee.k === 'mem' ? parent.callee.prop : parent.callee.k === 'id' ? parent.callee.name : '';
  return (
    /^(?:parse|safeParse|parseAsync|safeParseAsync|validate\w*|assert\w*|decode\w*|check\w*|is[A-Z]\w*|ensure\w*|cast)$/.test(
      name,
    ) &&
    !/^JSON$/.test(parent.callee.k === 'mem' && parent.callee.obj.k === 'id' ? parent.callee.obj.name : '')
  );
}

/** The code looks at a field by which the body tells of failure, or hands the body to a schema. */
function bodyIsJudged(file: SourceFile, target: Parameters<typeof nameOf>[0]): boolean {
  if (target.k === 'pobj') return target.props.some((p) => p.key !== null && VERDICT.test(p.key));
  const binding = nameOf(target);
  if (binding < 0) return false;
  for (const id of usesOf(file, binding)) {
    const prop = memberOn(file, id);
    if (prop !== null && VERDICT.test(prop)) return true;
    const at = outerCast(file, id);
    if (isValidated(file, at)) return true;
    const parent = file.index.parent(at);
    // `'error' in data`, `JSON.parse(text)` that is judged in turn, `const { error } = data`
    if (parent?.k === 'bin' && parent.op === 'in') return true;
    const held = takenBy(file, at);
    if (held?.target.k === 'pobj' && bodyIsJudged(file, held.target)) return true;
    // `const [code, message] = parse(body)`
    if (parent?.k === 'call' && parent.args.includes(at)) {
      const parts = takenBy(file, settled(file, parent))?.target;
      if (parts?.k === 'parr' && parts.items.some((i) => i?.k === 'pid' && VERDICT.test(i.name))) return true;
      if (parts?.k === 'pobj' && bodyIsJudged(file, parts)) return true;
    }
    if (parent?.k === 'call' && parent.callee.k === 'mem' && parent.callee.prop === 'parse') {
      const again = takenBy(file, settled(file, parent));
      if (isValidated(file, settled(file, parent)) || (again && bodyIsJudged(file, again.target)))
        return true;
    }
  }
  return false;
}

function onlyLogged(ctx: RuleContext, file: SourceFile, id: Expr): boolean {
  for (let at = file.index.parent(id); at; at = file.index.parent(at)) {
    if (at.k === 'call') return isLogCall(ctx.model, file, at);
    if (at.k === 'if' || at.k === 'cond' || at.k === 'bin' || at.k === 'ret') return false;
  }
  return false;
}

function fixesFor(site: Site, host: string | null): FixDraft[] {
  const { file } = site;
  const value = settled(file, site.node as Expr);
  const held = takenBy(file, value);
  if (held?.holder.k !== 'var' || held.holder.decls.length !== 1 || value.k !== 'await') return [];
  const binding = nameOf(held.target);
  if (binding < 0) return [];
  const name = file.facts.bindings[binding]?.name ?? '';
  const statement = held.holder;
  const parent = file.index.parent(statement);
  if (parent?.k === 'for') return [];
  const undici = site.target.k === 'lib' && site.target.spec.returns === 'Answer';
  const status = undici ? `${name}.statusCode` : `${name}.status`;
  const test = undici ? `${status} >= 400` : `!${name}.ok`;
  return [
    {
      id: 'throw-on-error-status',
      title: 'Throw when the status is an error',
      kind: 'safe',
      edits: () => {
        const line = `if (${test}) throw new Error(\`${host ?? 'The other side'} answered \${${status}}\`)${usesSemicolons(file.text) ? ';' : ''}`;
        return [{ file: file.path, edits: [insertAfter(file.text, statement, [line])] }];
      },
    },
  ];
}

export const examples: readonly RuleExample[] = [
  {
    title: 'An error page taken for a price list',
    bad: `export async function prices(sku: string) {
  const res = await fetch(\`https://prices.example.com/\${sku}\`);
  const list = await res.json();
  return list.items;
}
`,
    good: `export async function prices(sku: string) {
  const res = await fetch(\`https://prices.example.com/\${sku}\`);
  if (!res.ok) throw new Error(\`prices.example.com answered \${res.status}\`);
  const list = await res.json();
  return list.items;
}
`,
    fixed: `export async function prices(sku: string) {
  const res = await fetch(\`https://prices.example.com/\${sku}\`);
  if (!res.ok) throw new Error(\`prices.example.com answered \${res.status}\`);
  const list = await res.json();
  return list.items;
}
`,
  },
];
