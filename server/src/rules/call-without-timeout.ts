/** A network call that nothing ends. */
import { addArgument, addProperty, replaceNode } from '../fixes/edits.ts';
import { uncast } from '../facts/walk.ts';
import { proposedTimeout } from '../model/hints.ts';
import type { Bounds } from '../model/bounds.ts';
import { isNothing } from '../model/options.ts';
import type { Site } from '../model/sites.ts';
import { detectionWhenHeld } from './_kit/detection.ts';
import { defineRule, type FixDraft, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { calleeName, duration } from './_kit/text.ts';
import { reportedWithClient, unboundedClient } from './_kit/clients.ts';
import { startedTogether } from './_kit/together.ts';
import { isOwnFile, urlHost } from './_kit/url.ts';

export const rule = defineRule({
  id: 'call-without-timeout',
  lens: 'clock',
  axis: 'cascading-failure',
  faultClass: 'network',
  severity: 'high',
  blocking: true,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'A call that leaves the process (HTTP, an SDK, a broker connection) has no bound on its total time: not in its options, not on its client, not through a signal, not through what runs around it, and its library has no finite default.',
    why: 'When the other side accepts the connection and then says nothing, or sends a byte now and then, the call does not end in any useful time. The request, its memory and whatever it holds (a connection, a lock, a worker slot) stay taken. Enough of them and the whole service stops answering, though nothing of its own is broken.',
    remedy:
      'Give the call a total deadline: `signal: AbortSignal.timeout(ms)` where the library takes a signal, its own timeout option where it does not. Pass an existing signal on with `AbortSignal.any`.',
    whenNot:
      'Streams and long polls that are meant to stay open, with a heartbeat that ends them when the other side is gone.',
  },
  incidents: ['missing-timeout', 'cascading-failure'],
  fixKind: 'safe',
  detect(ctx) {
    for (const site of ctx.sites) {
      check(ctx, site);
      checkClient(ctx, site);
    }
  },
});

/** A client whose maker takes a bound for all its calls is one gap, where it is made. */
function checkClient(ctx: RuleContext, site: Site): void {
  const made = unboundedClient(ctx, site);
  if (!made || made.bounds.set.length > 0 || made.bounds.toothless.length > 0 || site.node.k === 'tag')
    return;
  const { node, file } = site;
  const name = calleeName(site);
  const library = made.library;
  const how = made.spec.clientFix;
  // Options that are built beforehand are where the bound is missing.
  const given = how ? node.args[how.arg] : undefined;
  const binding =
    given && uncast(given).k === 'id' ? file.facts.bindings[(uncast(given) as { b: number }).b] : undefined;
  const built =
    binding?.decl?.k === 'init' && binding.decl.path.length === 0 && uncast(binding.decl.init).k === 'obj'
      ? binding
      : null;
  ctx.report({
    at: built ? { s: built.s, e: built.s + built.name.length } : { s: node.callee.s, e: node.callee.e },
    message: `If the other side hangs, every call of this ${library} client hangs with it: nothing bounds their total time.`,
    trigger: 'the other side accepts the connection and does not answer',
    scenario: `At any call of the client made by \`${name}\`, when the other side stops answering, then the call waits for as long as the connection stands, and what it holds stays taken.`,
    detection: detectionWhenHeld(ctx, site),
    fix: `Give the client that \`${name}\` makes a timeout for its calls.`,
    anchor: name,
    fixes: how
      ? [
          {
            id: 'add-client-timeout',
            title: 'Add a timeout to the client',
            kind: 'safe',
            edits: () => {
              const property = how.property.replace('$ms', String(ctx.model.hints.timeouts.default));
              const arg = node.args[how.arg];
              if (!arg)
                return node.args.some((a) => a.k === 'spread')
                  ? null
                  : [{ file: file.path, edits: [addArgument(file.text, node, how.arg, `{ ${property} }`)] }];
              const inner = built?.decl?.k === 'init' ? uncast(built.decl.init) : uncast(arg);
              if (inner.k !== 'obj' || inner.props.some((p) => p.key === property.split(':')[0])) return null;
              return [{ file: file.path, edits: [addProperty(file.text, inner, property)] }];
            },
          },
        ]
      : [],
  });
}

