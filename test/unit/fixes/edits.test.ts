/** New code in old: indentation, commas, quotes, line ends, imports in the file's own style. */
import { strict as assert } from 'node:assert';
import { applyEdits } from '../../../server/src/base/textEdit.ts';
import type { Obj } from '../../../server/src/facts/ir.ts';
import {
  addArgument,
  addProperty,
  indentAt,
  indentMore,
  indentUnit,
  insertAfter,
  insertBefore,
  lineEnd,
  quoteOf,
  replaceNode,
  usesSemicolons,
} from '../../../server/src/fixes/edits.ts';
import { addNamedImport } from '../../../server/src/fixes/imports.ts';
import { lower } from '../facts/lowered.ts';

function objectOf(text: string): Obj {
  const st = lower(text).functions[0]?.body[0];
  const expr = st?.k === 'expr' && st.expr.k === 'call' ? st.expr.args[0] : undefined;
  assert.ok(expr?.k === 'obj');
  return expr;
}
const withProperty = (text: string): string => applyEdits(text, [addProperty(text, objectOf(text), 'x: 1')]);

function withArgument(text: string, index: number): string {
  const st = lower(text).functions[0]?.body[0];
  assert.ok(st?.k === 'expr' && st.expr.k === 'call');
  return applyEdits(text, [addArgument(text, st.expr, index, 'x')]);
}

function withImport(text: string, name = 'sleep', from = './sleep.js'): string {
  const edit = addNamedImport(text, lower(text), name, from);
  return edit ? applyEdits(text, [edit]) : text;
}

const parses = (text: string): boolean => lower(text).syntaxErrors.length === 0;

describe('edits of fixes', () => {
  it('properties go to the end, in the layout of the object', () => {
    const table: readonly (readonly [string, string])[] = [
      ['f({});', 'f({ x: 1 });'],
      ['f({ });', 'f({ x: 1 });'],
      ['f({ a });', 'f({ a, x: 1 });'],
      ['f({ a, });', 'f({ a, x: 1 });'],
      ['f({a: 1});', 'f({a: 1, x: 1});'],
      ['f({\n  a: 1,\n});', 'f({\n  a: 1,\n  x: 1,\n});'],
      ['f({\n  a: 1\n});', 'f({\n  a: 1,\n  x: 1\n});'],
      ['f({\n\ta: 1,\n});', 'f({\n\ta: 1,\n\tx: 1,\n});'],
      ['f({\r\n  a: 1,\r\n});', 'f({\r\n  a: 1,\r\n  x: 1,\r\n});'],
      ['f({\n  a: 1, // one\n});', 'f({\n  a: 1, // one\n  x: 1,\n});'],
      ['f({ ...a });', 'f({ ...a, x: 1 });'],
      ['f({ a() { return 1; } });', 'f({ a() { return 1; }, x: 1 });'],
    ];
    for (const [before, after] of table) assert.equal(withProperty(before), after);
    for (const text of [
      'f({ /* none */ });',
      'f({ a /* , */ });',
      'f({\n  a: 1 // one\n});',
      'f({ a, /* b */ });',
      'f({\n  // only a comment\n});',
    ])
      assert.ok(parses(withProperty(text)), withProperty(text));
  });

  it('arguments: after the last one, missing ones between are undefined', () => {
    const table: readonly (readonly [string, number, string])[] = [
      ['f();', 0, 'f(x);'],
      ['f(a);', 1, 'f(a, x);'],
      ['f(a);', 3, 'f(a, undefined, undefined, x);'],
      ['f(a,);', 1, 'f(a, x);'],
      ['f(\n  a,\n);', 1, 'f(\n  a,\n  x,\n);'],
    ];
    for (const [before, index, after] of table) assert.equal(withArgument(before, index), after);
    for (const text of ['f(a /* , */);', 'f(/* none */);', 'f(a, // one\n);', 'f(`)`);'])
      assert.ok(parses(withArgument(text, 1)), withArgument(text, 1));
  });

  it('lines before and after a statement keep its indentation and the line ends', () => {
    const text = 'async function f() {\r\n\tawait g();\r\n}\r\n';
    const st = lower(text).functions[1]?.body[0];
    assert.ok(st);
    assert.equal(
      applyEdits(text, [insertBefore(text, st, ['a();', 'b();'])]),
      'async function f() {\r\n\ta();\r\n\tb();\r\n\tawait g();\r\n}\r\n',
    );
    assert.equal(
      applyEdits(text, [insertAfter(text, st, ['a();'])]),
      'async function f() {\r\n\tawait g();\r\n\ta();\r\n}\r\n',
    );
    assert.equal(applyEdits(text, [replaceNode(st, 'h();')]), 'async function f() {\r\n\th();\r\n}\r\n');
  });

  it('reads the habits of a file', () => {
    assert.equal(indentUnit('a\n\tb'), '\t');
    assert.equal(indentUnit('a\n    b\n        c'), '    ');
    assert.equal(indentUnit('a\n  b\n    c'), '  ');
    assert.equal(indentUnit('a'), '  ');
    assert.equal(lineEnd('a\r\nb'), '\r\n');
    assert.equal(lineEnd('a\nb'), '\n');
    assert.equal(quoteOf('"a" "b" \'c\''), '"');
    assert.equal(quoteOf(''), "'");
    assert.equal(usesSemicolons('const a = 1\nconst b = 2\n'), false);
    assert.equal(usesSemicolons('const a = 1;\nconst b = {\n'), true);
    assert.equal(indentAt('a\n    b', 6), '    ');
    assert.equal(indentAt('a\r\tb', 3), '\t');
  });

  it('moves statements one level deeper', () => {
    const text = 'a();\nif (b) {\n  c();\n}\n\nd();';
    assert.equal(
      indentMore(text, lower(text).functions[0]?.body ?? [], '  '),
      'a();\n  if (b) {\n    c();\n  }\n\n  d();',
    );
  });

  it('imports: a new line behind the others, into an existing one, never twice', () => {
    const table: readonly (readonly [string, string])[] = [
      ["import a from 'a';\nrun();\n", "import a from 'a';\nimport { sleep } from './sleep.js';\nrun();\n"],
      ["import { other } from './sleep.js';\n", "import { other, sleep } from './sleep.js';\n"],
      ["import {\n  other,\n} from './sleep.js';\n", "import {\n  other,\n  sleep,\n} from './sleep.js';\n"],
      [
        "import type { T } from './sleep.js';\n",
        "import type { T } from './sleep.js';\nimport { sleep } from './sleep.js';\n",
      ],
      ["import { sleep } from './sleep.js';\n", "import { sleep } from './sleep.js';\n"],
      ['const sleep = 1;\n', 'const sleep = 1;\n'],
      [
        'import a from "a"\nimport b from "b"\n',
        'import a from "a"\nimport b from "b"\nimport { sleep } from "./sleep.js"\n',
      ],
      ['run();\n', "import { sleep } from './sleep.js';\nrun();\n"],
      [
        "#!/usr/bin/env node\n'use strict';\nrun();\n",
        "#!/usr/bin/env node\n'use strict';\nimport { sleep } from './sleep.js';\nrun();\n",
      ],
      [
        "const a = require('a');\nrun();\n",
        "const a = require('a');\nconst { sleep } = require('./sleep.js');\nrun();\n",
      ],
      [
        "import a from 'a';\r\nrun();\r\n",
        "import a from 'a';\r\nimport { sleep } from './sleep.js';\r\nrun();\r\n",
      ],
    ];
    for (const [before, after] of table) {
      assert.equal(withImport(before), after);
      assert.ok(parses(after));
    }
  });
});
