/** What surrounds a place: loops, try parts, branches, callbacks and what runs them, through local wrappers too. */
import { strict as assert } from 'node:assert';
import { probeOf } from './probe.ts';

/** Frames around the first `probe(…)`, from the inside out. */
function around(text: string): string[] {
  const { model, file, calls } = probeOf(text);
  const [call] = calls;
  assert.ok(call);
  return [...model.frames.around(file, call, file.index.functionOf(call))].map((f) => {
    switch (f.k) {
      case 'if':
        return `${f.branch} of ${file.text.slice(f.test.s, f.test.e)}`;
      case 'callback':
        return ['callback', ...[...f.roles].sort(), f.iterates ?? '', f.resolved ? '' : 'unresolved']
          .filter(Boolean)
          .join(' ');
      case 'loop':
        return f.node.k;
      case 'function':
        return `function ${file.facts.functions[f.fn]?.name ?? file.facts.functions[f.fn]?.kind}`;
      default:
        return f.k;
    }
  });
}

describe('frames', () => {
  it('loops, branches and try parts, from the inside out', () => {
    assert.deepEqual(
      around('async function f() { for (const x of xs) { try { if (a) probe(x); } catch {} } }'),
      ['then of a', 'try', 'forof', 'function f'],
    );
    assert.deepEqual(around('function f() { try {} catch { probe(); } finally {} }'), [
      'catch',
      'function f',
    ]);
    assert.deepEqual(around('function f() { try {} finally { while (a) probe(); } }'), [
      'while',
      'finally',
      'function f',
    ]);
    assert.deepEqual(around('function f() { return a ? b : probe(); }'), ['else of a', 'function f']);
    assert.deepEqual(around('function f() { a && probe(); }'), ['then of a', 'function f']);
    assert.deepEqual(around('function f() { a ?? probe(); }'), ['else of a', 'function f']);
    assert.deepEqual(around('do { probe(); } while (x);'), ['do', 'function module']);
  });

  it('what runs once of a loop is not in it', () => {
    assert.deepEqual(around('for (const x of probe()) {}'), ['function module']);
    assert.deepEqual(around('for (let i = probe(); i < 3; i++) {}'), ['function module']);
    assert.deepEqual(around('for (let i = 0; i < probe(); i++) {}'), ['for', 'function module']);
    assert.deepEqual(around('if (probe()) {}'), ['function module']);
  });

  it('array methods, promises, timers and listeners', () => {
    assert.deepEqual(around('await Promise.all(xs.map(async (x) => { probe(x); }));'), [
      'callback sync map',
      'function module',
    ]);
    assert.deepEqual(around('xs.forEach((x) => probe(x));'), ['callback sync forEach', 'function module']);
    assert.deepEqual(around('load().then((x) => probe(x));'), ['callback sync', 'function module']);
    assert.deepEqual(around('new Promise((resolve) => { probe(); });'), ['callback sync', 'function module']);
    assert.deepEqual(around('setTimeout(() => probe(), 5);'), ['callback listener', 'function module']);
    assert.deepEqual(around("emitter.on('x', () => probe());"), ['callback listener', 'function module']);
    assert.deepEqual(around('unknownThing(() => probe());'), ['callback unresolved', 'function module']);
  });

  it('roles that libraries give', () => {
    assert.deepEqual(
      around(
        "import { PrismaClient } from '@prisma/client';\nconst prisma = new PrismaClient();\nprisma.$transaction(async (tx) => { probe(); });",
      ),
      ['callback transaction', 'function module'],
    );
    assert.deepEqual(around("import pRetry from 'p-retry';\npRetry(async () => { probe(); });"), [
      'callback retry',
      'function module',
    ]);
  });

  it('roles through local wrappers, nested and in other files', () => {
    const wrapper =
      "import { PrismaClient } from '@prisma/client';\nconst prisma = new PrismaClient();\nexport const inTx = (work) => prisma.$transaction(work);\nexport function outer(fn) { return inTx(fn); }\n";
    assert.deepEqual(around(`${wrapper}inTx(async () => { probe(); });`), [
      'callback transaction',
      'function module',
    ]);
    assert.deepEqual(around(`${wrapper}outer(async () => { probe(); });`), [
      'callback transaction',
      'function module',
    ]);
    assert.deepEqual(
      around(
        `//- /src/tx.ts\n${wrapper}//- /src/main.ts\nimport { outer } from './tx';\nexport const go = () => outer(async () => { probe(); });`,
      ),
      ['callback transaction', 'function go'],
    );
  });

  it('a loop that repeats after a failure is a retry, a plain loop is none', () => {
    const retry = `async function withRetry(fn) {
  for (let i = 0; i < 3; i++) {
    try { return await fn(); } catch (e) { await sleep(100); }
  }
}
withRetry(async () => { probe(); });`;
    assert.deepEqual(around(retry), ['callback retry sync', 'function module']);
    const each = `async function each(xs, fn) { for (const x of xs) { await fn(x); } }
each(xs, async () => { probe(); });`;
    assert.deepEqual(around(each), ['callback sync', 'function module']);
    const rethrows = `async function once(fn) {
  for (let i = 0; i < 3; i++) {
    try { return await fn(); } catch (e) { throw e; }
  }
}
once(async () => { probe(); });`;
    assert.deepEqual(around(rethrows), ['callback sync', 'function module']);
    const recursive = `async function again(fn, n = 3) {
  try { return await fn(); } catch (e) { if (n === 0) throw e; return again(fn, n - 1); }
}
again(async () => { probe(); });`;
    assert.deepEqual(around(recursive), ['callback retry sync', 'function module']);
  });

  it('a race against a timer bounds what it is given', () => {
    const timed = `function withLimit(fn, ms) {
  return Promise.race([fn(), new Promise((_, no) => setTimeout(() => no(new Error('late')), ms))]);
}
withLimit(async () => { probe(); }, 5);`;
    assert.deepEqual(around(timed), ['callback sync timeout', 'function module']);
  });

  it('class members end the frames', () => {
    assert.deepEqual(around('class A { async m() { await Promise.all(xs.map((x) => probe(x))); } }'), [
      'callback sync map',
      'function m',
    ]);
  });
});
