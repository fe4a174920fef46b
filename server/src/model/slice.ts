/**
 * What has to be looked at again when it changes: the slice of a call, of another place, and of a lens. Owns what
 * belongs to a slice. A slice is a text; equal texts mean that nothing a reader of the row relied on has changed.
 */
import type { Lens } from '../base/vocabulary.ts';
import { isStmt } from '../facts/fileIndex.ts';
import type { Expr } from '../facts/ir.ts';
import type { AnyNode } from '../facts/walk.ts';
import { walk } from '../facts/walk.ts';
import type { CallbackRole } from '../packs/contract.ts';
import type { Frame } from './frames.ts';
import type { Model, Reached } from './model.ts';
import { NormalForm, type NormalOptions } from './normalForm.ts';
import type { SourceFile } from './project.ts';
import type { Site } from './sites.ts';

const ARGUMENT: NormalOptions = { functions: 'calls' };
/** In what surrounds a call the wording of messages does not count. */
const AROUND: NormalOptions = { texts: 'skip', functions: 'calls' };
const TELLING: readonly CallbackRole[] = [
  'transaction',
  'retry',
  'timeout',
  'limit',
  'lock',
  'after-commit',
  'step',
];
const QUIET: ReadonlySet<string> = new Set(['log', 'metric']);

/** The call with its chain and arguments, its bounds, and the try, transaction, loop and policy around it and its callers. */
export function sliceOfCall(model: Model, { site, via }: Reached): string {
  const form = new NormalForm();
  const { file } = site;
  const parts = [`${waited(file, site.top)} ${form.expr(file, site.top, ARGUMENT)}`, bounds(model, site)];
  parts.push(...transactionCalls(model, form, site));
  parts.push(...around(model, form, file, site.node, site.fn));
  // Innermost caller first: what holds there holds here too.
  for (const caller of [...via].reverse())
    parts.push(...around(model, form, caller.file, caller.node, caller.fn));
  return parts.filter((part) => part !== '').join('\n');
}

/** A place that is no call: a comparison, a switch, a handler. */
export function sliceOfNode(model: Model, file: SourceFile, fn: number, node: AnyNode): string {
  const form = new NormalForm();
  const own = isStmt(node)
    ? form.stmt(file, node, ARGUMENT)
    : isExpression(node)
      ? form.expr(file, node, ARGUMENT)
      : '';
  return [own, ...around(model, form, file, node, fn)].join('\n');
}

/** Effects and inputs of a unit, as far as one lens looks at them. Order counts only where what is done first matters. */
export function sliceOfLens(
  model: Model,
  reach: readonly Reached[],
  lens: Lens,
  inputs: readonly string[],
): string {
  const lines: string[] = [];
  for (const { site } of reach) {
    const { effect } = site;
    if (!effect || QUIET.has(effect.kind)) continue;
    const what = [effect.kind, effect.op, effect.entity ?? '', effect.method ?? ''].join(' ');
    const looped = (): string =>
      [...model.frames.around(site.file, site.node, site.fn)].some(
        (f) => f.k === 'loop' || (f.k === 'callback' && f.iterates),
      )
        ? ' in a loop'
        : '';
    switch (lens) {
      case 'clock':
        if (effect.network) lines.push(`${what} ${bounds(model, site)}`);
        break;
      case 'partial-failure':
        if (effect.write) lines.push(`${what}${roles(model, site)}`);
        break;
      case 'concurrency':
        if (effect.write || effect.kind === 'db' || effect.kind === 'cache')
          lines.push(`${what}${roles(model, site)}`);
        break;
      case 'resource-exhaustion':
        lines.push(`${what}${looped()}`);
        break;
      case 'boundaries':
      case 'hostile-input':
        lines.push(what);
        break;
    }
  }
  const ordered = lens === 'partial-failure' ? lines : [...new Set(lines)].sort();
  const read = lens === 'boundaries' || lens === 'hostile-input' ? [...new Set(inputs)].sort() : [];
  return [lens, ...ordered, ...read].join('\n');
}

