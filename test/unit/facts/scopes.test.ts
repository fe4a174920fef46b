/** Names and what they stand for: hoisting, shadowing, closures, writes, types beside values. */
import { strict as assert } from 'node:assert';
import { bindingOf, lower, show, usesOf } from './lowered.ts';

describe('scopes', () => {
  it('functions, classes and vars are known before their line', () => {
    assert.deepEqual(usesOf('f();\nfunction f() {}\nnew f();', 'f'), ['1→2', '3→2']);
    assert.deepEqual(usesOf('const g = () => C;\nclass C {}', 'C'), ['1→2']);
    assert.deepEqual(usesOf('function f() {\n  x = 1;\n  if (a) { var x; }\n  return x;\n}', 'x'), [
      '2→3',
      '4→3',
    ]);
  });

  it('the nearest declaration wins', () => {
    assert.deepEqual(
      usesOf(
        `const x = 1;
function f(x) {
  use(x);
  { const x = 2; use(x); }
  use(x);
}
use(x);
try {} catch (x) { use(x); }
for (const x of xs) use(x);
use(x);`,
        'x',
      ),
      ['3→2', '4→4', '5→2', '7→1', '8→8', '9→9', '10→1'],
    );
  });

  it('block functions, switch cases and class names are local', () => {
    assert.deepEqual(usesOf('{ function f() {} f(); }\nf();', 'f'), ['1→1', '2→-']);
    assert.deepEqual(usesOf('switch (a) {\n case 1: let x = 1; use(x);\n case 2: use(x);\n}\nuse(x);', 'x'), [
      '2→2',
      '3→2',
      '5→-',
    ]);
    assert.deepEqual(usesOf('const A = class B {\n  m() { return B; }\n};\nB;', 'B'), ['2→1', '4→-']);
    assert.deepEqual(usesOf('const a = function b() {\n  b();\n};\nb();', 'b'), ['2→1', '4→-']);
  });

  it('what nothing declares is global', () => {
    assert.deepEqual(usesOf('fetch(x);', 'fetch'), ['1→-']);
    assert.equal(bindingOf(lower('function fetch() {}\nfetch();'), 'fetch').reads, 1);
  });

  it('imports: default, named, renamed, namespace, types, import equals', () => {
    const facts = lower(`import a, { b, c as d } from 'x';
import * as e from 'y';
import type { F } from 'z';
import { type G, h } from 'w';
import i = require('v');`);
    assert.deepEqual(
      facts.bindings.map((b) =>
        b.decl?.k === 'import'
          ? `${b.name}=${b.decl.from}:${b.decl.name}${b.decl.typeOnly ? ' type' : ''}`
          : b.name,
      ),
      ['a=x:default', 'b=x:b', 'd=x:c', 'e=y:*', 'F=z:F type', 'G=w:G type', 'h=w:h', 'i=v:='],
    );
  });

  it('destructuring says which way the value comes', () => {
    const facts = lower(`const { a, b: { c = 1 }, ...d } = init, [e, [f], ...g] = other;
function fn({ h, i: [j] }, k = 2, ...l) {}
for (const [m, n] of pairs) {}`);
    const path = (name: string): unknown => {
      const decl = bindingOf(facts, name).decl;
      if (!decl || !('path' in decl)) return null;
      return [decl.k, ...(decl.k === 'param' ? [decl.index] : []), ...decl.path];
    };
    assert.deepEqual(path('a'), ['init', 'a']);
    assert.deepEqual(path('c'), ['init', 'b', 'c']);
    assert.deepEqual(path('d'), ['init', '...']);
    assert.deepEqual(path('e'), ['init', 0]);
    assert.deepEqual(path('f'), ['init', 1, 0]);
    assert.deepEqual(path('g'), ['init', '...']);
    assert.deepEqual(path('h'), ['param', 0, 'h']);
    assert.deepEqual(path('j'), ['param', 0, 'i', 0]);
    assert.deepEqual(path('k'), ['param', 1]);
    assert.deepEqual(path('l'), ['param', 2]);
    assert.deepEqual(path('m'), ['each', 0]);
  });

  it('writes are kept with their values, and whether an inner function makes them', () => {
    const facts = lower(`let a; let b = 1; let c; let d = 0; let e;
a = f();
b += 1;
[c] = g();
d++;
const later = () => { e = h(); };
({ x: a } = i());`);
    const writes = (name: string): (string | null)[] =>
      bindingOf(facts, name).writes.map((w) => (w ? show(w) : null));
    assert.deepEqual(writes('a'), ['f()', null]);
    assert.deepEqual(writes('b'), ['1']);
    assert.deepEqual(writes('c'), [null]);
    assert.deepEqual(writes('d'), [null]);
    assert.deepEqual(writes('e'), ['h()']);
    assert.deepEqual(
      ['a', 'd', 'e'].map((n) => bindingOf(facts, n).closureWrite),
      [false, false, true],
    );
  });

  it('reads are counted, writes are not among them', () => {
    const facts = lower('let a = 1; a = 2; use(a, a); a++; const b = 1;');
    assert.equal(bindingOf(facts, 'a').reads, 2);
    assert.equal(bindingOf(facts, 'b').reads, 0);
  });

  it('a type and a value of one name do not meet', () => {
    const facts = lower(`interface Order { id: string }
const Order = makeModel();
type Pool = Db;
import { Pool as P } from 'pg';
let a: Order;
Order.find();
let b: P;`);
    const typeOf = (name: string): string => {
      const decl = facts.functions[0]?.body
        .flatMap((st) => (st.k === 'var' ? st.decls : []))
        .find((d) => d.target.k === 'pid' && d.target.name === name);
      return facts.bindings[decl?.type?.b ?? -1]?.kind ?? '-';
    };
    assert.equal(typeOf('a'), 'type');
    assert.equal(typeOf('b'), 'import');
    assert.equal(
      bindingOf(facts, 'Order', 1).kind === 'const' || bindingOf(facts, 'Order', 0).kind === 'const',
      true,
    );
    const constant = facts.bindings.find((b) => b.name === 'Order' && b.kind === 'const');
    assert.equal(constant?.reads, 1);
  });

  it('default values and computed keys see the scope they stand in', () => {
    assert.deepEqual(
      usesOf('const d = 1;\nfunction f(a = d, { [d]: b } = {}) {\n  { const d = 2; use(d); }\n}', 'd'),
      ['2→1', '2→1', '3→3'],
    );
  });
});
