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

describe('modules that nothing takes up', () => {
  const manifest = JSON.stringify({ name: 'shop', private: true });
  const severities = (files: Record<string, string>): string[] => {
    const result = analyse(files).check(
      Object.keys(files).filter((f) => f.endsWith('.ts')),
      undefined,
      { named: 'folder' },
    );
    return result.findings.filter((f) => f.rule === 'call-without-timeout').map((f) => f.severity);
  };

  it('weigh least in a package that is not published', () => {
    assert.deepEqual(severities({ 'package.json': manifest, 'src/lib/load.ts': CALL }), ['low']);
  });
  it('weigh as usual where another module names them, or a published package may be imported by anybody', () => {
    const user = `import { load } from './load';\nexport const go = () => load('x');\n`;
    assert.deepEqual(
      severities({ 'package.json': manifest, 'src/lib/load.ts': CALL, 'src/lib/go.ts': user }),
      ['high'],
    );
    const open = JSON.stringify({ name: 'shop', version: '1.2.0' });
    assert.deepEqual(severities({ 'package.json': open, 'src/lib/load.ts': CALL }), ['high']);
  });
  it('weigh as usual where a framework looks for them', () => {
    assert.deepEqual(severities({ 'package.json': manifest, 'src/api/load.ts': CALL }), ['high']);
    assert.deepEqual(
      severities({ 'package.json': manifest, 'src/lib/load.ts': CALL.replace('load', 'handler') }),
      ['high'],
    );
  });
  it('functions that their module neither gives away nor runs weigh least', () => {
    const kept = `const unused = async (url: string) => fetch(url);\nexport const limit = 3;\n`;
    const used = `const used = async (url: string) => fetch(url);\nexport const go = () => used('x');\n`;
    assert.deepEqual(severities({ 'src/lib/load.ts': kept }), ['low']);
    assert.deepEqual(severities({ 'src/lib/load.ts': used }), ['high']);
    const chain = `const a = () => b('x');\nconst b = async (url: string) => fetch(url);\nexport const limit = 3;\n`;
    assert.deepEqual(severities({ 'src/lib/load.ts': chain }), ['low']);
  });
  it('loose scripts and commands weigh two steps less', () => {
    const script = `const token = '';\nawait fetch('https://a.example.com/' + token);\n`;
    const of = (files: Record<string, string>): string[] =>
      analyse(files)
        .check(
          Object.keys(files).filter((f) => !f.endsWith('.json')),
          undefined,
          { named: 'folder' },
        )
        .findings.filter((f) => f.rule === 'call-without-timeout')
        .map((f) => f.severity);
    assert.deepEqual(of({ 'package.json': manifest, 'src/push.mjs': script }), ['low']);
    const named = JSON.stringify({ name: 'shop', scripts: { push: 'node src/push.mjs' } });
    assert.deepEqual(of({ 'package.json': named, 'src/push.mjs': script }), ['high']);
    const tool = JSON.stringify({ name: '@shop/create', version: '1.0.0', bin: { create: 'dist/a.js' } });
    assert.deepEqual(of({ 'package.json': tool, 'src/load.ts': CALL }), ['low']);
    const service = JSON.stringify({
      name: 'shop',
      version: '1.0.0',
      bin: { shop: 'dist/a.js' },
      dependencies: { express: '5' },
    });
    assert.deepEqual(of({ 'package.json': service, 'src/load.ts': CALL }), ['high']);
  });
});
