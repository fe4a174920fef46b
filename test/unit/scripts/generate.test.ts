import { strict as assert } from 'node:assert';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { generate } from '../../../scripts/generate.mjs';

describe('generated registries', () => {
  let root: string;
  beforeEach(() => (root = mkdtempSync(path.join(tmpdir(), 'sixlens-generate-'))));
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  function write(file: string, text: string): void {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
  }
  const registry = (folder: string): string => path.join(root, folder, 'registry.generated.ts');

  it('lists the rule files in order, without the shared folder', () => {
    for (const id of ['weak-timeout', 'ack-before-work'])
      write(`server/src/rules/${id}.ts`, 'export const rule = 1;\nexport const examples = [];\n');
    write('server/src/rules/_kit/define.ts', 'export const x = 1;\n');
    generate(root);
    const text = readFileSync(registry('server/src/rules'), 'utf8');
    assert.match(text, /m0 from '\.\/ack-before-work\.ts';\nimport \* as m1 from '\.\/weak-timeout\.ts';\n/);
    assert.match(text, /export const ruleModules = \[m0, m1\];/);
    assert.doesNotMatch(text, /_kit/);
  });

  it('leaves the contract out of the packs', () => {
    write('server/src/packs/contract.ts', 'export interface Pack {}\n');
    write('server/src/packs/pg.ts', 'export const pack = {};\n');
    generate(root);
    assert.match(
      readFileSync(registry('server/src/packs'), 'utf8'),
      /import \* as m0 from '\.\/pg\.ts';\n\n/,
    );
  });

  it('names the file that lacks an export', () => {
    write('server/src/rules/weak-timeout.ts', 'export const rule = 1;\n');
    assert.throws(() => generate(root), /weak-timeout\.ts: every rule module exports `examples`/);
  });

  it('does not touch a registry that stays the same', () => {
    write('server/src/packs/pg.ts', 'export const pack = {};\n');
    generate(root);
    const past = new Date(2020, 0, 1);
    utimesSync(registry('server/src/packs'), past, past);
    generate(root);
    assert.equal(statSync(registry('server/src/packs')).mtimeMs, past.getTime());
  });
});
