/**
 * Guards against what cannot be: a check for a missing value after a call that throws instead, after `new` or a literal,
 * after the same check a few lines up; a `try` around what cannot fail. Owns what counts as shown. Precision over recall:
 * only names that are never written again, no guard that somebody commented on, nothing that types alone promise.
 */
import type { TextEdit } from '../base/textEdit.ts';
import type { Block, Expr, If, Stmt, Try } from '../facts/ir.ts';
import { some, uncast } from '../facts/walk.ts';
import { indentAt } from '../fixes/edits.ts';
import { exits } from '../model/frames.ts';
import type { Model } from '../model/model.ts';
import type { SourceFile } from '../model/project.ts';

export const PRUNE_RULES = ['redundant-guard', 'revalidated-value'] as const;

/** What can be deleted, and why. */
export interface NeedlessCode {
  readonly rule: (typeof PRUNE_RULES)[number];
  /** As it is written into `pruned`: `null check after findUniqueOrThrow`. */
  readonly what: string;
  readonly startOffset: number;
  readonly endOffset: number;
  readonly edits: readonly TextEdit[];
  /** Offset of a name whose type has to exclude null and undefined before this may be believed. */
  readonly typeAt: number | null;
}

interface Known {
  /** `present`: neither null nor undefined; `truthy`: also not false, 0 or ''. */
  readonly is: 'present' | 'truthy';
  /** What a check of it is: `null check after findUniqueOrThrow`. */
  readonly what: string;
  /** The name's own type is asked before this is believed. */
  readonly asksType: boolean;
}
/** Asked only where a check follows: most names are never checked, and telling costs resolution. */
type Facts = Map<number, () => Known | null>;

export function needlessGuards(model: Model, file: SourceFile): readonly NeedlessCode[] {
  const finder = new Finder(model, file);
  for (const fn of file.facts.functions) finder.statements(fn.body, new Map());
  return finder.found;
}

class Finder {
  readonly found: NeedlessCode[] = [];

  constructor(
    private readonly model: Model,
    private readonly file: SourceFile,
  ) {}

  statements(body: readonly Stmt[], before: ReadonlyMap<number, () => Known | null>): void {
    const facts: Facts = new Map(before);
    for (const st of body) {
      switch (st.k) {
        case 'var':
          for (const { target, init } of st.decls) {
            if (target.k !== 'pid' || !init || !this.isSettled(target.b)) continue;
            facts.set(target.b, () => this.promised(init));
          }
          break;
        case 'if':
          this.guard(st, facts);
          break;
        case 'try':
          this.harmlessTry(st);
          this.statements(st.block.body, facts);
          if (st.handler) this.statements(st.handler.body, facts);
          if (st.final) this.statements(st.final.body, facts);
          break;
        case 'block':
          this.statements(st.body, facts);
          break;
        case 'for':
        case 'forof':
        case 'forin':
        case 'while':
        case 'do':
        case 'label':
          this.statements([st.body], facts);
          break;
        case 'switch':
          for (const one of st.cases) this.statements(one.body, facts);
          break;
        default:
          break;
      }
    }
  }

  /** One name for one value, from its declaration on. */
  private isSettled(binding: number): boolean {
    const found = this.file.facts.bindings[binding];
    return found !== undefined && found.writes.length === 0 && !found.closureWrite && found.kind !== 'var';
  }

  private promised(init: Expr): Known | null {
    const expr = init.k === 'as' && init.type !== null ? uncast(init) : init;
    switch (expr.k) {
      case 'new': {
        const name = this.text(expr.callee);
        return /^[\w.$]{1,40}$/.test(name)
          ? { is: 'truthy', what: `null check after new ${name}`, asksType: false }
          : null;
      }
      case 'arr':
        return { is: 'truthy', what: 'null check after a list literal', asksType: false };
      case 'obj':
        return { is: 'truthy', what: 'null check after an object literal', asksType: false };
      case 'fn':
        return { is: 'truthy', what: 'null check after a function literal', asksType: false };
      case 'await':
        return expr.arg.k === 'call' ? this.throwing(expr.arg) : null;
      default:
        return null;
    }
  }

