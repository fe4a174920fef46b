/** Words for findings: names of places and times. Owns how code and numbers are written in messages. */
import type { Expr } from '../../facts/ir.ts';
import { uncast } from '../../facts/walk.ts';
import type { SourceFile } from '../../model/project.ts';
import type { Site } from '../../model/sites.ts';

/** The callee as people call it: `stripe.charges.create`, `fetch`, `db.insert`; arguments and line breaks left out. */
export function calleeName(site: Site): string {
  const { node, file } = site;
  const callee = node.k === 'tag' ? node.tag : node.callee;
  const name = exprName(file, callee);
  return node.k === 'new' ? `new ${name}` : name;
}

export function exprName(file: SourceFile, expr: Expr): string {
  const inner = uncast(expr);
  switch (inner.k) {
    case 'id':
      return inner.name;
    case 'this':
      return 'this';
    case 'super':
      return 'super';
    case 'mem': {
      const base = exprName(file, inner.obj);
      return base === 'this' ? `this.${inner.prop}` : `${base}.${inner.prop}`;
    }
    case 'call':
      return `${exprName(file, inner.callee)}()`;
    case 'new':
      return `new ${exprName(file, inner.callee)}()`;
    case 'await':
      return exprName(file, inner.arg);
    case 'idx':
      return `${exprName(file, inner.obj)}[…]`;
    default:
      return short(file.text.slice(inner.s, inner.e));
  }
}

/** `a \`link\``, `an \`invite\``. */
export function withArticle(name: string): string {
  return `${/^[aeio]|^u(?![ns]e|ni)/i.test(name) ? 'an' : 'a'} \`${name}\``;
}

/** One line of at most 60 characters. */
export function short(text: string): string {
  const flat = text.replace(/\s+/g, ' ').trim();
  return flat.length > 60 ? `${flat.slice(0, 57)}…` : flat;
}

/** `250 ms`, `5 s`, `10 min`, `2 h`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${ms} ms`;
  if (ms < 120_000) return `${trim(ms / 1000)} s`;
  if (ms < 7_200_000) return `${trim(ms / 60_000)} min`;
  return `${trim(ms / 3_600_000)} h`;
}

function trim(n: number): string {
  return String(Math.round(n * 10) / 10);
}
