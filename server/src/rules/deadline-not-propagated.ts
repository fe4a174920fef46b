/** A call that does not hear when its caller gives up. */
import { addArgument, addProperty } from '../fixes/edits.ts';
import type { Expr } from '../facts/ir.ts';
import { uncast } from '../facts/walk.ts';
import { readOption } from '../model/options.ts';
import type { Site } from '../model/sites.ts';
import { detectionWhenHeld } from './_kit/detection.ts';
import { signalGap, type SignalGap } from './_kit/signalTakers.ts';
import { usesOf } from './_kit/uses.ts';
import { defineRule, type FixDraft, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { calleeName, duration } from './_kit/text.ts';

export const rule = defineRule({
  id: 'deadline-not-propagated',
  lens: 'clock',
  axis: 'cascading-failure',
  faultClass: 'network',
  severity: 'medium',
  blocking: false,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'A function is given an abort signal and makes a network call, calls a function that takes a signal, or pauses, without passing it on. Or it makes an `AbortController` whose signal reaches nothing.',
    why: 'When the caller gives up, by a deadline or because the client is gone, this call goes on: it keeps its connection and its memory and loads the other side with work whose result nobody reads. Under overload most of the work is of that kind.',
    remedy:
      'Pass the signal on; where the call has a time limit of its own, join both with `AbortSignal.any`.',
    whenNot: 'The call must be finished though its caller has gone, such as an audit record.',
  },
  incidents: ['cascading-failure', 'wasted-work'],
  fixKind: 'safe',
  detect(ctx) {
    for (const site of ctx.sites) {
      check(ctx, site);
      checkTaker(ctx, site);
    }
  },
});

function check(ctx: RuleContext, site: Site): void {
  const { effect, node, file } = site;
  const at = effect?.spec.timeout?.signal?.[0];
  if (!effect?.network || !at || node.k === 'tag' || effect.confidence !== 'shown') return;
  const signal = signalInScope(site) ?? idleController(site);
  if (!signal) return;
  for (const place of effect.spec.timeout?.signal ?? [])
    if (readOption(ctx.model.values, file, node, place).k !== 'absent') return;
  // A call under a policy or a race is ended with it.
  if (ctx.model.bounds.of(site)?.by === 'the call around it') return;
  // Cleaning up after the abort must not be aborted itself.
  for (const frame of ctx.model.frames.around(file, node, site.fn))
    if (frame.k === 'catch' || frame.k === 'finally') return;
  const name = calleeName(site);
  ctx.report({
    at: { s: node.callee.s, e: node.callee.e },
    message: `When the caller gives up, \`${name}\` goes on: it is not given \`${signal}\`.`,
    trigger: `\`${signal}\` is aborted while the call is on its way`,
    scenario: `At \`${name}\`, when \`${signal}\` is aborted, then the call goes on until it is answered or a bound of its own ends it.`,
    detection: detectionWhenHeld(ctx, site),
    fix: `Pass \`${signal}\` to \`${name}\`.`,
    anchor: name,
    fixes: fixesFor(site, at.arg === 'last' ? -1 : at.arg, at.path, signal),
  });
}

/** Functions that take a signal, and pauses that a caller who gives up has to sit out. */
function checkTaker(ctx: RuleContext, site: Site): void {
  const gap = signalGap(ctx, site);
  const signal = gap && signalInScope(site);
  if (!gap || !signal || site.node.k === 'tag') return;
  const { node, file } = site;
  const name = gap.k === 'pause' && !gap.listens ? 'setTimeout' : calleeName(site);
  // What ends or cleans up runs to its end.
  if (/abort|cancel|clean|close|release|rollback|dispose|finali[sz]e|linked|combine|merge|any/i.test(name))
    return;
  for (const frame of ctx.model.frames.around(file, node, site.fn)) {
    if (frame.k === 'finally') return;
    // In a handler a pause comes before the next attempt; other calls clean up.
    if (frame.k === 'catch' && gap.k !== 'pause') return;
    if (frame.k === 'function') break;
  }
  if (isRaced(site)) return;
  const pause =
    gap.k === 'pause' ? `the pause${gap.ms === null ? '' : ` of ${duration(gap.ms)}`}` : `\`${name}\``;
  ctx.report({
    at: { s: node.callee.s, e: node.callee.e },
    message:
      gap.k === 'pause'
        ? `When the caller gives up, ${pause} is waited out all the same: it does not hear \`${signal}\`.`
        : `When the caller gives up, ${pause} goes on: it takes a signal and is not given \`${signal}\`.`,
    trigger: `\`${signal}\` is aborted while the call is on its way`,
    scenario: `At \`${name}\`, when \`${signal}\` is aborted, then ${pause} goes on to its end, and so does what waits for it.`,
    detection: 'When a stop or a cancelled request takes longer than it ought to: nothing fails.',
    fix:
      gap.k === 'pause'
        ? `Use \`setTimeout\` of \`node:timers/promises\` with \`{ signal: ${signal} }\`.`
        : `Pass \`${signal}\` to \`${name}\`.`,
    anchor: name,
    ...(gap.k === 'pause' ? { severity: 'low' as const } : {}),
    fixes: takerFixes(site, gap, signal),
  });
}

function isRaced(site: Site): boolean {
  for (const at of site.file.index.ancestors(site.node))
    if (at.k === 'call' && /^Promise\.(?:race|any)$/.test(site.file.text.slice(at.callee.s, at.callee.e)))
      return true;
  return false;
}