  /** The result of a call that throws where there is none. */
  private throwing(call: Expr & { readonly k: 'call' }): Known | null {
    if (call.callee.k !== 'mem') return null;
    const name = call.callee.prop;
    const effect = this.model.sites.at(this.file, call)?.effect;
    if (effect?.spec.throwsWhenEmpty === true)
      return { is: 'truthy', what: `null check after ${name}`, asksType: false };
    // Named like one, of a library that nobody described: the type has to say so as well.
    return !effect && /(?:OrThrow|OrFail)$/.test(name)
      ? { is: 'present', what: `null check after ${name}`, asksType: true }
      : null;
  }

  private guard(st: If, facts: Facts): void {
    const known = this.decided(st.test, facts);
    if (known?.result === false && !st.else) this.drop(st, known.known, known.at);
    else if (known?.result === true) this.unwrap(st, known.known, known.at);
    this.statements([st.then], this.after(st.test, true, facts));
    if (st.else) this.statements([st.else], this.after(st.test, false, facts));
    // Where the guarded part leaves, the rest knows the opposite.
    else if (exits(st.then.k === 'block' ? st.then.body : [st.then]))
      for (const [name, one] of this.after(st.test, false, facts)) facts.set(name, one);
  }

  /** What a test is, given what is known; null where it is open. */
  private decided(test: Expr, facts: Facts): { result: boolean; known: Known; at: number } | null {
    const asked = question(test);
    if (!asked) return null;
    const known = facts.get(asked.binding)?.() ?? null;
    if (!known || (asked.of === 'truth' && known.is !== 'truthy' && !known.asksType)) return null;
    return { result: asked.positive, known, at: asked.at };
  }

  /** What is known where the test came out so. */
  private after(test: Expr, result: boolean, facts: Facts): Facts {
    const out: Facts = new Map(facts);
    const learn = (expr: Expr): void => {
      const inner = uncast(expr);
      if (inner.k === 'bin' && inner.op === (result ? '&&' : '||')) {
        learn(inner.l);
        learn(inner.r);
        return;
      }
      const asked = question(inner);
      if (!asked || asked.positive !== result || asked.strict || !this.isSettled(asked.binding)) return;
      const before = facts.get(asked.binding);
      const learned: Known = {
        is: asked.of === 'truth' ? 'truthy' : 'present',
        what: `second check of ${this.file.facts.bindings[asked.binding]?.name ?? 'it'}`,
        asksType: false,
      };
      out.set(asked.binding, () => {
        const known = before?.() ?? null;
        return known && !known.asksType && (known.is === 'truthy' || learned.is === 'present')
          ? known
          : learned;
      });
    };
    learn(test);
    return out;
  }

  private drop(st: If, known: Known, at: number): void {
    if (this.isExplained(st)) return;
    // A test that does something is no mere test.
    this.add(st, known, at, [this.lines(st)]);
  }

  private unwrap(st: If, known: Known, at: number): void {
    if (st.then.k !== 'block' || this.isExplained(st) || st.then.body.length === 0) return;
    if (declares(st.then)) return;
    this.add(st, known, at, [this.inPlaceOf(st, st.then)]);
  }

  private harmlessTry(st: Try): void {
    if (!st.handler || st.final || st.block.body.length === 0 || this.isExplained(st) || declares(st.block))
      return;
    if (!st.block.body.every(isHarmless)) return;
    this.found.push({
      rule: 'redundant-guard',
      what: 'try around what cannot fail',
      startOffset: st.s,
      endOffset: st.e,
      edits: [this.inPlaceOf(st, st.block)],
      typeAt: null,
    });
  }

  private add(st: If, known: Known, at: number, edits: readonly TextEdit[]): void {
    this.found.push({
      rule: 'redundant-guard',
      what: known.what,
      startOffset: st.s,
      endOffset: st.e,
      edits,
      typeAt: known.asksType ? at : null,
    });
  }

  /** Somebody wrote down why it is there. */
  private isExplained(st: Stmt): boolean {
    const { text } = this.file;
    const from = text.lastIndexOf('\n', text.lastIndexOf('\n', st.s - 1) - 1) + 1;
    const after = text.slice(st.e, (text.indexOf('\n', st.e) + 1 || text.length + 1) - 1);
    return (
      /\/\/|\/\*|\*\//.test(text.slice(from, st.e).replace(/(['"`]).*?\1/g, '')) || /\/\/|\/\*/.test(after)
    );
  }

