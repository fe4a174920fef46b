/** Lowering: every kind of node, members and modifiers, exports, half-typed code, comments. */
import { strict as assert } from 'node:assert';
import { lower, show, shown, showType } from './lowered.ts';

/** Source → the facts of its statements. */
const EXPRESSIONS: readonly (readonly [string, string])[] = [
  ['a;', 'a'],
  ['a.b?.c;', 'a.b?.c'],
  ["a['b'];", 'a.b'],
  ['a[b];', 'a[b]'],
  ['a.#b;', 'a.#b'],
  ['f(1, "x", ...y);', 'f(1, "x", ...y)'],
  ['f?.<T>(1);', 'f?.<T>(1)'],
  ['new A<B, C[]>(x);', 'new A<B, []<C>>(x)'],
  ['new A;', 'new A()'],
  ['1; 0x10; 1_000; 2n; true; null; /x/g;', '1|16|1000|2n|true|null|/x/g'],
  ["'a' + `b`;", '("a" + "b")'],
  ['`a${b}c${d}`;', '`a${b}c${d}`'],
  ['sql`select ${a} from ${b}`;', '(tag sql select $? from $? a b)'],
  ['sql`now`;', '(tag sql now )'],
  [
    '({ a, b: 1, "c": 2, [d]: 3, ...e, f() {}, get g() { return 1; }, set g(v) {} });',
    '{short a: a, b: 1, c: 2, [d]: 3, spread ...: e, method f: fn1, get g: fn2, set g: fn3}',
  ],
  ['[1, , ...a];', '[1, ...a]'],
  ['(() => 1); (function f() {}); (async () => {});', 'fn1|fn2|fn3'],
  ['(class A extends B {});', 'cls0'],
  [
    '!a; -a; typeof a; void a; delete a.b; ++a; a--;',
    '(! a)|(- a)|(typeof a)|(void a)|(delete a.b)|(++ a)|(a --)',
  ],
  ['a + b * c; a ?? b; a && b || c;', '(a + (b * c))|(a ?? b)|((a && b) || c)'],
  [
    'a = b; a += 1; a.b ??= c; [a, b.c] = d; ({ a, b: c = 1, ...d } = e);',
    '(a = b)|(a += 1)|(a.b ??= c)|([a, (b.c)] = d)|({a: a, b: c = 1, ...d} = e)',
  ],
  ['a ? b : c;', '(a ? b : c)'],
  ['a as B; <C>a; a!; a satisfies D;', '(as a B)|(as a C)|(as a !)|(as a D)'],
  ['this.a; import("./x"); import.meta.url;', 'this.a|import("./x")|<meta>.url'],
  ['a, b, c;', '<seq a b c>'],
  ['((a));', 'a'],
];

const STATEMENTS: readonly (readonly [string, string])[] = [
  [
    'const { a, b: { c }, ...d } = e, [f, , g = 1] = h;',
    'const {a: a, b: {c: c}, ...d} = e, [f, _, g = 1] = h',
  ],
  ['let a: Map<string, B>; var b = 1; using c = d(); ', 'let a: Map<string, B>|var b = 1|using c = d()'],
  ['if (a) b; else if (c) { d; } else e;', 'if a b else if c { d } else e'],
  [
    'for (let i = 0; i < 3; i++) f(i); for (;;) {}',
    'for (let i = 0; (i < 3); (i ++)) f(i)|for (_; _; _) {  }',
  ],
  [
    'for (const x of xs) f(x); for (a.b of xs) ; for (const k in o) {}',
    'forof (const x in xs) f(x)|forof (a.b in xs) ;|forin (const k in o) {  }',
  ],
  ['for await (const x of xs) {}', 'forof await (const x in xs) {  }'],
  ['while (a) b(); do { c(); } while (d);', 'while (a) b()|do (d) { c() }'],
  [
    'try { a(); } catch (e) { b(); } finally { c(); } try { a(); } catch { }',
    'try { a() } catch (e) { b() } finally { c() }|try { a() } catch (_) {  }',
  ],
  [
    'switch (a) { case 1: case 2: b(); break; default: c(); }',
    'switch (a) case 1: [] case 2: [b(); break] default: [c()]',
  ],
  ['l: for (;;) { continue l; } throw a; ;', 'l: for (_; _; _) { continue l }|throw a|;'],
  ['function f() { return; } class A {} export default a;', 'fndecl|clsdecl|a'],
];