/** Members that the handler reads from its parameters: `0.body.amount`. Names of the parameters do not count, nor do calls. */
export function inputsOf(file: SourceFile, fn: number): readonly string[] {
  const fact = file.facts.functions[fn];
  if (!fact) return [];
  const out: string[] = [];
  for (const inner of file.index.within(fn))
    for (const st of inner.body)
      walk(st, (node) => {
        if (node.k !== 'mem' && node.k !== 'id') return;
        const steps: string[] = [];
        let at: Expr = node;
        while (at.k === 'mem') {
          steps.unshift(at.prop);
          at = at.obj;
        }
        if (at.k !== 'id') return;
        const decl = file.facts.bindings[at.b]?.decl;
        if (decl?.k !== 'param' || decl.fn !== fn) return;
        // What is called on a parameter is an answer or a service, not an input.
        const call = file.index.parent(node);
        if (call?.k === 'call' && call.callee === node) return false;
        out.push([decl.index, ...decl.path, ...steps].join('.'));
        return false;
      });
  return out;
}

function* around(
  model: Model,
  form: NormalForm,
  file: SourceFile,
  node: AnyNode,
  fn: number,
): Generator<string> {
  for (const frame of model.frames.around(file, node, fn)) {
    const text = frameText(form, file, frame);
    if (text !== null) yield text;
  }
}

function frameText(form: NormalForm, file: SourceFile, frame: Frame): string | null {
  switch (frame.k) {
    case 'loop': {
      const { node } = frame;
      return node.k === 'for' ||
        node.k === 'forof' ||
        node.k === 'forin' ||
        node.k === 'while' ||
        node.k === 'do'
        ? form.loopHead(file, node, AROUND)
        : null;
    }
    case 'try':
    case 'catch':
    case 'finally':
      return `${frame.k} ${form.tryTail(file, frame.node, AROUND)}`;
    case 'callback': {
      const kept = TELLING.filter((role) => frame.roles.has(role));
      if (kept.length === 0)
        return frame.iterates === null
          ? null
          : `each ${form.expr(file, receiver(frame.call.callee), AROUND)}`;
      const given = frame.call.args
        .filter((_, index) => index !== frame.arg)
        .map((arg) => form.expr(file, arg, AROUND));
      return `${kept.join('+')} ${form.expr(file, frame.call.callee, AROUND)}(${given.join(',')})`;
    }
    default:
      return null;
  }
}

function receiver(callee: Expr): Expr {
  return callee.k === 'mem' ? callee.obj : callee;
}

/** Begin, commit and rollback that are calls of their own, by whether they stand before or after. */
function transactionCalls(model: Model, form: NormalForm, site: Site): string[] {
  if (!site.effect) return [];
  return model.sites.of(site.file, site.fn).flatMap((other) => {
    const op = other.effect?.op;
    if (other === site || (op !== 'begin' && op !== 'commit' && op !== 'rollback')) return [];
    return [
      `${op} ${other.node.s < site.node.s ? 'before' : 'after'} ${form.expr(other.file, other.node, AROUND)}`,
    ];
  });
}

/** Times that the code gives, wherever it gives them; a library's defaults are not the code's. */
function bounds(model: Model, site: Site): string {
  if (!site.effect?.spec.timeout) return '';
  const found = model.bounds.of(site);
  if (!found) return '';
  const { parts, by, set } = found;
  const own = by !== null && !by.endsWith(' default');
  const names = [...(own ? (['total'] as const) : []), ...set].filter(
    (name, i, all) => all.indexOf(name) === i,
  );
  return names
    .map((name) => `${name}=${parts[name] ?? 'none'}`)
    .sort()
    .join(' ');
}

function roles(model: Model, site: Site): string {
  const found = new Set<string>();
  for (const frame of model.frames.around(site.file, site.node, site.fn))
    if (frame.k === 'callback') for (const role of TELLING) if (frame.roles.has(role)) found.add(role);
  return found.size === 0 ? '' : ` in ${[...found].sort().join('+')}`;
}

/** Whether anybody waits for it. */
function waited(file: SourceFile, top: Expr): string {
  let at: AnyNode | undefined = file.index.parent(top);
  while (at?.k === 'as') at = file.index.parent(at);
  if (at?.k === 'await') return 'await';
  if (at?.k === 'ret') return 'return';
  return at === undefined || at.k === 'expr' ? 'alone' : at.k === 'un' && at.op === 'void' ? 'void' : 'value';
}

const PATTERNS: ReadonlySet<string> = new Set(['pid', 'pobj', 'parr', 'pdef', 'pexpr']);

function isExpression(node: AnyNode): node is Expr {
  return !isStmt(node) && !PATTERNS.has(node.k);
}
