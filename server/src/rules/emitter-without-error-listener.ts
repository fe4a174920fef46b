/** A client whose `error` event ends the process, with nobody listening. */
import type { Call, Expr, New } from '../facts/ir.ts';
import { uncast, type AnyNode } from '../facts/walk.ts';
import { insertAfter, quoteOf, usesSemicolons } from '../fixes/edits.ts';
import { atVersion } from '../model/bounds.ts';
import { inherited } from '../model/packIndex.ts';
import type { SourceFile } from '../model/project.ts';
import type { Site } from '../model/sites.ts';
import { DETECTION_WHEN_THROWN_LOOSE } from './_kit/detection.ts';
import { loggerAt, logLine } from './_kit/loggers.ts';
import { defineRule, type FixDraft, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { usesOf } from './_kit/uses.ts';
import { calleeName } from './_kit/text.ts';

export const rule = defineRule({
  id: 'emitter-without-error-listener',
  lens: 'partial-failure',
  axis: 'cascading-failure',
  faultClass: 'network',
  severity: 'high',
  blocking: false,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'A pool, client, connection or worker is made whose library emits `error` outside of any call, and the module adds no `error` listener to it.',
    why: 'An `error` event without a listener is thrown from nowhere, and ends a process that has no handler for uncaught exceptions. A database restart or a dropped connection, while the service is idle, then takes the whole service down.',
    remedy: "Add `.on('error', …)` where the object is made, and log.",
    whenNot: 'The library handles its own errors, or the one who gets the object adds the listener.',
  },
  incidents: ['cascading-failure'],
  fixKind: 'safe',
  detect(ctx) {
    for (const site of ctx.sites) if (site.node.k !== 'tag') check(ctx, site, site.node);
  },
});

function check(ctx: RuleContext, site: Site, node: Call | New): void {
  const { file, model } = ctx;
  if (site.target.k !== 'lib') return;
  const made = model.values.of(file, node);
  if (made.k !== 'inst' || made.origin?.call !== node) return;
  const crashes = inherited(made.pack, made.type, 'errorEventCrashes');
  if (!crashes) return;
  if (atVersion(model.sites, file, made.pack, crashes) !== true) return;
  // A connection that is taken from a pool is watched by its pool.
  if (site.target.recv && inherited(site.target.recv.pack, site.target.recv.type, 'role') === 'pool') return;
  if (site.chain.some((c) => isErrorListener(c.node))) return;
  const kept = keptAs(file, site.top);
  if (!kept || listens(ctx, file, kept, site.fn)) return;
  const single = isSingleton(file, kept, site.fn);
  if (
    kept.binding >= 0
      ? isHandedOn(ctx, file, kept.binding, single)
      : goesElsewhere(file, kept, site.top, single)
  )
    return;
  const name = calleeName(site);
  const library = made.pack.packages[0] ?? made.pack.id;
  ctx.report({
    at: node.callee,
    message: `When ${library} loses its connection, the \`error\` event of \`${kept.name}\` is thrown outside every call: nothing here listens for it.`,
    trigger: 'the server restarts, or an idle connection is dropped',
    scenario: `At \`${name}\`, when an \`error\` event comes, then it is an uncaught exception, which ends a process that has no handler for those.`,
    detection: DETECTION_WHEN_THROWN_LOOSE,
    fix: 'Add an `error` listener that logs.',
    anchor: name,
    ...(single && handedOut(file, kept)
      ? { confidence: 'assumed' as const, severity: 'medium' as const }
      : {}),
    fixes: listenerFix(ctx, site, kept),
  });
}

interface Kept {
  /** As it is written where it is used: `pool`, `this.client`. */
  readonly name: string;
  readonly binding: number;
  readonly statement: AnyNode & { s: number; e: number };
}

/** Where the object stays: a name or a field. Null when it is handed on at once. */
function keptAs(file: SourceFile, top: Expr): Kept | null {
  let child: AnyNode = top;
  for (let at = file.index.parent(top); at; child = at, at = file.index.parent(at)) {
    if (at.k === 'as' || at.k === 'await') continue;
    if (at.k === 'bin' && (at.op === '??' || at.op === '||')) continue;
    if (at.k === 'cond' && at.test !== child) continue;
    if (at.k === 'var') {
      const init: AnyNode = child;
      const decl = at.decls.find((d) => d.init === init);
      if (decl?.target.k !== 'pid') return null;
      return { name: decl.target.name, binding: decl.target.b, statement: at };
    }
    if (at.k === 'asg') {
      const statement = file.index.parent(at);
      if (at.target.k === 'mem' && at.target.obj.k === 'this')
        return statement?.k === 'expr' ? { name: `this.${at.target.prop}`, binding: -1, statement } : null;
      // `Jobs.instance = …`: a field of the class itself.
      if (at.target.k === 'mem' && at.target.obj.k === 'id' && isOwnClass(file, at.target.obj.b))
        return statement?.k === 'expr'
          ? { name: `${at.target.obj.name}.${at.target.prop}`, binding: -1, statement }
          : null;
      if (at.target.k === 'id')
        return statement?.k === 'expr' ? { name: at.target.name, binding: at.target.b, statement } : null;
      return null;
    }
    return null;
  }
  return null;
}

function isOwnClass(file: SourceFile, b: number): boolean {
  return file.facts.bindings[b]?.decl?.k === 'cls';
}

/**
 * Made at the first call and kept for all that follow: whoever is handed it cannot know whether it is the first, so the
 * listener belongs here.
 */
