/** A bound that does not end the call. */
import type { BoundPart } from '../packs/contract.ts';
import { addArgument, addProperty, replaceNode } from '../fixes/edits.ts';
import { uncast } from '../facts/walk.ts';
import { proposedTimeout } from '../model/hints.ts';
import type { Bounds } from '../model/bounds.ts';
import type { Site } from '../model/sites.ts';
import { unboundedClient, reportedWithClient } from './_kit/clients.ts';
import { detectionWhenHeld } from './_kit/detection.ts';
import { defineRule, type FixDraft, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { calleeName, duration } from './_kit/text.ts';
import { urlHost } from './_kit/url.ts';

export const rule = defineRule({
  id: 'weak-timeout',
  lens: 'clock',
  axis: 'cascading-failure',
  faultClass: 'gray-failure',
  severity: 'medium',
  blocking: false,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'A call has a timer that does not bound the whole of it: it covers the connection, the headers or the gap between two bytes only, it just logs a warning, or it emits an event that no listener turns into an end.',
    why: 'The code looks protected. A peer that answers slowly enough, one byte at a time, or that stalls in the phase without a timer, still holds the call for ever, and whoever reads the code looks elsewhere for the cause.',
    remedy:
      'Add a total bound beside it: an abort signal, the option that covers the whole request, or a `timeout` listener that destroys the request.',
    whenNot: 'A download or stream whose length is not known, where only a stall is a failure.',
  },
  incidents: ['missing-timeout', 'gray-failure'],
  fixKind: 'safe',
  detect(ctx) {
    for (const site of ctx.sites) {
      check(ctx, site);
      checkClient(ctx, site);
    }
  },
});

const COVERS: Readonly<Record<BoundPart, string>> = {
  connect: 'the time to connect',
  acquire: 'the wait for a connection',
  headers: 'the time to the headers',
  idle: 'the gap between two bytes',
  total: 'the whole',
};

function check(ctx: RuleContext, site: Site): void {
  const { effect } = site;
  if (!effect?.spec.timeout || !effect.network || effect.confidence !== 'shown' || site.node.k === 'tag')
    return;
  // For making a connection, the time to connect is the whole.
  if (
    effect.kind === 'db' ||
    effect.kind === 'cache' ||
    effect.kind === 'connection' ||
    reportedWithClient(site)
  )
    return;
  const bounds = ctx.model.bounds.of(site);
  if (!bounds || bounds.unknown || bounds.signal !== null) return;
  const { total } = bounds.parts;
  if (total !== null && total !== undefined) return;
  if (
    /text\/event-stream|responseType:\s*['"]stream['"]/.test(site.file.text.slice(site.node.s, site.node.e))
  )
    return;
  report(ctx, site, bounds, 'this call');
}

function checkClient(ctx: RuleContext, site: Site): void {
  const made = unboundedClient(ctx, site);
  if (made) report(ctx, site, made.bounds, 'a call of this client');
}

function report(ctx: RuleContext, site: Site, bounds: Bounds, what: string): void {
  if (site.node.k === 'tag') return;
  const weak = weakness(bounds);
  if (!weak) return;
  const name = calleeName(site);
  const host = urlHost(ctx.model, site);
  const who = host ? `\`${host}\`` : 'the other side';
  ctx.report({
    at: { s: site.node.callee.s, e: site.node.callee.e },
    message: `When ${who} stalls, ${what} hangs though a timer is set: ${weak}.`,
    trigger: `${who} stalls or drips in the phase that has no timer`,
    scenario: `At \`${name}\`, when ${who} stops halfway, then the timer does not end it: ${weak}.`,
    detection: detectionWhenHeld(ctx, site),
    fix: `Give \`${name}\` a total deadline beside its timer.`,
    anchor: name,
    fixes: fixesFor(ctx, site),
  });
}

function weakness(bounds: Bounds): string | null {
  const silent = bounds.toothless[0];
  if (silent === 'timeout') return 'the `timeout` event ends nothing unless a listener destroys the request';
  if (silent) return `\`${silent}\` only logs a warning`;
  if (bounds.set.length === 0) return null;
  const parts = bounds.set.map((p) => {
    const ms = bounds.parts[p];
    return `${COVERS[p]}${typeof ms === 'number' ? ` (${duration(ms)})` : ''}`;
  });
  return `it covers only ${parts.join(' and ')}`;
}

function fixesFor(ctx: RuleContext, site: Site): FixDraft[] {
  const how = site.effect?.spec.timeout?.fix;
  const { node, file } = site;
  if (!how || node.k === 'tag' || how.style === 'instance') return [];
  const ms = String(proposedTimeout(ctx.model.hints, site.effect));
  const value = how.style === 'signal' ? `AbortSignal.timeout(${ms})` : ms;
  const [key = how.path, ...inside] = how.path.split('.');
  const nested = inside.reverse().reduce((inner, part) => `{ ${part}: ${inner} }`, value);
  const property = `${key}: ${nested}`;
  return [
    {
      id: 'add-total-bound',
      title: how.style === 'signal' ? 'Add an AbortSignal timeout' : `Add \`${how.path}\``,
      kind: 'safe',
      edits: () => {
        const arg = node.args[how.arg];
        if (!arg)
          return node.args.some((a) => a.k === 'spread')
            ? null
            : [{ file: file.path, edits: [addArgument(file.text, node, how.arg, `{ ${property} }`)] }];
        const obj = uncast(arg);
        if (obj.k !== 'obj') return null;
        const existing = obj.props.find((p) => p.key === key);
        if (!existing) return [{ file: file.path, edits: [addProperty(file.text, obj, property)] }];
        const held = uncast(existing.value);
        // `timeout: { response: 500 }` keeps its phases.
        if (held.k === 'obj' && inside.length > 0)
          return [{ file: file.path, edits: [addProperty(file.text, held, `${inside[0] ?? ''}: ${value}`)] }];
        return [{ file: file.path, edits: [replaceNode(existing, property)] }];
      },
    },
  ];
}

export const examples: readonly RuleExample[] = [
  {
    title: 'A bound on the headers alone',
    bad: `import got from 'got';
export async function invoice(id: string) {
  return got(\`https://billing.example.com/\${id}\`, { timeout: { response: 2000 } }).json();
}
`,
    good: `import got from 'got';
export async function invoice(id: string) {
  return got(\`https://billing.example.com/\${id}\`, { timeout: { request: 2000 } }).json();
}
`,
    fixed: `import got from 'got';
export async function invoice(id: string) {
  return got(\`https://billing.example.com/\${id}\`, { timeout: { response: 2000, request: 10000 } }).json();
}
`,
  },
];
