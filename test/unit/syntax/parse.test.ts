/** Parsing: script kinds, tolerance, reuse of an old tree, the deepest place of a text. */
import { strict as assert } from 'node:assert';
import { deepestPlace } from '../../../server/src/syntax/nesting.ts';
import { parseSource, reparseSource } from '../../../server/src/syntax/parse.ts';
import { lowerFile } from '../../../server/src/facts/lower.ts';

describe('parsing', () => {
  it('the extension decides what < means', () => {
    const errors = (path: string, text: string): number =>
      lowerFile(path, parseSource(path, text)).syntaxErrors.length;
    for (const path of ['a.ts', 'a.mts', 'a.cts']) {
      assert.equal(errors(path, 'const a = <T>b;'), 0, path);
      assert.ok(errors(path, 'const a = <b>c</b>;') > 0, path);
    }
    for (const path of ['a.tsx', 'a.js', 'a.jsx', 'a.mjs', 'a.cjs'])
      assert.equal(errors(path, 'const a = <b>c</b>;'), 0, path);
  });

  it('an edited tree is that of the new text', () => {
    const before = 'export const a = 1;\nexport function f() { return a; }\n';
    const tree = parseSource('a.ts', before);
    const after = before.replace('return a', 'return g(a, 2)');
    const edited = reparseSource(tree, after);
    assert.deepEqual(lowerFile('a.ts', edited), lowerFile('a.ts', parseSource('a.ts', after)));
    const emptied = reparseSource(edited, '');
    assert.deepEqual(lowerFile('a.ts', emptied).functions[0]?.body, []);
  });

  it('errors carry their place and do not end the reading', () => {
    const facts = lowerFile('a.ts', parseSource('a.ts', 'a();\nconst = ;\nb();\n'));
    assert.ok(facts.syntaxErrors.length > 0);
    assert.ok(facts.syntaxErrors.every((e) => e.s >= 5 && e.s < 15 && e.message.length > 0));
    assert.equal(facts.functions[0]?.body.at(-1)?.k, 'expr');
  });

  it('the deepest place is where brackets pile up', () => {
    assert.equal(deepestPlace('f(a, [b, {c}])'), 9);
    assert.equal(deepestPlace('))) f()'), 5);
    assert.equal(deepestPlace('none'), 0);
  });
});