describe('lowering', () => {
  for (const [source, expected] of EXPRESSIONS)
    it(`expression ${source}`, () => assert.equal(shown(source).join('|'), expected));

  for (const [source, expected] of STATEMENTS)
    it(`statement ${source}`, () =>
      assert.equal(
        shown(source)
          .join('|')
          .replace(/\bfn\d+/g, 'fndecl')
          .replace(/\bcls\d+/g, 'clsdecl'),
        expected,
      ));

  it('spans are those of the source', () => {
    const text = '  foo . bar( baz )  ;';
    const st = lower(text).functions[0]?.body[0];
    assert.ok(st?.k === 'expr' && st.expr.k === 'call' && st.expr.callee.k === 'mem');
    assert.equal(text.slice(st.expr.s, st.expr.e), 'foo . bar( baz )');
    assert.equal(text.slice(st.expr.callee.s, st.expr.callee.e), 'foo . bar');
    assert.equal(text.slice(st.expr.callee.ps), 'bar( baz )  ;');
    assert.equal(text.slice(st.expr.args[0]?.s, st.expr.args[0]?.e), 'baz');
  });

  it('functions: names, kinds, flags, where they are written', () => {
    const facts = lower(`
export async function a() {}
const b = async () => {};
const c = { d: function () {}, e() {}, async *f() {} };
class G { h = () => {}; static async i() {} get j() { return 1; } constructor() {} static { init(); } #k() {} }
x.y = () => {};
z(() => {});
export default async function () {}
`);
    assert.deepEqual(
      facts.functions
        .slice(1)
        .map((f) =>
          [
            f.name ?? '-',
            f.kind,
            f.async ? 'async' : '',
            f.generator ? '*' : '',
            f.static ? 'static' : '',
            f.exported ? 'exported' : '',
            f.cls >= 0 ? 'member' : '',
          ]
            .filter(Boolean)
            .join(' '),
        ),
      [
        'a function async exported',
        'b arrow async',
        'd function',
        'e method',
        'f method async *',
        'h arrow',
        'i method async static member',
        'j getter member',
        'constructor constructor member',
        '- static-block member',
        '#k method member',
        '- arrow',
        '- arrow',
        '- function async exported',
      ],
    );
    assert.ok(facts.functions.slice(1).every((f) => f.parent === 0));
  });

  it('parameters: defaults, patterns, rest, properties, decorators, types', () => {
    const facts = lower(`
class A {
  constructor(private readonly db: Db, @Inject('X') public x: X<Y>, plain: string) {}
  m({ a, b = 1 }: { a: string; b?: number }, [c]: string[], d = f(), ...rest: any[]) {}
}
`);
    const [ctor, m] = facts.functions.slice(1);
    assert.deepEqual(
      ctor?.params.map((p) => [
        show(p.target),
        p.type ? showType(p.type) : null,
        p.property,
        p.decorators.map(show),
      ]),
      [
        ['db', 'Db', true, []],
        ['x', 'X<Y>', true, ['Inject("X")']],
        ['plain', 'string', false, []],
      ],
    );
    assert.deepEqual(
      m?.params.map((p) => [show(p.target), p.rest, p.type ? showType(p.type) : null]),
      [
        ['{a: a, b: b = 1}', false, '{a: string, b: number}'],
        ['[c]', false, '[]<string>'],
        ['d = f()', false, null],
        ['rest', true, '[]<any>'],
      ],
    );
  });

  it('classes: heritage, members, property types and initialisers, decorators', () => {
    const facts = lower(`
@Injectable({ scope: 1 })
export class A extends mixin(B) implements C<D>, E {
  @Input() name: string = 'x';
  static count = 0;
  readonly db!: Db;
  declare x: number;
  abstract y(): void;
}
`);
    const [cls] = facts.classes;
    assert.ok(cls);
    assert.equal(cls.name, 'A');
    assert.equal(cls.exported, true);
    assert.equal(show(cls.extends), 'mixin(B)');
    assert.deepEqual(cls.implements.map(showType), ['C<D>', 'E']);
    assert.deepEqual(cls.decorators.map(show), ['Injectable({scope: 1})']);
    assert.deepEqual(
      cls.props.map((p) => [
        p.name,
        p.static,
        show(p.init),
        p.type ? showType(p.type) : null,
        p.decorators.map(show),
      ]),
      [
        ['name', false, '"x"', 'string', ['Input()']],
        ['count', true, '0', null, []],
        ['db', false, '_', 'Db', []],
        ['x', false, '_', 'number', []],
      ],
    );
  });

  it('this and super know their class, in initialisers and inner functions too', () => {
    const facts = lower(`
class A { a = this.x; m() { return () => this.y; } }
class B extends A { m() { super.m(); } n = class { o = this.z; }; }
this.w;
`);
    const seen: string[] = [];
    const visit = (node: unknown): void => {
      if (typeof node !== 'object' || node === null) return;
      if (Array.isArray(node)) return node.forEach(visit);
      const n = node as { k?: string; cls?: number; obj?: { k: string; cls: number }; prop?: string };
      if (n.k === 'mem' && (n.obj?.k === 'this' || n.obj?.k === 'super'))
        seen.push(`${n.prop}:${facts.classes[n.obj.cls]?.name ?? n.obj.cls}`);
      Object.values(node).forEach(visit);
    };
    visit(facts.functions.map((f) => f.body));
    visit(facts.classes.map((c) => c.props.map((p) => p.init)));
    assert.deepEqual(
      seen.sort(),
      ['m:B', 'w:-1', 'x:A', 'y:A', `z:${facts.classes.findIndex((c) => c.name === null)}`].sort(),
    );
  });

  it('exports: declarations, lists, defaults, re-exports, CommonJS', () => {
    const exports = (text: string, path?: string): string[] => {
      const facts = lower(text, path);
      return facts.exports.map(
        (x) =>
          `${x.name}${x.local >= 0 ? `=${facts.bindings[x.local]?.name}` : ''}${x.from ? ` from ${x.from}:${x.imported}` : ''}${x.expr ? ` ${show(x.expr)}` : ''}`,
      );
    };
    assert.deepEqual(
      exports('export const a = 1, { b, c: [d] } = e; export function f() {} export class G {}'),
      ['a=a', 'b=b', 'd=d', 'f=f', 'G=G'],
    );
    assert.deepEqual(exports('const a = 1; export { a, a as b, a as default };'), [
      'a=a',
      'b=a',
      'default=a',
    ]);
    assert.deepEqual(exports("export { a, b as c } from 'x'; export * from 'y'; export * as z from 'z';"), [
      'a from x:a',
      'c from x:b',
      '* from y:*',
      'z from z:*',
    ]);
    assert.deepEqual(exports('export default () => {};'), ['default fn1']);
    assert.deepEqual(exports('const a = 1; export default a;'), ['default=a a']);
    assert.deepEqual(exports('export enum E { A } export type T = string; export interface I {}'), [
      'E=E',
      'T=T',
      'I=I',
    ]);
    assert.deepEqual(
      exports(
        "const a = require('x'); module.exports = { a }; module.exports.b = a; exports.c = () => {};",
        'a.js',
      ),
      ['= {short a: a}', 'b=a a', 'c fn1'],
    );
    assert.deepEqual(exports('export = a; const a = 1;'), ['==a a']);
  });

  it('specifiers: imports, re-exports, require, dynamic, types', () => {
    assert.deepEqual(
      lower(`import 'a'; import b from 'b'; import type { C } from 'c'; export { d } from 'd'; const e = require('e');
const f = await import('f'); import g = require('g'); type H = import('h').H; require(x);`).specifiers,
      ['a', 'b', 'c', 'g', 'd', 'e', 'f', 'h'],
    );
  });

  it('enums keep their values', () => {
    const facts = lower("enum A { X, Y = 5, Z, S = 's' } const enum B { Q = 'q' }");
    const values = facts.bindings.map((b) => (b.decl?.k === 'enum' ? { ...b.decl.values } : null));
    assert.deepEqual(values, [{ X: 0, Y: 5, Z: 6, S: 's' }, { Q: 'q' }]);
  });

  it('types: unions, literals, queries, imports, members', () => {
    const type = (text: string): string => {
      const st = lower(`let a: ${text};`).functions[0]?.body[0];
      return st?.k === 'var' && st.decls[0]?.type ? showType(st.decls[0].type) : '?';
    };
    assert.equal(type('A | B<C> | null'), '|<A, B<C>, null>');
    assert.equal(type('A & { b: C }'), '&<A, {b: C}>');
    assert.equal(type('pg.Pool[]'), '[]<pg.Pool>');
    assert.equal(type('readonly string[]'), '[]<string>');
    assert.equal(type('[A, b: B]'), '[,]<A, B>');
    assert.equal(type('typeof db.client'), 'typeof<db.client>');
    assert.equal(type("import('pg').Pool"), 'import:pg:Pool');
    assert.equal(type('(a: B) => Promise<C>'), '=><Promise<C>>');
    assert.equal(type("'x'"), "'x'");
    const facts = lower('interface I<T> extends J<K>, L { a: string; b(): Promise<void>; c?: D }');
    assert.deepEqual(
      facts.interfaces.map((i) => [i.name, Object.keys(i.members), i.extends.map(showType)]),
      [['I', ['a', 'b', 'c'], ['J<K>', 'L']]],
    );
  });

  it('directives and JSX', () => {
    assert.deepEqual(lower("'use client';\n'use strict';\nf();").directives, ['use client', 'use strict']);
    assert.deepEqual(lower("async function a() { 'use server'; }").functions[1]?.directives, ['use server']);
    const facts = lower(
      'export const A = () => <B a={x} {...y} onClick={() => f(1)}>{z} text <C /></B>;',
      'a.tsx',
    );
    assert.equal(facts.jsx, true);
    const body = facts.functions[1]?.body[0];
    assert.equal(body?.k === 'ret' && show(body.arg), '<jsx x y fn2 z <jsx>>');
    assert.equal(lower('const a = 1;').jsx, false);
  });

  it('namespaces, overloads and declarations without bodies', () => {
    const facts = lower(
      'function f(a: string): void; function f(a: number): void; function f(a: any) { g(); }\ndeclare function h(): void; namespace N { export const x = f(1); }',
    );
    const f = facts.bindings.find((b) => b.name === 'f');
    assert.equal(f?.decl?.k === 'fn' && facts.functions[f.decl.fn]?.body.length, 1);
  });

  const HALF: readonly string[] = [
    'foo.',
    'foo?.',
    'await fetch(',
    'const x = ',
    'try {',
    'try { a(); } catch',
    'if (',
    'for (const x of ',
    'class A { m(',
    'class A extends ',
    'import { a, ',
    'export ',
    'export default ',
    'async (',
    'a ? b :',
    '`x${',
    'switch (a) { case',
    'const { a, b',
    '@Controller(',
    'new ',
    'function',
    'return',
    'x = {a: ',
    '<A>',
    'obj[',
    'a.b.#',
    'yield',
    'enum A {',
    'interface I { a:',
    'type T = ',
    'async function f() { await',
    '...',
    '/*',
    '"abc',
    'import x from',
    'label:',
  ];
  for (const text of HALF)
    it(`half-typed: ${text}`, () => {
      const facts = lower(`before();\n${text}`);
      const first = facts.functions[0]?.body[0];
      assert.equal(first ? show(first) : '', 'before()');
      assert.ok(facts.functions.every((f) => f.s <= f.e));
    });

  it('half-typed calls keep what was typed', () => {
    assert.deepEqual(shown('foo.\nbar();'), ['foo.bar()']);
    assert.deepEqual(shown('await fetch('), ['(await fetch())']);
    assert.deepEqual(shown('const x = await db.query('), ['const x = (await db.query())']);
    assert.deepEqual(shown('foo.;'), ['foo.']);
    assert.deepEqual(shown('f(a, );'), ['f(a)']);
    // The parser adds the `finally` that the grammar wants.
    assert.deepEqual(shown('try { a('), ['try { a() } finally {  }']);
  });

  it('comments of the tool, wherever they stand; not in strings', () => {
    const text = [
      '// sixlens-accept a: one',
      'f(); // sixlens-accept b: two',
      '/* sixlens-accept c: three */ g();',
      'const s = "// sixlens-accept no: string";',
      'const t = `',
      '// sixlens-accept no: template',
      '`;',
      'if (x) {',
      '  // sixlens-accept d: four',
      '}',
      'h(',
      '  // sixlens-accept e: five',
      '  a,',
      '  b, // sixlens-accept f: six',
      ');',
      'const r = /sixlens-accept no/;',
      'const o = {',
      '  a: 1,',
      '  // sixlens-accept g: seven',
      '};',
      'class A {',
      '  // sixlens-accept h: eight',
      '  m() {}',
      '  // sixlens-accept i: nine',
      '}',
      'switch (x) {',
      '  // sixlens-accept j: ten',
      '  case 1:',
      '    // sixlens-accept k: eleven',
      '    break;',
      '}',
      '// sixlens-accept z: last',
    ].join('\n');
    const facts = lower(text);
    assert.deepEqual(
      facts.comments.map((c) => /sixlens-accept (\w+)/.exec(c.text)?.[1]),
      ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'z'],
    );
    for (const c of facts.comments) assert.equal(text.slice(c.s, c.e), c.text);
  });

  it('the comment of a catch block is kept, that of functions inside it is not', () => {
    const comment = (body: string): string | null => {
      const st = lower(`try { a(); } catch (e) { ${body} }`).functions[0]?.body[0];
      return st?.k === 'try' ? st.handlerComment : null;
    };
    assert.equal(comment(''), null);
    assert.equal(comment('// on purpose\n'), '// on purpose');
    assert.equal(comment('/* one */ b(); // two\n'), '/* one */\n// two');
    assert.equal(comment('run(() => { /* inner */ });'), null);
  });

  it('offsets count UTF-16 units and lines end at every kind of line end', () => {
    const text = "const a = '😀';\r\nb();\rc();\n";
    const facts = lower(text);
    assert.deepEqual(facts.lineStarts, [0, 17, 22, 27]);
    const st = facts.functions[0]?.body[1];
    assert.equal(text.slice(st?.s, st?.e), 'b();');
  });
});