function isSingleton(file: SourceFile, kept: Kept, fn: number): boolean {
  if (fn === 0) return false;
  if (kept.binding < 0) return /^[A-Z]/.test(kept.name);
  const binding = file.facts.bindings[kept.binding];
  return binding?.fn === 0 && binding.kind === 'let';
}

function isErrorListener(call: Call | New): boolean {
  if (call.k !== 'call' || call.callee.k !== 'mem') return false;
  const first = call.args[0];
  return (
    /^(?:on|once|addListener|prependListener)$/.test(call.callee.prop) &&
    first?.k === 'lit' &&
    first.value === 'error'
  );
}

/** `pool.on('error', …)` or a loop over event names, on the same name. */
function listens(ctx: RuleContext, file: SourceFile, kept: Kept, fn: number): boolean {
  const classOf = (id: number): number => ctx.functions[ctx.model.outermost(file, id)]?.cls ?? -1;
  return ctx.sites.some((s) => {
    if (
      s.node.k !== 'call' ||
      s.node.callee.k !== 'mem' ||
      !/^(?:on|once|addListener|prependListener)$/.test(s.node.callee.prop)
    )
      return false;
    const first = s.node.args[0];
    if (first?.k === 'lit' && first.value !== 'error') return false;
    let receiver: Expr = uncast(s.node.callee.obj);
    // Listeners are chained: `client.on('connect', …).on('error', …)`.
    while (receiver.k === 'call' && receiver.callee.k === 'mem') receiver = uncast(receiver.callee.obj);
    return receiver.k === 'id' && kept.binding >= 0
      ? receiver.b === kept.binding
      : file.text.slice(receiver.s, receiver.e) === kept.name && classOf(s.fn) === classOf(fn);
  });
}

/** By its name: handed to somebody who may listen, or given back. Exports are still this module's own. */
function isHandedOn(ctx: RuleContext, file: SourceFile, binding: number, single: boolean): boolean {
  return usesOf(file, binding).some((use) => {
    let child: AnyNode = use;
    for (let at = file.index.parent(use); at; child = at, at = file.index.parent(at)) {
      if (at.k === 'as' || at.k === 'obj' || at.k === 'arr' || at.k === 'cond' || at.k === 'bin') continue;
      if (at.k === 'ret') return !single;
      if (at.k === 'call' || at.k === 'new') return at.callee !== child && mayListen(ctx, file, at);
      if (at.k === 'asg')
        return at.value === child && !/^(?:module\.)?exports\b/.test(file.text.slice(at.s, at.e));
      return at.k === 'var' || at.k === 'yield' || at.k === 'spread';
    }
    return false;
  });
}

/** A function of the project that can be read and holds no listener for errors does not. */
function mayListen(ctx: RuleContext, file: SourceFile, call: Call | New): boolean {
  const target = ctx.model.sites.target(file, call);
  if (target.k !== 'fn') return true;
  const fact = target.value.file.facts.functions[target.value.fn];
  return (
    !fact ||
    fact.body.length === 0 ||
    /\.(?:on|once|addListener)\(/.test(target.value.file.text.slice(fact.s, fact.e))
  );
}

/** Handed to a function or given back, somebody else may listen; an export is still this module's own. */
function goesElsewhere(file: SourceFile, kept: Kept, top: Expr, single: boolean): boolean {
  const name = kept.name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const text = file.text.slice(0, top.s) + file.text.slice(top.e);
  // Of a `return` nothing follows where the same object is handed out again and again.
  const given = single ? '' : `return\\s+${name}\\s*[;\\n}]|`;
  return new RegExp(
    `(?:[\\w$\\])]\\(|,)\\s*${name}\\s*[,)]|${given}\\{\\s*(?:connection|client|redis|pool)\\s*:\\s*${name}\\b`,
  ).test(text.replace(/\bimport\b[^;\n]*|\bexport\s*\{[^}]*\}|module\.exports\s*=[^;\n]*/g, ''));
}

function handedOut(file: SourceFile, kept: Kept): boolean {
  return file.text.includes(`return ${kept.name}`);
}

function listenerFix(ctx: RuleContext, site: Site, kept: Kept): FixDraft[] {
  const { file } = site;
  return [
    {
      id: 'add-listener',
      title: 'Add an error listener that logs',
      kind: 'safe',
      edits: () => {
        const style = loggerAt(ctx.model, file, site.fn) ?? { receiver: 'console', fieldsFirst: false };
        const quote = quoteOf(file.text);
        const typed = /\.[cm]?tsx?$/.test(file.path) ? '(error: unknown)' : 'error';
        const line = `${kept.name}.on(${quote}error${quote}, ${typed} => ${logLine(style, `${kept.name} lost its connection`, 'error', quote)})${usesSemicolons(file.text) ? ';' : ''}`;
        return [{ file: file.path, edits: [insertAfter(file.text, kept.statement, [line])] }];
      },
    },
  ];
}

export const examples: readonly RuleExample[] = [
  {
    title: 'A pool that nobody listens to',
    bad: `import { Pool } from 'pg';
export const pool = new Pool({ max: 10 });
`,
    good: `import { Pool } from 'pg';
export const pool = new Pool({ max: 10 });
pool.on('error', error => console.error('idle client lost', error));
`,
    fixed: `import { Pool } from 'pg';
export const pool = new Pool({ max: 10 });
pool.on('error', (error: unknown) => console.error('pool lost its connection', error));
`,
  },
];
