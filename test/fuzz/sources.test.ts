/** Properties of reading sources: whatever the text, nothing throws, nothing hangs, and the facts hold together. */
import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import type { FileFacts } from '../../server/src/facts/ir.ts';
import { lowerFile } from '../../server/src/facts/lower.ts';
import { eachPart, type AnyNode } from '../../server/src/facts/walk.ts';
import { parseSource, reparseSource } from '../../server/src/syntax/parse.ts';
import { analyse, sourcesOf } from '../support/fixture.ts';
import { allProjects, type SeedProject } from '../support/seedProjects.ts';
import { fuzzRuns } from '../support/fuzzRuns.ts';

const runs = fuzzRuns(50);
const SLOWEST_MS = 4000;

const seeds = new Map(
  allProjects().flatMap((project) =>
    sourcesOf(project.files).map((file) => [
      `${project.name} ${file}`,
      { project, file, text: project.files[file] ?? '' },
    ]),
  ),
);
/** By name, so that a counterexample is short. */
const seedName = fc.constantFrom(...seeds.keys());
function seedOf(name: string): { project: SeedProject; file: string; text: string } {
  const found = seeds.get(name);
  assert.ok(found);
  return found;
}

const PIECES = [
  '{',
  '}',
  '(',
  ')',
  '[',
  '`',
  '${',
  "'",
  '/*',
  '*/',
  '//',
  ';',
  ',',
  '=>',
  '?.',
  '.',
  '@',
  '#',
  ' await ',
  ' async ',
  ' try {',
  ' finally {',
  ' class X extends ',
  ' export default ',
  ' import {',
  ' new ',
  '...',
  '<T',
  '\0',
  '\u2028',
  '\ud800',
  '\ufeff',
];

type Mutation =
  | { readonly k: 'cut'; readonly at: number; readonly length: number }
  | { readonly k: 'put'; readonly at: number; readonly text: string }
  | { readonly k: 'twice'; readonly at: number; readonly length: number };

const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.record({ k: fc.constant('cut' as const), at: fc.nat(), length: fc.integer({ min: 1, max: 60 }) }),
  fc.record({ k: fc.constant('put' as const), at: fc.nat(), text: fc.constantFrom(...PIECES) }),
  fc.record({ k: fc.constant('twice' as const), at: fc.nat(), length: fc.integer({ min: 1, max: 200 }) }),
);

function mutate(text: string, mutations: readonly Mutation[]): string {
  let out = text;
  for (const m of mutations) {
    const at = m.at % (out.length + 1);
    if (m.k === 'cut') out = out.slice(0, at) + out.slice(at + m.length);
    else if (m.k === 'put') out = out.slice(0, at) + m.text + out.slice(at);
    else out = out.slice(0, at + m.length) + out.slice(at);
  }
  return out;
}

/** Everything an editor asks of a file, at one place of it. */
function askEverything(files: Readonly<Record<string, string>>, file: string, offset: number): void {
  const started = performance.now();
  const analysis = analyse(files);
  const result = analysis.check(sourcesOf(files));
  assert.deepEqual(
    result.problems.filter((p) => p.code === 'rule-failed'),
    [],
  );
  for (const unit of analysis.units([file])) {
    assert.ok(unit.startOffset <= unit.endOffset);
    analysis.view(unit);
  }
  for (const finding of result.findings)
    for (const offer of analysis.fixesFor(finding)) analysis.applyFix(finding, offer.id);
  analysis.unitAt(file, offset);
  analysis.callAt(file, offset);
  analysis.whySilent(file, offset);
  const took = performance.now() - started;
  assert.ok(took < SLOWEST_MS, `took ${took.toFixed(0)} ms`);
}

/** Parts lie within the text, names point to bindings that exist, functions to functions that hold them. */
function assertSound(facts: FileFacts, length: number): void {
  const visit = (node: AnyNode): void => {
    assert.ok(
      node.s >= 0 && node.s <= node.e && node.e <= length,
      `${node.k} ${node.s}-${node.e} of ${length}`,
    );
    if (node.k === 'id' || node.k === 'pid') assert.ok(node.b < facts.bindings.length && node.b >= -1);
    if (node.k === 'fn' || node.k === 'fndecl')
      assert.ok(facts.functions[node.fn], 'a function that does not exist');
    if (node.k === 'cls' || node.k === 'clsdecl')
      assert.ok(facts.classes[node.cls], 'a class that does not exist');
    eachPart(node, visit);
  };
  for (const [i, fn] of facts.functions.entries()) {
    assert.equal(fn.id, i);
    const parent = facts.functions[fn.parent];
    if (i === 0) assert.equal(fn.parent, -1);
    else assert.ok(parent && parent.id < i, `function ${i} is in ${fn.parent}`);
    for (const st of fn.body) visit(st);
    for (const p of fn.params) visit(p.target);
  }
  for (const b of facts.bindings) assert.ok(facts.functions[b.fn], `binding ${b.name} is of no function`);
}

describe('sources: random texts', function () {
  this.timeout(0);

  it('a text that ends anywhere is answered', () => {
    fc.assert(
      fc.property(seedName, fc.nat(), (name, at) => {
        const { project, file, text } = seedOf(name);
        const cut = text.slice(0, at % (text.length + 1));
        askEverything({ ...project.files, [file]: cut }, file, cut.length);
      }),
      { numRuns: runs },
    );
  });

  it('a damaged text is answered', () => {
    fc.assert(
      fc.property(
        seedName,
        fc.array(mutation, { minLength: 1, maxLength: 6 }),
        fc.nat(),
        (name, mutations, at) => {
          const from = seedOf(name);
          const text = mutate(from.text, mutations);
          askEverything({ ...from.project.files, [from.file]: text }, from.file, at % (text.length + 1));
        },
      ),
      { numRuns: runs },
    );
  });

  it('text that is no code at all is answered', () => {
    const words = fc.array(
      fc.oneof(fc.constantFrom(...PIECES), fc.string({ maxLength: 6, unit: 'binary' })),
      {
        maxLength: 60,
      },
    );
    fc.assert(
      fc.property(words, fc.constantFrom('ts', 'tsx', 'js', 'mjs'), (parts, ext) => {
        const text = parts.join('');
        askEverything({ [`src/a.${ext}`]: text }, `src/a.${ext}`, text.length >> 1);
      }),
      { numRuns: runs },
    );
  });

  it('the facts of a damaged text hold together', () => {
    fc.assert(
      fc.property(seedName, fc.array(mutation, { maxLength: 8 }), (name, mutations) => {
        const { file, text } = seedOf(name);
        const damaged = mutate(text, mutations);
        assertSound(lowerFile(file, parseSource(file, damaged)), damaged.length);
      }),
      { numRuns: runs * 2 },
    );
  });

  it('facts after edits are those of a fresh parse', () => {
    fc.assert(
      fc.property(seedName, fc.array(mutation, { minLength: 1, maxLength: 6 }), (name, mutations) => {
        const { file, text } = seedOf(name);
        let tree = parseSource(file, text);
        let now = text;
        for (const m of mutations) {
          now = mutate(now, [m]);
          tree = reparseSource(tree, now);
          // Where code is broken, the compiler words some errors differently when it reuses parts of an old tree.
          const { syntaxErrors: reused, ...facts } = lowerFile(file, tree);
          const { syntaxErrors: fresh, ...wanted } = lowerFile(file, parseSource(file, now));
          assert.deepEqual(facts, wanted);
          assert.equal(reused.length > 0, fresh.length > 0);
        }
      }),
      { numRuns: runs },
    );
  });
});