function check(ctx: RuleContext, site: Site): void {
  const { effect } = site;
  if (!effect?.spec.timeout || !effect.network || effect.confidence !== 'shown') return;
  // A pool or client bounds its queries where it is made; each query without a bound would be one finding per line.
  if (effect.kind === 'db' || effect.kind === 'cache') return;
  if (reportedWithClient(site)) return;
  const bounds = ctx.model.bounds.of(site);
  if (!bounds || bounds.unknown) return;
  const { total } = bounds.parts;
  if (total !== null && total !== undefined) return;
  if (bounds.signal !== null) return;
  // A timer that is there and too weak is another gap with another repair.
  if (bounds.set.length > 0 || bounds.toothless.length > 0) return;
  if (isStreaming(site) || isOwnFile(site)) return;
  const name = calleeName(site);
  const host = urlHost(ctx.model, site);
  const who = host ? `\`${host}\`` : 'the other side';
  const ignored = bounds.ignored[0];
  ctx.report({
    at: (site.node.k === 'tag' ? site.node.tag : site.node.callee) as { s: number; e: number },
    message: ignored
      ? `If ${who} hangs, this call hangs with it: ${effect.library} does not read the option \`${ignored}\`.`
      : `If ${who} hangs, this call hangs with it: nothing bounds its total time.`,
    trigger: `${who} accepts the connection and does not answer, or answers without end`,
    scenario: `At \`${name}\`, when ${who} stops answering, then ${held(bounds)}, and what it holds stays taken.`,
    detection: detectionWhenHeld(ctx, site),
    fix: `Give \`${name}\` a total deadline.`,
    anchor: name,
    ...(host ? { cause: `${site.fn} ${name} ${host}` } : startedTogether(site.file, site.top)),
    fixes: fixesFor(ctx, site, ignored),
  });
}

/** What the library's own partial limits leave: a silent peer is cut late, one that sends a byte now and then never. */
function held(bounds: Bounds): string {
  const { headers, idle } = bounds.parts;
  const silence = [headers, idle].filter((n): n is number => typeof n === 'number');
  return silence.length === 2
    ? `the call waits ${duration(Math.max(...silence))} for each silence, and without end for a peer that sends a byte now and then`
    : 'the call waits for as long as the connection stands';
}

/** Server-sent events and long polls stay open on purpose. */
function isStreaming(site: Site): boolean {
  if (site.node.k === 'tag') return false;
  const text = site.file.text.slice(site.node.s, site.node.e);
  return /text\/event-stream|responseType:\s*['"]stream['"]/.test(text);
}

function fixesFor(ctx: RuleContext, site: Site, ignored: string | undefined): FixDraft[] {
  const how = site.effect?.spec.timeout?.fix;
  const { node, file } = site;
  if (!how || node.k === 'tag' || how.style === 'instance') return [];
  const ms = proposedTimeout(ctx.model.hints, site.effect);
  const value =
    how.style === 'signal' ? `AbortSignal.timeout(${ms})` : (how.value ?? '$ms').replace('$ms', String(ms));
  const key = how.path.split('.')[0] ?? how.path;
  const nested = how.path
    .split('.')
    .slice(1)
    .reverse()
    .reduce((inner, part) => `{ ${part}: ${inner} }`, value);
  const property = `${key}: ${nested}`;
  return [
    {
      id: 'add-timeout',
      title: how.style === 'signal' ? 'Add an AbortSignal timeout' : `Add \`${how.path}\``,
      kind: 'safe',
      edits: () => {
        const arg = node.args[how.arg];
        if (!arg) {
          if (node.args.some((a) => a.k === 'spread')) return null;
          return [{ file: file.path, edits: [addArgument(file.text, node, how.arg, `{ ${property} }`)] }];
        }
        const inner = uncast(arg);
        if (inner.k === 'obj') {
          const wrong = ignored ? inner.props.find((p) => p.key === ignored) : undefined;
          if (wrong) return [{ file: file.path, edits: [replaceNode(wrong, property)] }];
          const existing = inner.props.find((p) => p.key === key);
          if (existing) return [{ file: file.path, edits: [replaceNode(existing, property)] }];
          return [{ file: file.path, edits: [addProperty(file.text, inner, property)] }];
        }
        if (isNothing(inner)) return [{ file: file.path, edits: [replaceNode(arg, `{ ${property} }`)] }];
        const text = file.text.slice(arg.s, arg.e);
        return [
          {
            file: file.path,
            edits: [replaceNode(arg, `{ ...${/^[\w$.]+$/.test(text) ? text : `(${text})`}, ${property} }`)],
          },
        ];
      },
    },
  ];
}

export const examples: readonly RuleExample[] = [
  {
    title: 'A rate look-up during checkout',
    bad: `export async function rate(currency: string) {
  const res = await fetch(\`https://rates.example.com/\${currency}\`);
  if (!res.ok) throw new Error(\`rates answered \${res.status}\`);
  return res.json();
}
`,
    good: `export async function rate(currency: string) {
  const res = await fetch(\`https://rates.example.com/\${currency}\`, { signal: AbortSignal.timeout(2000) });
  if (!res.ok) throw new Error(\`rates answered \${res.status}\`);
  return res.json();
}
`,
    fixed: `export async function rate(currency: string) {
  const res = await fetch(\`https://rates.example.com/\${currency}\`, { signal: AbortSignal.timeout(10000) });
  if (!res.ok) throw new Error(\`rates answered \${res.status}\`);
  return res.json();
}
`,
  },
];
