/** Order and exits within a function: what excludes, follows and precedes what; what is released on every way out. */
import { strict as assert } from 'node:assert';
import type { Call } from '../../../server/src/facts/ir.ts';
import { exits, leaves } from '../../../server/src/model/frames.ts';
import {
  canFail,
  exclusive,
  mayFollow,
  mustPrecede,
  releasedOnAllExits,
} from '../../../server/src/model/paths.ts';
import { callsOf, probeOf } from './probe.ts';

/** The relation of `a()` to `b()` in a function body: `x` exclusive, `f` b may follow a, `p` a must precede b. */
function relation(body: string): string {
  const { file } = probeOf(`async function f(x, y, xs) {\n${body}\n}`);
  const [a] = callsOf(file, 'a');
  const [b] = callsOf(file, 'b');
  assert.ok(a && b);
  return [
    exclusive(file, a, b) ? 'x' : '',
    mayFollow(file, a, b) ? 'f' : '',
    mustPrecede(file, a, b) ? 'p' : '',
  ].join('');
}

const RELATIONS: readonly (readonly [string, string, string])[] = [
  ['one after the other', 'a(); b();', 'fp'],
  ['the other way round', 'b(); a();', ''],
  ['in one expression', 'return a() + b();', 'fp'],
  ['an argument runs before its call', 'b(a());', 'fp'],
  ['branches of an if', 'if (x) a(); else b();', 'x'],
  ['branches of else if', 'if (x) a(); else if (y) b(); else c();', 'x'],
  ['test and branch', 'if (a()) b();', 'fp'],
  ['in one branch, then after', 'if (x) a(); b();', 'f'],
  ['branches of ?:', 'const z = x ? a() : b();', 'x'],
  ['sides of &&', 'a() && b();', 'fp'],
  ['the right side of && may not run', 'x && a(); b();', 'f'],
  ['after an early return', 'if (x) { a(); return; } b();', 'x'],
  ['after an early throw', 'if (x) { a(); throw new Error(); } b();', 'x'],
  ['a guard that returns without it', 'if (!x) return; a(); b();', 'fp'],
  ['the other branch leaves', 'if (x) { a(); } else { return; } b();', 'fp'],
  ['cases that break', 'switch (x) { case 1: a(); break; case 2: b(); break; }', 'x'],
  ['a case that falls through', 'switch (x) { case 1: a(); case 2: b(); }', 'f'],
  ['a case that returns', 'switch (x) { case 1: a(); return; default: b(); }', 'x'],
  ['before a switch', 'a(); switch (x) { case 1: b(); }', 'fp'],
  ['in a loop, then after', 'for (const y of xs) a(); b();', 'f'],
  ['both in a loop', 'for (const y of xs) { b(); a(); }', 'f'],
  ['a loop may not run at all', 'while (x) { a(); } b();', 'f'],
  ['do runs once at least', 'do { a(); } while (x); b();', 'fp'],
  ['what a loop walks over', 'for (const y of a()) b();', 'fp'],
  ['try block, then after with a handler that goes on', 'try { a(); } catch { c(); } b();', 'f'],
  ['try block, then after with a handler that leaves', 'try { a(); } catch (e) { throw e; } b();', 'fp'],
  ['try block and its handler', 'try { a(); } catch { b(); }', 'f'],
  ['try block and its finally', 'try { a(); } finally { b(); }', 'f'],
  ['finally, then after', 'try { c(); } finally { a(); } b();', 'fp'],
  ['handler, then after', 'try { c(); } catch { a(); } b();', 'f'],
  ['the update of a loop stands before the body and runs after it', 'for (;; a()) b();', 'f'],
  ['the init of a loop', 'for (let i = a(); x; i++) b();', 'fp'],
  ['a chain', 'a().b; b();', 'fp'],
  ['a receiver runs before its method', 'b(x ? a() : 1);', 'f'],
  ['a throw that a handler passes on', 'try { if (x) { a(); throw c(); } } catch (e) { throw e; } b();', 'x'],
  ['a labelled block', 'l: { a(); b(); }', 'fp'],
  ['a return in a try that is caught', 'try { if (x) { a(); throw c(); } } catch {} b();', 'f'],
];

/** Whether `open()` is closed by `close()` on every way out; `leak` names the line of the first that is not (from 1). */
function released(body: string): string {
  const { file } = probeOf(`async function f(x, y, xs) {\n${body}\n}`);
  const [open] = callsOf(file, 'open');
  const statement = open && file.index.statementOf(open);
  assert.ok(statement);
  const result = releasedOnAllExits(
    file,
    statement,
    1,
    (n) => n.k === 'call' && n.callee.k === 'id' && n.callee.name === 'close',
  );
  return result.ok ? 'ok' : `leak ${file.lines.positionAt(result.leak.s).line - 1}`;
}

