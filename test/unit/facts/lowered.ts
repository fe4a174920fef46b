/** For tests of facts: a text lowered, its nodes as short text, and the places of names in it. */
import type { Binding, Expr, FileFacts, Pattern, Stmt, TypeRef } from '../../../server/src/facts/ir.ts';
import { lowerFile } from '../../../server/src/facts/lower.ts';
import { FileIndex } from '../../../server/src/facts/fileIndex.ts';
import { eachPart, type AnyNode } from '../../../server/src/facts/walk.ts';
import { parseSource } from '../../../server/src/syntax/parse.ts';

export function lower(text: string, path = 'src/a.ts'): FileFacts {
  return lowerFile(path, parseSource(path, text));
}

export function indexOf(text: string): FileIndex {
  return new FileIndex(lower(text));
}

/** The facts as an S-expression: enough to see shape, names and values. */
export function show(node: Expr | Stmt | Pattern | null): string {
  if (!node) return '_';
  switch (node.k) {
    case 'id':
    case 'pid':
      return node.name;
    case 'lit':
      return node.kind === 'string' ? JSON.stringify(node.value) : String(node.value);
    case 'mem':
      return `${show(node.obj)}${node.opt ? '?.' : '.'}${node.prop}`;
    case 'idx':
      return `${show(node.obj)}[${show(node.index)}]`;
    case 'call':
      return `${show(node.callee)}${node.opt ? '?.' : ''}${targs(node.targs)}(${node.args.map(show).join(', ')})`;
    case 'new':
      return `new ${show(node.callee)}${targs(node.targs)}(${node.args.map(show).join(', ')})`;
    case 'tmpl':
      return `\`${node.quasis.map((q, i) => (i > 0 ? `\${${show(node.exprs[i - 1] ?? null)}}${q}` : q)).join('')}\``;
    case 'tag':
      return `(tag ${show(node.tag)} ${node.quasis.join('$?')} ${node.exprs.map(show).join(' ')})`;
    case 'obj':
      return `{${node.props
        .map(
          (p) =>
            `${p.kind === 'init' ? '' : `${p.kind} `}${p.key ?? (p.computed ? `[${show(p.computed)}]` : '...')}: ${show(p.value)}`,
        )
        .join(', ')}}`;
    case 'arr':
      return `[${node.items.map(show).join(', ')}]`;
    case 'fn':
    case 'fndecl':
      return `fn${node.fn}`;
    case 'cls':
    case 'clsdecl':
      return `cls${node.cls}`;
    case 'await':
      return `(await ${show(node.arg)})`;
    case 'yield':
      return `(yield${node.star ? '*' : ''} ${show(node.arg)})`;
    case 'un':
      return node.prefix ? `(${node.op} ${show(node.arg)})` : `(${show(node.arg)} ${node.op})`;
    case 'bin':
      return `(${show(node.l)} ${node.op} ${show(node.r)})`;
    case 'asg':
      return `(${show(node.target)} ${node.op} ${show(node.value)})`;
    case 'cond':
      return `(${show(node.test)} ? ${show(node.yes)} : ${show(node.no)})`;
    case 'spread':
      return `...${show(node.arg)}`;
    case 'as':
      return `(as ${show(node.arg)} ${node.type ? showType(node.type) : '!'})`;
    case 'this':
      return 'this';
    case 'super':
      return 'super';
    case 'import':
      return `import(${show(node.arg)})`;
    case 'other':
      return `<${[node.what, ...node.kids.map(show)].join(' ')}>`;
    case 'pobj':
      return `{${[...node.props.map((p) => `${p.key ?? `[${show(p.computed)}]`}: ${show(p.value)}`), ...(node.rest ? [`...${show(node.rest)}`] : [])].join(', ')}}`;
    case 'parr':
      return `[${node.items.map(show).join(', ')}]`;
    case 'pdef':
      return `${show(node.target)} = ${show(node.value)}`;
    case 'pexpr':
      return `(${show(node.expr)})`;
    case 'var':
      return `${node.kind} ${node.decls.map((d) => `${show(d.target)}${d.type ? `: ${showType(d.type)}` : ''}${d.init ? ` = ${show(d.init)}` : ''}`).join(', ')}`;
    case 'expr':
      return show(node.expr);
    case 'ret':
      return node.arg ? `return ${show(node.arg)}` : 'return';
    case 'throw':
      return `throw ${show(node.arg)}`;
    case 'if':
      return `if ${show(node.test)} ${show(node.then)}${node.else ? ` else ${show(node.else)}` : ''}`;
    case 'for':
      return `for (${show(node.init)}; ${show(node.test)}; ${show(node.update)}) ${show(node.body)}`;
    case 'forof':
    case 'forin':
      return `${node.k}${node.await ? ' await' : ''} (${show(node.decl ?? node.target)} in ${show(node.iter)}) ${show(node.body)}`;
    case 'while':
    case 'do':
      return `${node.k} (${show(node.test)}) ${show(node.body)}`;
    case 'try':
      return `try ${show(node.block)}${node.handler ? ` catch (${show(node.param)}) ${show(node.handler)}` : ''}${node.final ? ` finally ${show(node.final)}` : ''}`;
    case 'switch':
      return `switch (${show(node.disc)}) ${node.cases.map((c) => `${c.test ? `case ${show(c.test)}` : 'default'}: [${c.body.map(show).join('; ')}]`).join(' ')}`;
    case 'block':
      return `{ ${node.body.map(show).join('; ')} }`;
    case 'break':
    case 'continue':
      return node.label ? `${node.k} ${node.label}` : node.k;
    case 'label':
      return `${node.name}: ${show(node.body)}`;
    case 'empty':
      return ';';
  }
}

function targs(list: readonly TypeRef[] | null): string {
  return list ? `<${list.map(showType).join(', ')}>` : '';
}

export function showType(type: TypeRef): string {
  if (type.members)
    return `{${Object.entries(type.members)
      .map(([k, t]) => `${k}: ${showType(t)}`)
      .join(', ')}}`;
  return type.args.length > 0 ? `${type.name}<${type.args.map(showType).join(', ')}>` : type.name;
}

/** Statements of the module, each as text. */
export function shown(text: string, path?: string): string[] {
  return (lower(text, path).functions[0]?.body ?? []).map(show);
}

/** The one binding of a name that was declared `nth` (from 0). */
export function bindingOf(facts: FileFacts, name: string, nth = 0): Binding {
  const found = facts.bindings.filter((b) => b.name === name)[nth];
  if (!found) throw new Error(`no binding ${name}`);
  return found;
}

/** For each use of a name in source order: the line on which its binding is declared, or `-`. */
export function usesOf(text: string, name: string): string[] {
  const facts = lower(text);
  const lineOf = (at: number): number => text.slice(0, at).split('\n').length;
  const found: { s: number; at: string }[] = [];
  const visit = (node: AnyNode): void => {
    if (node.k === 'id' && node.name === name) {
      const b = facts.bindings[node.b];
      found.push({ s: node.s, at: `${lineOf(node.s)}→${b ? lineOf(b.s) : '-'}` });
    }
    eachPart(node, visit);
  };
  for (const fn of facts.functions) {
    for (const p of fn.params) visit(p.target);
    for (const st of fn.body) visit(st);
  }
  for (const cls of facts.classes) for (const p of cls.props) if (p.init) visit(p.init);
  return found.sort((a, b) => a.s - b.s).map((f) => f.at);
}
