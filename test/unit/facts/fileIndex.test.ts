/** Look-ups in one file: parents, functions around a place, calls by function, where a callback is handed to. */
import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import type { CallLike } from '../../../server/src/facts/fileIndex.ts';
import { isStmt } from '../../../server/src/facts/fileIndex.ts';
import { indexOf, show } from './lowered.ts';

const CODE = `
import { a } from 'x';
const top = a(1);
export class Service {
  private pool = makePool({ onError: (e) => report(e) });
  @Get(path('x'))
  async load(id = defaultId()) {
    try {
      return await this.pool.query(\`\${key(id)}\`, async (row) => { await save(row); });
    } catch (e) {
      log(e);
    }
  }
}
function outer() {
  const inner = () => sql\`select\`;
  return new Thing({ nested: { cb: function named() { deep(); } } });
}
`;

const name = (c: CallLike): string => show(c.k === 'tag' ? c.tag : c.callee);

describe('file index', () => {
  it('calls stand under the function they are written in, in source order', () => {
    const index = indexOf(CODE);
    assert.deepEqual(
      index.calls.map(
        (list, fn) =>
          `${index.facts.functions[fn]?.name ?? index.facts.functions[fn]?.kind}: ${list.map(name).join(' ')}`,
      ),
      [
        'module: a makePool Get path',
        'onError: report',
        'load: defaultId this.pool.query key log',
        'arrow: save',
        'outer: Thing',
        'inner: sql',
        'named: deep',
      ],
    );
  });

  it('parents lead up to the statement, and functions to what holds them', () => {
    const index = indexOf(CODE);
    const call = index.calls.flat().find((c) => name(c) === 'key');
    assert.ok(call);
    const kinds = [...index.ancestors(call)].map((n) => n.k);
    assert.deepEqual(kinds, ['tmpl', 'call', 'await', 'ret', 'block', 'try']);
    assert.equal(index.statementOf(call)?.k, 'ret');
    assert.ok([...index.ancestors(call)].some(isStmt));
    assert.equal(index.facts.functions[index.functionOf(call)]?.name, 'load');
    for (const st of index.facts.functions[0]?.body ?? []) assert.equal(index.parent(st), undefined);
  });

  it('says which argument, under which path, a callback is', () => {
    const index = indexOf(CODE);
    const site = (fn: string | null): string | null => {
      const found = index.facts.functions.find((f) => f.name === fn && f.id > 0);
      const at = found ? index.argumentSite(found.id) : null;
      return at ? `${show(at.call.callee)} ${at.arg} ${at.path}` : null;
    };
    assert.equal(site('onError'), 'makePool 0 onError');
    assert.equal(site(null), 'this.pool.query 1 ');
    assert.equal(site('named'), 'Thing 0 nested.cb');
    assert.equal(site('inner'), null);
    assert.equal(site('load'), null);
    assert.equal(site('outer'), null);
  });

  it('an immediately called function is no argument', () => {
    const index = indexOf('(async () => { await main(); })();\nrun((() => 1) as X);');
    assert.equal(index.argumentSite(1), null);
    assert.equal(index.argumentSite(2)?.arg, 0);
  });

  it('tries are listed by function', () => {
    const index = indexOf(CODE);
    assert.deepEqual(
      index.tries.map((t) => t.length),
      [0, 0, 1, 0, 0, 0, 0],
    );
  });

  it('the innermost function at any offset, and those within another, are what a plain search finds', () => {
    const sources = [
      CODE,
      'f(() => { g(() => 1, () => 2); }, function () {});',
      'class A { a = () => 1; b() { return () => () => 2; } @D(() => X) c() {} }',
    ];
    for (const source of sources) {
      const index = indexOf(source);
      const { functions } = index.facts;
      fc.assert(
        fc.property(fc.nat({ max: source.length }), (offset) => {
          const holding = functions
            .filter((f) => f.id !== 0 && f.s <= offset && offset < f.e)
            .sort((a, b) => a.e - a.s - (b.e - b.s));
          assert.equal(index.innermost(offset), holding[0]?.id ?? 0);
        }),
        { numRuns: 300 },
      );
      for (const fn of functions.slice(1))
        assert.deepEqual(
          index.within(fn.id).map((f) => f.id),
          functions.filter((f) => f.id >= fn.id && f.s >= fn.s && f.e <= fn.e).map((f) => f.id),
        );
    }
  });
});