const RELEASES: readonly (readonly [string, string, string])[] = [
  ['in a finally', 'const c = await open();\ntry { await work(); } finally { close(); }', 'ok'],
  ['at once', 'const c = await open();\nclose();', 'ok'],
  ['never', 'const c = await open();\nlog;', 'leak 1'],
  ['a call in between can fail', 'const c = await open();\nawait work();\nclose();', 'leak 2'],
  [
    'a call before the try can fail',
    'const c = await open();\nawait begin();\ntry { await work(); } finally { close(); }',
    'leak 2',
  ],
  [
    'what cannot fail may stand between',
    'const c = await open();\nlet n = 1;\ntry { await work(); } finally { close(); }',
    'ok',
  ],
  [
    'only in the block',
    'const c = await open();\ntry { await work(); close(); } catch (e) { log(e); }',
    'leak 2',
  ],
  [
    'in the block and in the handler',
    'const c = await open();\ntry { await work(); close(); } catch (e) { close(); throw e; }',
    'ok',
  ],
  [
    'an early return in the block',
    'const c = await open();\ntry { if (x) return; await work(); close(); } catch (e) { close(); }',
    'leak 2',
  ],
  [
    'an early return before the try',
    'const c = await open();\nif (x) return;\ntry { await work(); } finally { close(); }',
    'leak 2',
  ],
  [
    'an early return that closes',
    'const c = await open();\nif (x) { close(); return; }\ntry { await work(); } finally { close(); }',
    'ok',
  ],
  [
    'the finally of a try around it',
    'try {\nconst c = await open();\nawait work();\nlog(c);\n} finally { close(); }',
    'leak 3',
  ],
];

describe('paths', () => {
  for (const [name, body, expected] of RELATIONS)
    it(`${name}: ${body}`, () => assert.equal(relation(body), expected));

  for (const [name, body, expected] of RELEASES)
    it(`released: ${name}`, () => assert.equal(released(body), expected));

  it('exclusive does not hang on the order that is asked for', () => {
    for (const [, body] of RELATIONS) {
      const { file } = probeOf(`async function f(x, y, xs) {\n${body}\n}`);
      const [a] = callsOf(file, 'a') as [Call];
      const [b] = callsOf(file, 'b') as [Call];
      assert.equal(exclusive(file, a, b), exclusive(file, b, a), body);
    }
  });

  it('leaving and exiting', () => {
    const bodyOf = (text: string): Parameters<typeof exits>[0] =>
      probeOf(`function f() {\n${text}\n}`).file.facts.functions[1]?.body ?? [];
    const table: readonly (readonly [string, boolean, boolean])[] = [
      ['return;', true, true],
      ['a(); throw b;', true, true],
      ['if (a) return; else throw b;', true, true],
      ['if (a) return;', false, false],
      ['{ { return; } }', true, true],
      ['try { return a(); } catch { return; }', true, true],
      ['try { return a(); } catch { log(); }', false, false],
      ['try { a(); } finally { return; }', true, true],
      ['switch (a) { case 1: return; default: throw b; }', true, true],
      ['switch (a) { case 1: return; }', false, false],
      ['switch (a) { case 1: case 2: return; default: return; }', true, true],
      ['while (true) { a(); }', false, true],
      ['while (true) { break; }', false, false],
      ['l: { return; }', true, true],
      ['for (;;) { if (x) return; }', false, false],
    ];
    for (const [text, leaving, exiting] of table) {
      assert.equal(leaves(bodyOf(text)), leaving, `leaves: ${text}`);
      assert.equal(exits(bodyOf(text)), exiting, `exits: ${text}`);
    }
  });

  it('what can fail', () => {
    const can = (text: string): boolean => {
      const st = probeOf(text).file.facts.functions[0]?.body[0];
      assert.ok(st);
      return canFail(st);
    };
    for (const text of [
      'a();',
      'await a;',
      'throw a;',
      'new A();',
      'sql`x`;',
      'for await (const a of b) {}',
      'if (x) a();',
    ])
      assert.equal(can(text), true, text);
    for (const text of ['a;', 'const a = b + 1;', 'const f = () => a();', 'x = y;', 'if (x) y = 1;'])
      assert.equal(can(text), false, text);
  });
});
