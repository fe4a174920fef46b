/** A process that goes on after an exception that nothing caught. */
import { some } from '../facts/walk.ts';
import type { SourceFile } from '../model/project.ts';
import type { Site } from '../model/sites.ts';
import { defineRule, type RuleContext, type RuleExample } from './_kit/rule.ts';

export const rule = defineRule({
  id: 'continues-after-fatal',
  lens: 'partial-failure',
  axis: 'data-consistency',
  faultClass: 'recovery',
  severity: 'medium',
  blocking: false,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'A listener for `uncaughtException` reports the error and lets the process go on: nothing on its path ends it.',
    why: 'The exception cut off some piece of work in the middle, and nobody knows which. Locks stay taken, transactions open, counters wrong, and a listener or loop that died is gone for good while the health check still says that all is well.',
    remedy:
      'Report the error, give what is running a short time to end, and exit with a code that is not zero.',
    whenNot: 'Desktop programs and command lines that a person watches.',
  },
  incidents: ['zombie-process', 'inconsistent-state'],
  fixKind: 'none',
  detect(ctx) {
    for (const site of ctx.sites) check(ctx, site);
  },
});

const ENDS =
  /exit|abort|kill|shut_?down|terminat|crash|\bdie|graceful|fatal(?:Exit|Handler)|\bstop|quit|close/i;

function check(ctx: RuleContext, site: Site): void {
  const { node, file, target } = site;
  if (node.k !== 'call' || target.k !== 'builtin') return;
  if (!/^process\.(?:on|once|addListener|prependListener)$/.test(target.name)) return;
  const event = node.args[0];
  if (event?.k !== 'lit' || event.value !== 'uncaughtException') return;
  const given = node.args[1];
  const handler = given ? ctx.model.values.of(file, given) : null;
  if (handler?.k !== 'fn') return;
  if (endsProcess(ctx, handler.file, handler.fn) || isWatched(ctx, file, site)) return;
  // Another listener of the file ends the process: this one only reports.
  for (const other of ctx.sites) {
    if (other === site || other.node.k !== 'call' || other.target.k !== 'builtin') continue;
    const first = other.node.args[0];
    if (
      !/^process\.\w+$/.test(other.target.name) ||
      first?.k !== 'lit' ||
      first.value !== 'uncaughtException'
    )
      continue;
    const value = other.node.args[1] ? ctx.model.values.of(file, other.node.args[1]) : null;
    if (value?.k !== 'fn' || endsProcess(ctx, value.file, value.fn)) return;
  }
  ctx.report({
    at: node.callee,
    message:
      'After an exception that nothing caught, the process goes on in a state that nobody knows: this listener keeps it alive.',
    trigger: 'any throw outside a handler: a listener, a timer, a callback of a library',
    scenario:
      'At the listener, when an exception cuts some work off in the middle, then the process goes on taking requests with what that work left behind: locks, open transactions, a dead loop.',
    detection: 'Late, by odd behaviour of one instance: its health check still passes.',
    fix: 'End the process after reporting the error: stop intake, wait briefly, `process.exit(1)`.',
    anchor: 'process.on uncaughtException',
  });
}

/** Some way through the listener leads to an exit, or to something that is named like one. */
function endsProcess(ctx: RuleContext, file: SourceFile, fn: number): boolean {
  const fact = file.facts.functions[fn];
  if (!fact || fact.body.length === 0) return true;
  if (ENDS.test(code(file.text.slice(fact.bs, fact.e)))) return true;
  if (fact.body.some((st) => some(st, (n) => n.k === 'throw'))) return true;
  return ctx.model
    .reach(file, fn)
    .some(
      (r) =>
        r.site.target.k === 'builtin' && /^process\.(?:exit|abort|kill|reallyExit)$/.test(r.site.target.name),
    );
}

function code(text: string): string {
  return text.replace(/'[^'\n]*'|"[^"\n]*"|`[^`]*`|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, '');
}

/** A desktop program, a tool in a terminal, or a process in development. */
function isWatched(ctx: RuleContext, file: SourceFile, site: Site): boolean {
  if (
    file.facts.specifiers.some((s) => /^(?:electron|vscode|commander|yargs|oclif|@oclif\/|ink|cac)/.test(s))
  )
    return true;
  if (
    /(?:^|\/)(?:cli|commands?|bin|dev|devtools?|emulator|repl|desktop|electron|scripts?)(?:\/|[.-])/i.test(
      file.path,
    )
  )
    return true;
  for (const frame of ctx.model.frames.around(file, site.node, site.fn))
    if (frame.k === 'if' && /NODE_ENV|\bdev|debug|test/i.test(file.text.slice(frame.test.s, frame.test.e)))
      return true;
  return false;
}

export const examples: readonly RuleExample[] = [
  {
    title: 'A server that outlives its own crash',
    bad: `import { createServer } from 'node:http';
process.on('uncaughtException', (error) => {
  console.error('uncaught', error);
});
createServer((req, res) => res.end('ok')).listen(3000);
`,
    good: `import { createServer } from 'node:http';
process.on('uncaughtException', (error) => {
  console.error('uncaught', error);
  process.exit(1);
});
createServer((req, res) => res.end('ok')).listen(3000);
`,
  },
];
