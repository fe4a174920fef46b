/** A promise that is kept for others to share, and stays after it has failed. */
import type { Assign, Expr } from '../facts/ir.ts';
import { some, uncast, walk, type AnyNode } from '../facts/walk.ts';
import { lineEnd, indentAt } from '../fixes/edits.ts';
import type { SourceFile } from '../model/project.ts';
import type { Site } from '../model/sites.ts';
import { isOneOff } from './_kit/guards.ts';
import { defineRule, type FixDraft, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { isChange } from './_kit/work.ts';

export const rule = defineRule({
  id: 'single-flight-leak',
  lens: 'concurrency',
  axis: 'data-consistency',
  faultClass: 'timing',
  severity: 'medium',
  blocking: false,
  stage: 'stable',
  since: '0.2.0',
  docs: {
    what: 'The promise of a load or a connection is kept in a variable or a map so that later callers share it, and nothing takes it out again when it rejects.',
    why: 'The first failure is remembered for ever. The other side is back after a second, and every caller still gets the old rejection until the process is restarted.',
    remedy:
      'Take the promise out again when it rejects: `promise.catch(() => { kept = undefined; })`, or delete the entry in `finally`.',
    whenNot: 'Where a failure is final, or the process ends with it.',
  },
  incidents: ['stuck-failure'],
  fixKind: 'previewed',
  detect(ctx) {
    if (isOneOff(ctx.file)) return;
    variables(ctx);
    maps(ctx);
  },
});

/** What starts a promise that can reject for a reason that passes: the network, a store, a process. */
function startsWork(ctx: RuleContext, expr: Expr): boolean {
  const { file, model } = ctx;
  const inner = uncast(expr);
  if (inner.k !== 'call') return false;
  const callee = uncast(inner.callee);
  // `(async () => { … })()`
  if (callee.k === 'fn') {
    const fact = file.facts.functions[callee.fn];
    return (
      fact?.async === true &&
      !handlesItself(file, callee.fn) &&
      model.sitesWithin(file, callee.fn).some((s) => reaches(ctx, s))
    );
  }
  const site = model.sites.at(file, inner);
  if (!site || /\.(?:catch|then|finally)$/.test(file.text.slice(inner.callee.s, inner.callee.e)))
    return false;
  // A chained handler may turn the failure into a value.
  if (file.index.parent(inner)?.k === 'mem') return false;
  return reaches(ctx, site);
}

function reaches(ctx: RuleContext, site: Site): boolean {
  if (waitsOutside(site)) return true;
  if (site.target.k !== 'fn') return false;
  const { value } = site.target;
  const fact = value.file.facts.functions[value.fn];
  if (!fact?.async || handlesItself(value.file, value.fn)) return false;
  return ctx.model.reach(value.file, value.fn).some((r) => r.via.length < 4 && waitsOutside(r.site));
}

function waitsOutside(site: Site): boolean {
  const { effect } = site;
  return effect !== null && effect.confidence === 'shown' && effect.network && !isChange(effect);
}

/** The function catches its failures, or resets what is kept. */
function handlesItself(file: SourceFile, fn: number): boolean {
  const fact = file.facts.functions[fn];
  return fact
    ? (file.index.tries[fn] ?? []).some((t) => t.handler !== null && !some(t.handler, (n) => n.k === 'throw'))
    : true;
}

// ---- one variable or field

function variables(ctx: RuleContext): void {
  const { file } = ctx;
  for (const fn of ctx.functions) {
    if (fn.id === 0) continue;
    for (const st of fn.body)
      walk(st, (n) => {
        if (n.k === 'asg') kept(ctx, n, fn.id);
      });
  }

  function kept(_: RuleContext, write: Assign, fn: number): void {
    if (write.op !== '=' && write.op !== '??=' && write.op !== '||=') return;
    const target = write.target.k === 'id' || write.target.k === 'mem' ? uncast(write.target) : null;
    const same = cellOf(file, target);
    if (!target || !same || !startsWork(ctx, write.value)) return;
    const fact = file.facts.functions[fn];
    // Shared: a later caller is given the kept one.
    const given = fact?.body.some((s) =>
      some(s, (n) => n.k === 'ret' && n.arg !== null && same(uncast(unawaited(n.arg)))),
    );
    const asked = write.op !== '=' || isAskedFor(file, write, same);
    if (!given || !asked || isReset(file, write, same)) return;
    report(ctx, write, file.text.slice(target.s, target.e), 'variable');
  }
}

function unawaited(expr: Expr): Expr {
  return expr.k === 'await' ? expr.arg : expr;
}

function cellOf(file: SourceFile, target: Expr | null): ((node: AnyNode) => boolean) | null {
  if (target?.k === 'id')
    return file.facts.bindings[target.b]?.fn === 0 ? (n) => n.k === 'id' && n.b === target.b : null;
  if (target?.k === 'mem' && uncast(target.obj).k === 'this')
    return (n) => n.k === 'mem' && n.prop === target.prop && uncast(n.obj).k === 'this';
  return null;
}

/** `if (!kept) kept = load()`, `if (kept) return kept;` */
function isAskedFor(file: SourceFile, write: Assign, same: (node: AnyNode) => boolean): boolean {
  for (const at of file.index.ancestors(write)) if (at.k === 'if' && some(at.test, same)) return true;
  const fact = file.facts.functions[file.index.innermost(write.s)];
  return (fact?.body ?? []).some(
    (st) => st.k === 'if' && st.e <= write.s && some(st.test, same) && some(st.then, (n) => n.k === 'ret'),
  );
}

/** Somewhere in the file it is set anew: to nothing, or in a handler of the promise. */
function isReset(file: SourceFile, write: Assign, same: (node: AnyNode) => boolean): boolean {
  for (const fn of file.facts.functions)
    for (const st of fn.body)
      if (
        some(st, (n) => {
          if (n.k === 'asg' && n !== write && (n.target.k === 'id' || n.target.k === 'mem') && same(n.target))
            return true;
          if (n.k === 'un' && n.op === 'delete' && same(n.arg)) return true;
          // A handler on the kept promise.
          return n.k === 'mem' && /^(?:catch|finally|then)$/.test(n.prop) && same(uncast(n.obj));
        })
      )
        return true;
  return false;
}

// ---- a map of promises

function maps(ctx: RuleContext): void {
  const { file } = ctx;
  for (const site of ctx.sites) {
    const { node } = site;
    if (
      node.k !== 'call' ||
      node.callee.k !== 'mem' ||
      node.callee.prop !== 'set' ||
      node.args.length !== 2 ||
      site.fn === 0
    )
      continue;
    if (site.effect !== null || site.target.k === 'fn') continue;
    const map = uncast(node.callee.obj);
    const home = cellOf(file, map);
    if (!home || !isPlainMap(ctx, map)) continue;
    const value = node.args[1] as Expr;
    const started = promiseOf(file, site.fn, value);
    if (!started || !startsWork(ctx, started.expr)) continue;
    const text = file.text.slice(map.s, map.e);
    if (!isGivenOut(file, site, text) || isTakenOut(file, site, text, started.binding)) continue;
    report(ctx, node, text, 'map');
  }
}

function isPlainMap(ctx: RuleContext, map: Expr): boolean {
  const made = (e: Expr | null | undefined): boolean => {
    const inner = e ? uncast(e) : null;
    return inner?.k === 'new' && inner.callee.k === 'id' && inner.callee.name === 'Map';
  };
  if (map.k === 'id') {
    const decl = ctx.file.facts.bindings[map.b]?.decl;
    return decl?.k === 'init' && made(decl.init);
  }
  if (map.k !== 'mem') return false;
  return ctx.file.facts.classes.some((c) => c.props.some((p) => p.name === map.prop && made(p.init)));
}

/** The promise that is stored: started in place, or a name that holds it un-awaited. */
function promiseOf(
  file: SourceFile,
  fn: number,
  value: Expr,
): { readonly expr: Expr; readonly binding: number } | null {
  const inner = uncast(value);
  if (inner.k === 'call') return { expr: inner, binding: -1 };
  if (inner.k !== 'id') return null;
  const binding = file.facts.bindings[inner.b];
  if (binding?.decl?.k !== 'init' || binding.fn !== fn || binding.decl.path.length > 0) return null;
  const init = uncast(binding.decl.init);
  return init.k === 'call' ? { expr: init, binding: inner.b } : null;
}

/** A caller that finds an entry is given it. */
function isGivenOut(file: SourceFile, site: Site, map: string): boolean {
  const fact = file.facts.functions[site.fn];
  return (fact?.body ?? []).some((st) =>
    some(
      st,
      (n) =>
        n.k === 'call' &&
        n.callee.k === 'mem' &&
        n.callee.prop === 'get' &&
        n.s < site.node.s &&
        file.text.slice(n.callee.obj.s, n.callee.obj.e) === map,
    ),
  );
}

/** The entry goes, or expires, on a way that a rejection takes too. */
function isTakenOut(file: SourceFile, site: Site, map: string, promise: number): boolean {
  for (const fn of file.facts.functions) {
    for (const call of file.index.calls[fn.id] ?? []) {
      if (call.k !== 'call' || call.callee.k !== 'mem') continue;
      const on = file.text.slice(call.callee.obj.s, call.callee.obj.e);
      if (on !== map || !/^(?:delete|clear)$/.test(call.callee.prop)) continue;
      // After `await promise` in the same function, a rejection never comes here.
      if (
        fn.id === site.fn &&
        call.s > site.node.e &&
        promise >= 0 &&
        isOnlyAfterSuccess(file, call, promise)
      )
        continue;
      return true;
    }
  }
  // Kept with a handler of its own: what that does is for its author.
  const fact = file.facts.functions[site.fn];
  return (
    promise >= 0 &&
    (fact?.body ?? []).some((st) =>
      some(
        st,
        (n) =>
          n.k === 'mem' &&
          /^(?:catch|finally)$/.test(n.prop) &&
          uncast(n.obj).k === 'id' &&
          (uncast(n.obj) as { b: number }).b === promise,
      ),
    )
  );
}

function isOnlyAfterSuccess(file: SourceFile, call: AnyNode, promise: number): boolean {
  for (const at of file.index.ancestors(call)) if (at.k === 'try') return false;
  const fn = file.index.functionOf(call);
  return (file.facts.functions[fn]?.body ?? []).some((st) =>
    some(
      st,
      (n) =>
        n.k === 'await' &&
        n.e <= call.s &&
        uncast(n.arg).k === 'id' &&
        (uncast(n.arg) as { b: number }).b === promise,
    ),
  );
}

function report(ctx: RuleContext, node: AnyNode, name: string, kind: 'variable' | 'map'): void {
  const at = node.k === 'asg' ? node.target : node.k === 'call' ? node.callee : node;
  ctx.report({
    at,
    message:
      kind === 'variable'
        ? `When the promise in \`${name}\` rejects once, it stays there: every later caller gets the same old failure until the process is restarted.`
        : `When a promise in \`${name}\` rejects, its entry stays: every later caller with that key gets the same old failure until the process is restarted.`,
    trigger: 'the first load fails: the other side is away for a moment',
    scenario: `At \`${name}\`, when the shared promise rejects, then callers go on getting that rejection after the cause is gone.`,
    detection: 'Minutes, by an error rate that does not go down when the other side is back.',
    fix: `Take the promise out of \`${name}\` when it rejects.`,
    anchor: name,
    fixes: node.k === 'asg' ? resetFix(ctx, node, name) : [],
  });
}

/** `kept = load();` gets a handler that empties it; those who wait still see the failure. */
function resetFix(ctx: RuleContext, write: Assign, name: string): FixDraft[] {
  const { file } = ctx;
  const stmt = file.index.parent(write);
  if (stmt?.k !== 'expr' || write.op !== '=' || !file.text.slice(stmt.s, stmt.e).endsWith(';')) return [];
  const holder = file.index.parent(stmt);
  if (holder && holder.k !== 'block') return [];
  return [
    {
      id: 'reset-on-rejection',
      title: 'Forget the promise when it rejects',
      kind: 'previewed',
      edits: () => {
        const nl = lineEnd(file.text);
        const indent = indentAt(file.text, stmt.s);
        // Emptied the way it was empty before.
        const field = name.split('.').at(-1) ?? name;
        const empty = new RegExp(`\\b${field}\\b[^;\\n]*\\bnull\\b`).test(file.text) ? 'null' : 'undefined';
        return [
          {
            file: file.path,
            edits: [
              {
                start: stmt.e,
                end: stmt.e,
                newText: `${nl}${indent}${name}.catch(() => {${nl}${indent}  ${name} = ${empty};${nl}${indent}});`,
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
    title: 'A token that is loaded once',
    bad: `let token: Promise<string> | undefined;

async function load(): Promise<string> {
  const response = await fetch('https://auth.example.com/token', { signal: AbortSignal.timeout(5000) });
  return response.text();
}
export function currentToken(): Promise<string> {
  if (!token) {
    token = load();
  }
  return token;
}
`,
    good: `let token: Promise<string> | undefined;

async function load(): Promise<string> {
  const response = await fetch('https://auth.example.com/token', { signal: AbortSignal.timeout(5000) });
  return response.text();
}
export function currentToken(): Promise<string> {
  if (!token) {
    token = load();
    token.catch(() => {
      token = undefined;
    });
  }
  return token;
}
`,
    fixed: `let token: Promise<string> | undefined;

async function load(): Promise<string> {
  const response = await fetch('https://auth.example.com/token', { signal: AbortSignal.timeout(5000) });
  return response.text();
}
export function currentToken(): Promise<string> {
  if (!token) {
    token = load();
    token.catch(() => {
      token = undefined;
    });
  }
  return token;
}
`,
  },
];
