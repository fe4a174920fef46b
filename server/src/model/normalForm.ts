/**
 * Code as a text that stays the same while what it does stays the same: layout, comments, types, casts and the names of
 * locals leave no trace. Owns that form only. Names declared at the top of a module are kept, since which client is
 * called is what a reader has to look at again.
 */
import type { Binding, Expr, Pattern, Stmt } from '../facts/ir.ts';
import { some, type AnyNode } from '../facts/walk.ts';
import type { SourceFile } from './project.ts';

/** Longer initialisers are work of their own; what they say belongs to other rows. In characters of the form itself: the source's change with its layout. */
const MAX_INLINED = 160;
const MAX_DEPTH = 4;
/** Nothing of this length in source, in whatever layout, has a short form. */
const MAX_SOURCE = 1500;

export interface NormalOptions {
  /** Texts in handlers and messages: `skip` keeps that there is one, not what it says. */
  readonly texts?: 'keep' | 'skip';
  /** A function's body: as written, or only the calls in it, in order. */
  readonly functions?: 'keep' | 'calls';
}

/** Names locals by the order in which they appear, so one instance must write all parts of one form. */
export class NormalForm {
  private readonly names = new Map<Binding, string>();
  /** What constants are read through to; null for those that are kept as names. */
  private readonly inlined = new Map<Binding, string | null>();
  private readonly owners = new Map<string, number>();

  expr(file: SourceFile, expr: Expr, options: NormalOptions = {}, depth = 0): string {
    const go = (e: Expr): string => this.expr(file, e, options, depth);
    const list = (es: readonly Expr[]): string => es.map(go).join(',');
    switch (expr.k) {
      case 'id':
        return this.ident(file, expr.name, expr.b, options, depth);
      case 'mem':
        return `${go(expr.obj)}${expr.opt ? '?.' : '.'}${expr.prop}`;
      case 'idx':
        return `${go(expr.obj)}[${go(expr.index)}]`;
      case 'call':
        return `${go(expr.callee)}${expr.opt ? '?.' : ''}(${list(expr.args)})`;
      case 'new':
        return `new ${go(expr.callee)}(${list(expr.args)})`;
      case 'lit':
        return expr.kind === 'string' && options.texts === 'skip'
          ? '""'
          : JSON.stringify([expr.kind, expr.value]);
      case 'tmpl':
        return options.texts === 'skip' ? '""' : this.quasis(expr.quasis, expr.exprs.map(go));
      case 'tag':
        return `${go(expr.tag)}${this.quasis(expr.quasis.map(oneSpace), expr.exprs.map(go))}`;
      case 'obj':
        return `{${expr.props
          .map((p) =>
            p.kind === 'spread'
              ? go(p.value)
              : `${p.key === null ? `[${p.computed ? go(p.computed) : ''}]` : JSON.stringify(p.key)}:${go(p.value)}`,
          )
          .join(',')}}`;
      case 'arr':
        return `[${list(expr.items)}]`;
      case 'fn':
        return this.fn(file, expr.fn, options);
      case 'cls':
        return 'class';
      case 'await':
        return `await ${go(expr.arg)}`;
      case 'yield':
        return `yield${expr.star ? '*' : ''} ${expr.arg ? go(expr.arg) : ''}`;
      case 'un':
        return expr.prefix ? `${expr.op} ${go(expr.arg)}` : `${go(expr.arg)} ${expr.op}`;
      case 'bin':
        return `(${go(expr.l)} ${expr.op} ${go(expr.r)})`;
      case 'asg':
        return `(${this.target(file, expr.target, options, depth)} ${expr.op} ${go(expr.value)})`;
      case 'cond':
        return `(${go(expr.test)} ? ${go(expr.yes)} : ${go(expr.no)})`;
      case 'spread':
        return `...${go(expr.arg)}`;
      case 'as':
        return go(expr.arg);
      case 'this':
      case 'super':
        return expr.k;
      case 'import':
        return `import(${go(expr.arg)})`;
      case 'other':
        return `${expr.what}(${list(expr.kids)})`;
    }
  }

  stmts(file: SourceFile, body: readonly Stmt[], options: NormalOptions = {}): string {
    return body
      .map((st) => this.stmt(file, st, options))
      .filter((text) => text !== '')
      .join(';');
  }

  stmt(file: SourceFile, st: Stmt, options: NormalOptions = {}): string {
    const ex = (e: Expr): string => this.expr(file, e, options);
    const inner = (s: Stmt): string => `{${this.stmt(file, s, options)}}`;
    switch (st.k) {
      case 'var':
        return st.decls
          .map(
            (d) =>
              `${st.kind.includes('using') ? st.kind : 'var'} ${this.target(file, d.target, options, 0)}=${d.init ? ex(d.init) : ''}`,
          )
          .join(';');
      case 'expr':
        return ex(st.expr);
      case 'ret':
        return `return ${st.arg ? ex(st.arg) : ''}`;
      case 'throw':
        return `throw ${ex(st.arg)}`;
      case 'if':
        return `if(${ex(st.test)})${inner(st.then)}${st.else ? `else${inner(st.else)}` : ''}`;
      case 'for':
      case 'forof':
      case 'forin':
      case 'while':
      case 'do':
        return `${this.loopHead(file, st, options)}${inner(st.body)}`;
      case 'try':
        return `try${inner(st.block)}${this.tryTail(file, st, options)}`;
      case 'switch':
        return `switch(${ex(st.disc)}){${st.cases
          .map((c) => `${c.test ? ex(c.test) : 'default'}:${this.stmts(file, c.body, options)}`)
          .join('|')}}`;
      case 'block':
        return this.stmts(file, st.body, options);
      case 'break':
      case 'continue':
        return `${st.k}${st.label === null ? '' : ' label'}`;
      case 'label':
        return this.stmt(file, st.body, options);
      case 'fndecl':
        return this.fn(file, st.fn, options);
      case 'clsdecl':
        return 'class';
      case 'empty':
        return '';
    }
  }