function isAbortText(text: string): boolean {
  return /\bAbort(?:Signal|Controller|Error)\b|\.aborted\b|throwIfAborted/.test(text);
}

function takerFixes(site: Site, gap: SignalGap, signal: string): FixDraft[] {
  const { node, file } = site;
  if (node.k !== 'call') return [];
  const draft = (edits: FixDraft['edits']): FixDraft[] => [
    { id: 'pass-signal', title: 'Pass the signal on', kind: 'safe', edits },
  ];
  if (gap.k === 'argument' && !gap.controller && node.args.length === gap.index)
    return draft(() => [{ file: file.path, edits: [addArgument(file.text, node, gap.index, signal)] }]);
  const obj = gap.k === 'property' && node.args[gap.index] ? uncast(node.args[gap.index] as Expr) : null;
  if (gap.k === 'property' && obj?.k === 'obj')
    return draft(() => [
      {
        file: file.path,
        edits: [addProperty(file.text, obj, gap.key === signal ? signal : `${gap.key}: ${signal}`)],
      },
    ]);
  if (gap.k === 'pause' && gap.listens && node.args.length === 1) {
    const options = signal === 'signal' ? '{ signal }' : `{ signal: ${signal} }`;
    return draft(() => [
      { file: file.path, edits: [addArgument(file.text, node, 1, `undefined, ${options}`)] },
    ]);
  }
  return [];
}

/** A controller made in the function before the call, which is aborted and whose signal nothing gets. */
function idleController(site: Site): string | null {
  const { file, node } = site;
  const root = file.facts.functions[site.fn];
  if (!root || root.id === 0) return null;
  for (const call of file.index.calls[site.fn] ?? []) {
    if (
      call.k !== 'new' ||
      call.s > node.s ||
      call.callee.k !== 'id' ||
      call.callee.name !== 'AbortController' ||
      call.callee.b >= 0
    )
      continue;
    const statement = file.index.parent(call);
    const decl = statement?.k === 'var' ? statement.decls.find((d) => d.init === call) : undefined;
    if (decl?.target.k !== 'pid') continue;
    const uses = usesOf(file, decl.target.b).map((u) => file.index.parent(u));
    if (uses.length > 0 && uses.every((u) => u?.k === 'mem' && u.prop === 'abort'))
      return `${decl.target.name}.signal`;
  }
  return null;
}

/** The text of the signal that the function (or one it is written in) is given as a parameter. */
function signalInScope(site: Site): string | null {
  const { file } = site;
  for (let fn = site.fn; fn > 0; fn = file.facts.functions[fn]?.parent ?? 0) {
    for (const param of file.facts.functions[fn]?.params ?? []) {
      const target = param.target.k === 'pdef' ? param.target.target : param.target;
      if (target.k === 'pid') {
        if (param.type?.name === 'AbortSignal') return target.name;
        // `shutdown(signal: string)` is given the name of a signal of the process.
        if (!param.type && /^(?:abortS|cancelS|s)ignal$/.test(target.name) && isAbortText(file.text))
          return target.name;
        const member = param.type?.members
          ? Object.entries(param.type.members).find(
              ([, t]) =>
                t.name === 'AbortSignal' || (t.name === '|' && t.args.some((a) => a.name === 'AbortSignal')),
            )
          : undefined;
        if (member) return `${target.name}.${member[0]}`;
        if (param.type?.name === '|' && param.type.args.some((a) => a.name === 'AbortSignal'))
          return target.name;
      }
      if (target.k === 'pobj')
        for (const prop of target.props) {
          const inner = prop.value.k === 'pdef' ? prop.value.target : prop.value;
          if (prop.key === null || !/^(?:abortS|s)ignal$/.test(prop.key) || inner.k !== 'pid') continue;
          const type = param.type?.members?.[prop.key];
          if (
            type
              ? type.name === 'AbortSignal' || type.args.some((a) => a.name === 'AbortSignal')
              : isAbortText(file.text)
          )
            return inner.name;
        }
    }
  }
  return null;
}

function fixesFor(site: Site, index: number, path: string, signal: string): FixDraft[] {
  const { file, node } = site;
  if (node.k === 'tag' || index < 0 || path.includes('.')) return [];
  const property = path === signal ? path : `${path}: ${signal}`;
  return [
    {
      id: 'pass-signal',
      title: 'Pass the signal on',
      kind: 'safe',
      edits: () => {
        const arg: Expr | undefined = node.args[index];
        if (!arg)
          return node.args.some((a) => a.k === 'spread')
            ? null
            : [{ file: file.path, edits: [addArgument(file.text, node, index, `{ ${property} }`)] }];
        const obj = uncast(arg);
        return obj.k === 'obj' ? [{ file: file.path, edits: [addProperty(file.text, obj, property)] }] : null;
      },
    },
  ];
}

export const examples: readonly RuleExample[] = [
  {
    title: 'A search that outlives its request',
    bad: `export async function search(term: string, signal: AbortSignal) {
  const res = await fetch(\`https://search.example.com?q=\${term}\`);
  signal.throwIfAborted();
  return res.ok ? res.json() : [];
}
`,
    good: `export async function search(term: string, signal: AbortSignal) {
  const res = await fetch(\`https://search.example.com?q=\${term}\`, { signal });
  signal.throwIfAborted();
  return res.ok ? res.json() : [];
}
`,
    fixed: `export async function search(term: string, signal: AbortSignal) {
  const res = await fetch(\`https://search.example.com?q=\${term}\`, { signal });
  signal.throwIfAborted();
  return res.ok ? res.json() : [];
}
`,
  },
];
