/** What belongs to one request, kept where every request sees it. */
import type { Assign, Expr } from '../facts/ir.ts';
import { boundBy, some, uncast, walk } from '../facts/walk.ts';
import { defineRule, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { usesOf } from './_kit/uses.ts';

export const rule = defineRule({
  id: 'request-state-in-module',
  lens: 'concurrency',
  axis: 'data-consistency',
  faultClass: 'trust',
  severity: 'high',
  blocking: true,
  stage: 'experimental',
  since: '0.2.0',
  docs: {
    what: 'A request handler writes the user, tenant, headers or body of its request into a variable of the module, and other code reads it from there.',
    why: "One process serves many requests at a time. While one waits, the next overwrites the variable: the first goes on as the second one's user, and reads or changes what is not theirs.",
    remedy:
      'Hand it on as a parameter, keep it on the request, or in an `AsyncLocalStorage` that is entered once per request.',
    whenNot: 'A process that serves one request at a time.',
  },
  incidents: ['cross-tenant-leak'],
  fixKind: 'none',
  detect(ctx) {
    const done = new Set<number>();
    for (const { unit, file, fn } of ctx.units) {
      if (file !== ctx.file || unit.kind !== 'http' || done.has(fn)) continue;
      done.add(fn);
      check(ctx, fn);
    }
  },
});

const PERSONAL =
  /user|tenant|account|session|auth|token|locale|lang|currentreq|request|req$|org|workspace|customer|viewer|principal|permission|role|cookie|header|body|ip$/i;

function check(ctx: RuleContext, fn: number): void {
  const { file } = ctx;
  const own = file.facts.functions[fn];
  if (!own) return;
  const [request] = own.params;
  if (!request) return;
  const params = boundBy(request.target);
  for (const st of own.body)
    walk(st, (n) => {
      if (n.k === 'asg' && n.op === '=') written(ctx, n, params);
    });
}

function written(ctx: RuleContext, write: Assign, params: ReadonlySet<number>): void {
  const { file } = ctx;
  if (write.target.k !== 'id') return;
  const { b, name } = write.target;
  const binding = file.facts.bindings[b];
  if (!binding || binding.fn !== 0 || (binding.kind !== 'let' && binding.kind !== 'var')) return;
  if (
    !isOfRequest(write.value, params) ||
    !PERSONAL.test(`${name} ${file.text.slice(write.value.s, write.value.e)}`)
  )
    return;
  // Only a value that somebody reads in a function can be the wrong one's.
  const reads = usesOf(file, b).filter((u) => file.index.innermost(u.s) !== 0);
  if (reads.length === 0) return;
  ctx.report({
    at: write.target,
    message: `\`${name}\` holds what came with one request, and every request writes it: while this one waits, another overwrites it, and this one goes on with the other's.`,
    trigger: 'two requests at the same time',
    scenario: `At \`${name}\`, when a second request comes while the first one waits, then the first reads what belongs to the second.`,
    detection: 'When a user sees the data of another: nothing fails.',
    fix: `Hand \`${name}\` on as a parameter, or keep it in an \`AsyncLocalStorage\`.`,
    anchor: name,
  });
}

/** `req.user`, `req.headers['x-tenant']`, `req`: taken from the request as it is. */
function isOfRequest(expr: Expr, params: ReadonlySet<number>): boolean {
  const inner = uncast(expr);
  switch (inner.k) {
    case 'id':
      return params.has(inner.b);
    case 'mem':
    case 'idx':
      return isOfRequest(inner.obj, params);
    case 'bin':
      return (inner.op === '??' || inner.op === '||') && isOfRequest(inner.l, params);
    case 'call':
      return (
        inner.callee.k === 'mem' &&
        /^(?:get|header|param|query)$/.test(inner.callee.prop) &&
        some(inner.callee.obj, (n) => n.k === 'id' && params.has(n.b))
      );
    default:
      return false;
  }
}

export const examples: readonly RuleExample[] = [
  {
    title: 'The user of a request in a variable of the module',
    bad: `import express from 'express';
const app = express();
let tenant: string | undefined;

async function list() {
  const response = await fetch(\`https://data.example.com/\${tenant}\`, { signal: AbortSignal.timeout(1000) });
  return response.json();
}
app.get('/items', async (req, res) => {
  tenant = req.headers['x-tenant'] as string;
  res.json(await list());
});
`,
    good: `import express from 'express';
const app = express();

async function list(tenant: string) {
  const response = await fetch(\`https://data.example.com/\${tenant}\`, { signal: AbortSignal.timeout(1000) });
  return response.json();
}
app.get('/items', async (req, res) => {
  res.json(await list(req.headers['x-tenant'] as string));
});
`,
  },
];