  /** The whole lines of a statement that has its lines for itself, with one blank line where two would be left. */
  private lines(st: Stmt): TextEdit {
    const { text } = this.file;
    const start = text.lastIndexOf('\n', st.s - 1) + 1;
    const next = text.indexOf('\n', st.e);
    const end = next < 0 ? text.length : next + 1;
    if (text.slice(start, st.s).trim() !== '' || text.slice(st.e, end).trim() !== '')
      return { start: st.s, end: st.e, newText: '' };
    const above = text.slice(text.lastIndexOf('\n', start - 2) + 1, start).trim();
    const below = /^[ \t]*\r?\n/.exec(text.slice(end));
    return {
      start,
      end: below && (above === '' || above.endsWith('{')) ? end + below[0].length : end,
      newText: '',
    };
  }

  /** The statements of a block instead of what holds it, one level less deep. */
  private inPlaceOf(st: Stmt, block: Block): TextEdit {
    const { text } = this.file;
    const [first, last] = [block.body[0]!, block.body.at(-1)!];
    const [outer, inner] = [indentAt(text, st.s), indentAt(text, first.s)];
    const newText = text
      .slice(first.s, last.e)
      .replaceAll(new RegExp(`(\\r?\\n)${inner}`, 'g'), `$1${outer}`);
    return { start: st.s, end: st.e, newText };
  }

  private text(expr: Expr): string {
    return this.file.text.slice(expr.s, expr.e);
  }
}

interface Asked {
  readonly binding: number;
  readonly at: number;
  /** The test comes out true exactly where the value is there. */
  readonly positive: boolean;
  readonly of: 'truth' | 'presence';
  /** Only one of null and undefined is asked for. */
  readonly strict: boolean;
}

/** `x`, `!x`, `!!x`, `x == null`, `x !== undefined`, `typeof x === 'undefined'`. */
function question(test: Expr): Asked | null {
  const expr = uncast(test);
  if (expr.k === 'id')
    return expr.b < 0 ? null : { binding: expr.b, at: expr.s, positive: true, of: 'truth', strict: false };
  if (expr.k === 'un' && expr.op === '!') {
    const inner = question(expr.arg);
    return inner && { ...inner, positive: !inner.positive };
  }
  if (expr.k !== 'bin' || !/^[!=]==?$/.test(expr.op)) return null;
  const [l, r] = [uncast(expr.l), uncast(expr.r)];
  const positive = expr.op.startsWith('!');
  if (l.k === 'un' && l.op === 'typeof' && l.arg.k === 'id' && r.k === 'lit' && r.value === 'undefined')
    return l.arg.b < 0 ? null : { binding: l.arg.b, at: l.arg.s, positive, of: 'presence', strict: true };
  const nothing = (one: Expr): boolean =>
    (one.k === 'lit' && one.kind === 'null') || (one.k === 'id' && one.name === 'undefined' && one.b < 0);
  const [name, other] = nothing(l) ? [r, l] : [l, r];
  if (name.k !== 'id' || name.b < 0 || !nothing(other)) return null;
  return { binding: name.b, at: name.s, positive, of: 'presence', strict: expr.op.length === 3 };
}

/** A block whose names would come into the scope around it. */
function declares(block: Block): boolean {
  return block.body.some((st) => st.k === 'var' || st.k === 'fndecl' || st.k === 'clsdecl');
}

/** Nothing in it calls, reads a member, converts or can be missing. */
function isHarmless(st: Stmt): boolean {
  if (st.k !== 'expr' && st.k !== 'ret' && st.k !== 'empty') return false;
  return !some(st, (node) => {
    switch (node.k) {
      case 'expr':
      case 'ret':
      case 'empty':
      case 'lit':
      case 'arr':
      case 'obj':
      case 'cond':
      case 'fn':
      case 'pid':
        return false;
      case 'id':
        return node.b < 0;
      case 'un':
        return node.op !== '!';
      case 'bin':
        return !['===', '!==', '&&', '||', '??'].includes(node.op);
      case 'asg':
        return node.op !== '=' || ('k' in node.target && node.target.k !== 'id' && node.target.k !== 'pid');
      default:
        return true;
    }
  });
}
