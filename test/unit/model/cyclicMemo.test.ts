import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import { CyclicMemo, type MemoTable } from '../../../server/src/model/cyclicMemo.ts';
import { fuzzRuns } from '../../support/fuzzRuns.ts';

/** A graph whose nodes are known by a word of their own, or by the first known one they lead to. */
type Graph = readonly { readonly word: string | null; readonly to: readonly number[] }[];

function asker(graph: Graph): (node: number) => string {
  const memo = new CyclicMemo<string>('?', 100);
  const table: MemoTable<number, string> = new Map();
  const ask = (node: number): string =>
    memo.once(table, node, () => {
      const { word, to } = graph[node]!;
      if (word !== null) return word;
      for (const next of to) {
        const found = ask(next);
        if (found !== '?') return found;
      }
      return '?';
    });
  return ask;
}

function wordsReachedFrom(graph: Graph, start: number): ReadonlySet<string> {
  const seen = new Set([start]);
  const words = new Set<string>();
  for (const node of seen) {
    const { word, to } = graph[node]!;
    if (word !== null) words.add(word);
    else for (const next of to) seen.add(next);
  }
  return words;
}

const graphs = fc.integer({ min: 1, max: 9 }).chain((size) =>
  fc.array(
    fc.record({
      word: fc.option(fc.constantFrom('a', 'b', 'c'), { freq: 2 }),
      to: fc.array(fc.integer({ min: 0, max: size - 1 }), { maxLength: 3 }),
    }),
    { minLength: size, maxLength: size },
  ),
);

describe('memory of evaluations that may ask for themselves', () => {
  it('keeps no answer that was found on the way round a circle', () => {
    // 0 asks 1, which asks 0 back and only then 2: asked on its own, 1 has what 0 has.
    const graph: Graph = [
      { word: null, to: [1, 2] },
      { word: null, to: [0] },
      { word: 'a', to: [] },
    ];
    const ask = asker(graph);
    assert.equal(ask(0), 'a');
    assert.equal(ask(1), 'a');
  });

  it('finds an answer wherever one can be reached, whatever was asked before', () => {
    fc.assert(
      fc.property(graphs, fc.array(fc.nat(8), { maxLength: 8 }), (graph, before) => {
        const ask = asker(graph);
        for (const node of before) ask(node % graph.length);
        for (let node = 0; node < graph.length; node++)
          assert.equal(ask(node) !== '?', wordsReachedFrom(graph, node).size > 0);
      }),
      { numRuns: fuzzRuns(300) },
    );
  });

  it('evaluates once what leans on nothing unfinished', () => {
    const memo = new CyclicMemo<number>(-1, 10);
    const table: MemoTable<string, number> = new Map();
    let runs = 0;
    const ask = (): number => memo.once(table, 'x', () => ++runs);
    assert.deepEqual([ask(), ask(), ask()], [1, 1, 1]);
  });

  it('does not take the end of its depth for an answer', () => {
    const memo = new CyclicMemo<string>('?', 5);
    const table: MemoTable<number, string> = new Map();
    const ask = (n: number): string => memo.once(table, n, () => (n === 0 ? 'end' : ask(n - 1)));
    assert.equal(ask(20), '?');
    assert.equal(ask(4), 'end');
    assert.equal(ask(9), 'end', 'what is known needs no depth');
  });

  it('forgets an evaluation that throws, and goes on', () => {
    const memo = new CyclicMemo<string>('?', 5);
    const table: MemoTable<string, string> = new Map();
    assert.throws(() =>
      memo.once(table, 'x', () => {
        throw new Error('no');
      }),
    );
    assert.equal(
      memo.once(table, 'x', () => 'yes'),
      'yes',
    );
  });
});