  /** What decides how often a loop runs, without what it runs. */
  loopHead(
    file: SourceFile,
    st: Stmt & { k: 'for' | 'forof' | 'forin' | 'while' | 'do' },
    options: NormalOptions = {},
  ): string {
    const ex = (e: Expr): string => this.expr(file, e, options);
    switch (st.k) {
      case 'for':
        return `for(${st.init ? this.stmt(file, st.init, options) : ''};${st.test ? ex(st.test) : ''};${st.update ? ex(st.update) : ''})`;
      case 'forof':
      case 'forin':
        return `${st.k}${st.await ? ' await' : ''}(${ex(st.iter)})`;
      case 'while':
      case 'do':
        return `${st.k}(${ex(st.test)})`;
    }
  }

  /** The handler and what always runs, without the block that is tried. */
  tryTail(file: SourceFile, st: Stmt & { k: 'try' }, options: NormalOptions = {}): string {
    const handler = st.handler ? `catch{${this.stmts(file, st.handler.body, options)}}` : '';
    return `${handler}${st.final ? `finally{${this.stmts(file, st.final.body, options)}}` : ''}`;
  }

  private fn(file: SourceFile, id: number, options: NormalOptions): string {
    const fact = file.facts.functions[id];
    if (!fact) return 'fn';
    const head = `fn${fact.async ? ' async' : ''}${fact.generator ? '*' : ''}`;
    if (options.functions === 'calls') {
      const calls = file.index
        .within(id)
        .flatMap((f) => file.index.calls[f.id] ?? [])
        .map((call) =>
          this.expr(file, call.k === 'tag' ? call.tag : call.callee, { ...options, texts: 'skip' }),
        );
      return `${head}{${calls.join(';')}}`;
    }
    return `${head}{${this.stmts(file, fact.body, options)}}`;
  }

  private quasis(quasis: readonly string[], exprs: readonly string[]): string {
    return `\`${quasis.map((q, i) => q + (exprs[i] === undefined ? '' : `\${${exprs[i]}}`)).join('')}\``;
  }

  private target(file: SourceFile, node: Expr | Pattern, options: NormalOptions, depth: number): string {
    switch (node.k) {
      case 'pid':
        return this.local(file, node.b) ?? node.name;
      case 'pobj':
        return `{${node.props
          .map(
            (p) =>
              `${p.key ?? `[${p.computed ? this.expr(file, p.computed, options, depth) : ''}]`}:${this.target(file, p.value, options, depth)}`,
          )
          .join(',')}${node.rest ? `,...${this.target(file, node.rest, options, depth)}` : ''}}`;
      case 'parr':
        return `[${node.items.map((p) => (p ? this.target(file, p, options, depth) : '')).join(',')}]`;
      case 'pdef':
        return `${this.target(file, node.target, options, depth)}=${this.expr(file, node.value, options, depth)}`;
      case 'pexpr':
        return this.expr(file, node.expr, options, depth);
      default:
        return this.expr(file, node, options, depth);
    }
  }

  private ident(file: SourceFile, name: string, b: number, options: NormalOptions, depth: number): string {
    const binding = file.facts.bindings[b];
    if (!binding) return name;
    const { decl } = binding;
    if (decl?.k === 'import') return `import(${decl.from.startsWith('.') ? '' : decl.from}:${decl.name})`;
    // A value that is only given a name is what it is given: taking it out of the call, or into it, changes nothing.
    if (decl?.k === 'init' && binding.kind === 'const' && decl.path.length === 0 && depth < MAX_DEPTH) {
      const known = this.inlined.get(binding);
      if (known !== undefined && known !== null) return known;
      // Each is read through once: chains of constants would otherwise grow without end.
      if (
        known === undefined &&
        decl.init.e - decl.init.s < MAX_SOURCE &&
        isPlain(decl.init, binding.fn !== 0)
      ) {
        this.inlined.set(binding, null);
        const text = this.expr(file, decl.init, options, depth + 1);
        if (text.length <= MAX_INLINED) {
          this.inlined.set(binding, text);
          return text;
        }
      }
    }
    return this.local(file, b) ?? name;
  }

  /** Null for what is declared at the top of the module. */
  private local(file: SourceFile, b: number): string | null {
    const binding = file.facts.bindings[b];
    if (!binding || binding.fn === 0) return null;
    const known = this.names.get(binding);
    if (known !== undefined) return known;
    const { decl } = binding;
    // A parameter, or a part of one, is named by where it comes in: which of two clients is used must be seen.
    const name =
      decl?.k === 'param'
        ? `@${this.owner(file, decl.fn)}.${[decl.index, ...decl.path].join('.')}`
        : decl?.k === 'init' && decl.path.length > 0
          ? `$${this.names.size}.${decl.path.join('.')}`
          : `$${this.names.size}`;
    this.names.set(binding, name);
    return name;
  }

  private owner(file: SourceFile, fn: number): number {
    const key = `${file.path}#${fn}`;
    const known = this.owners.get(key) ?? this.owners.size;
    this.owners.set(key, known);
    return known;
  }
}

/** Values, options and ids, not work: nothing awaited, no function; at the top of a module no call either. */
function isPlain(init: Expr, calls: boolean): boolean {
  const work = new Set(['await', 'fn', 'cls', 'yield', 'new', ...(calls ? [] : ['call', 'tag'])]);
  return !some(init, (node: AnyNode) => work.has(node.k));
}

function oneSpace(text: string): string {
  return text.replace(/\s+/g, ' ');
}
