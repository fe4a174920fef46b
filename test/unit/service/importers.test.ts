import { strict as assert } from 'node:assert';
import { analyse } from '../../support/fixture.ts';

const CALL = `export async function load(url: string) {\n  return fetch(url);\n}\n`;

function findings(files: Record<string, string>, named?: 'file' | 'folder'): string[] {
  const analysis = analyse(files);
  const result = named ? analysis.check(['src/load.ts'], undefined, { named }) : analysis.checkAll();
  return result.findings.filter((f) => f.rule === 'call-without-timeout').map((f) => f.file);
}

describe('modules that only browsers run', () => {
  const client = `'use client'\nimport { load } from './load';\nexport const go = () => load('x');\n`;

  it('are left out of a run', () => {
    assert.deepEqual(findings({ 'src/load.ts': CALL, 'src/view.tsx': client }), []);
  });
  it('also through a module in between', () => {
    const between = `export { load } from './load';\n`;
    const view = client.replace('./load', './between');
    assert.deepEqual(findings({ 'src/load.ts': CALL, 'src/between.ts': between, 'src/view.tsx': view }), []);
  });
  it('are judged when a server module imports them too', () => {
    const server = `import { load } from './load';\nexport const job = async () => load('x');\n`;
    assert.deepEqual(findings({ 'src/load.ts': CALL, 'src/view.tsx': client, 'src/job.ts': server }), [
      'src/load.ts',
    ]);
  });
  it('are judged when nobody imports them', () => {
    assert.deepEqual(findings({ 'src/load.ts': CALL }), ['src/load.ts']);
  });
  it('are judged when somebody asks for the file itself', () => {
    assert.deepEqual(findings({ 'src/load.ts': CALL, 'src/view.tsx': client }, 'file'), ['src/load.ts']);
    assert.deepEqual(findings({ 'src/load.ts': CALL, 'src/view.tsx': client }, 'folder'), []);
  });
  it('an import that comes or goes in an open document counts at once', () => {
    const analysis = analyse({
      'src/load.ts': CALL,
      'src/view.tsx': client,
      'src/job.ts': `export const job = async () => 1;\n`,
    });
    const count = (): number => analysis.checkAll().findings.filter((f) => f.file === 'src/load.ts').length;
    assert.equal(count(), 0);
    analysis.setOverlay(
      'src/job.ts',
      `import { load } from './load';\nexport const job = async () => load('x');\n`,
    );
    assert.equal(count(), 1);
    analysis.setOverlay('src/job.ts', null);
    assert.equal(count(), 0);
  });
});

describe('server actions that only browser code imports', () => {
  it('are judged', () => {
    const analysis = analyse({
      'src/act.ts': `// what the form calls\n'use server';\nexport async function act(url: string) { await fetch(url); }\n`,
      'src/form.tsx': `'use client';\nimport { act } from './act';\nexport const Form = () => <b onClick={() => act('x')} />;\n`,
    });
    const found = analysis.checkAll().findings;
    assert.ok(found.some((f) => f.file === 'src/act.ts' && f.rule === 'call-without-timeout'));
  });
});
