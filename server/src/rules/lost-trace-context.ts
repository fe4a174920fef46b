/** A call that breaks the chain of request ids. */
import type { Obj } from '../facts/ir.ts';
import { uncast } from '../facts/walk.ts';
import { addProperty } from '../fixes/edits.ts';
import { versionOf } from '../model/bounds.ts';
import { readOption, stringOf } from '../model/options.ts';
import type { Site } from '../model/sites.ts';
import { defineRule, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { calleeName } from './_kit/text.ts';

export const rule = defineRule({
  id: 'lost-trace-context',
  lens: 'partial-failure',
  axis: 'operational-visibility',
  faultClass: 'observability',
  severity: 'low',
  blocking: false,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'A function hands the request or trace id on with some of its outgoing calls and not with another one to the same host.',
    why: 'The log of the called service cannot be joined to the request that caused it. Whoever looks for the cause of a failure loses the trail exactly there.',
    remedy: 'Send the same header with every call of the unit, best by a client that adds it.',
    whenNot: 'Tracing that adds the header by itself is set up.',
  },
  incidents: ['missing-tracing'],
  fixKind: 'previewed',
  detect(ctx) {
    const byOwner = new Map<number, Site[]>();
    for (const site of ctx.sites) {
      if (site.effect?.kind !== 'http' || site.effect.confidence !== 'shown' || site.node.k !== 'call')
        continue;
      const owner = ctx.model.outermost(ctx.file, site.fn);
      if (owner === 0) continue;
      const list = byOwner.get(owner);
      if (list) list.push(site);
      else byOwner.set(owner, [site]);
    }
    for (const sites of byOwner.values()) if (sites.length > 1) check(ctx, sites);
  },
});

const TRACE =
  /^(?:x-)?(?:request|correlation|trace|transaction)-?id$|^traceparent$|^x-b3-traceid$|^x-cloud-trace-context$|^x-amzn-trace-id$/i;
/** Packages that add the header to every call. */
const AUTOMATIC = [
  '@opentelemetry/api',
  '@opentelemetry/sdk-node',
  'dd-trace',
  'newrelic',
  'elastic-apm-node',
  '@sentry/node',
  '@sentry/nextjs',
  '@vercel/otel',
];

interface Sent {
  readonly site: Site;
  readonly headers: Obj | null;
  readonly header: string | null;
  readonly value: string | null;
  readonly host: string | null;
}

function check(ctx: RuleContext, sites: readonly Site[]): void {
  const sent = sites.map((s) => sentBy(ctx, s));
  const known = sent.filter((s): s is Sent => s !== null);
  const example = known.find((s) => s.header !== null);
  if (!example) return;
  if (AUTOMATIC.some((p) => isInstalled(ctx, p))) return;
  for (const other of known) {
    // Another host need not know our ids, and must not be told what else they hold.
    if (other.header !== null || other.host === null || other.host !== example.host) continue;
    const name = calleeName(other.site);
    const { header, value } = example;
    ctx.report({
      at: other.site.node.k === 'tag' ? other.site.node.tag : other.site.node.callee,
      message: `The trail of a request ends here: the other calls send \`${header}\` and this one does not.`,
      trigger: 'somebody looks for the cause of a failure',
      scenario: `At \`${name}\`, when the called service logs an error, then it has no id that leads back to the request.`,
      detection: 'When somebody looks for the request in the log of the other service.',
      fix: `Send \`${header}\` with this call, too.`,
      anchor: name,
      fixes: fixFor(ctx, other, header, value),
    });
  }
}

function isInstalled(ctx: RuleContext, name: string): boolean {
  return versionOf(ctx.model.sites, ctx.file, { packages: [name], assumedVersion: '' }).from !== 'assumed';
}

/** Null where the headers cannot be read or a client may add its own. */
function sentBy(ctx: RuleContext, site: Site): Sent | null {
  const { node, file, effect } = site;
  if (node.k !== 'call' || effect?.pack?.id !== 'fetch') return null;
  const options = node.args[1];
  const read = readOption(ctx.model.values, file, node, { arg: 1, path: 'headers' });
  if (read.k === 'unknown') return null;
  const url = node.args[0] ? stringOf(ctx.model.values, file, node.args[0]) : null;
  const start = node.args[0] ? uncast(node.args[0]) : null;
  // The base: what stands before the path, a literal host or the expression that holds it.
  const base =
    url === null
      ? null
      : url.startsWith('$?') && start?.k === 'tmpl' && start.exprs[0]
        ? file.text.slice(start.exprs[0].s, start.exprs[0].e)
        : (/^https?:\/\/([^/$]+)/.exec(url)?.[1] ?? null);
  if (read.k === 'absent') {
    if (options && uncast(options).k !== 'obj') return null;
    return { site, headers: null, header: null, value: null, host: base };
  }
  const headers = uncast(read.expr);
  if (headers.k !== 'obj' || headers.props.some((p) => p.kind === 'spread' || p.key === null)) return null;
  const trace = headers.props.find((p) => p.key !== null && TRACE.test(p.key));
  return {
    site,
    headers: read.file === file ? headers : null,
    header: trace?.key ?? null,
    value: trace ? read.file.text.slice(trace.value.s, trace.value.e) : null,
    host: base,
  };
}

function fixFor(ctx: RuleContext, sent: Sent, header: string | null, value: string | null) {
  const { headers } = sent;
  // A value that is a plain name or member reads the same in both places where both are in one function.
  if (!headers || !header || !value || !/^[\w.]+$/.test(value)) return [];
  return [
    {
      id: 'send-trace-header',
      title: `Send \`${header}\``,
      kind: 'previewed' as const,
      edits: () => [
        {
          file: ctx.file.path,
          edits: [
            addProperty(ctx.file.text, headers, `${/^\w+$/.test(header) ? header : `'${header}'`}: ${value}`),
          ],
        },
      ],
    },
  ];
}

export const examples: readonly RuleExample[] = [
  {
    title: 'An order whose trail ends at the stock service',
    bad: `const base = process.env.INTERNAL_API;
export async function reserve(requestId: string, id: string) {
  await fetch(\`\${base}/orders/\${id}\`, { method: 'POST', headers: { 'x-request-id': requestId } });
  await fetch(\`\${base}/stock/\${id}\`, { method: 'POST', headers: { accept: 'application/json' } });
}
`,
    good: `const base = process.env.INTERNAL_API;
export async function reserve(requestId: string, id: string) {
  await fetch(\`\${base}/orders/\${id}\`, { method: 'POST', headers: { 'x-request-id': requestId } });
  await fetch(\`\${base}/stock/\${id}\`, { method: 'POST', headers: { 'x-request-id': requestId } });
}
`,
    fixed: `const base = process.env.INTERNAL_API;
export async function reserve(requestId: string, id: string) {
  await fetch(\`\${base}/orders/\${id}\`, { method: 'POST', headers: { 'x-request-id': requestId } });
  await fetch(\`\${base}/stock/\${id}\`, { method: 'POST', headers: { accept: 'application/json', 'x-request-id': requestId } });
}
`,
  },
];
