import { strict as assert } from 'node:assert';
import { namesCallee } from '../../../server/src/model/hints.ts';
import { analyse } from '../../support/fixture.ts';

describe('hints of the config', () => {
  it('a callee is named by itself, by its last part, or behind a module', () => {
    assert.equal(namesCallee(['bounded'], 'bounded'), true);
    assert.equal(namesCallee(['bounded'], 'this.net.bounded'), true);
    assert.equal(namesCallee(['net.bounded'], 'net.bounded'), true);
    assert.equal(namesCallee(['acme#bounded'], 'bounded'), true);
    assert.equal(namesCallee(['bounded'], 'unbounded'), false);
    assert.equal(namesCallee([], 'bounded'), false);
  });

  const source = `import { bounded } from 'acme';\nexport const load = (url: string) => bounded(() => fetch(url));\n`;
  const check = (config: string | null): string[] =>
    analyse({ 'src/a.ts': source, ...(config ? { '.sixlens/config.yaml': config } : {}) })
      .check(['src/a.ts'])
      .findings.map((f) => f.rule);

  it('a timeout wrapper that is named in the config bounds what it is given', () => {
    assert.ok(check(null).includes('call-without-timeout'));
    assert.ok(!check('wrappers:\n  timeout: [bounded]\n').includes('call-without-timeout'));
  });

  it('a fix proposes the time of the config', () => {
    const files = {
      'src/a.ts': `export const load = async (url: string) => (await fetch(url)).status;\n`,
      '.sixlens/config.yaml': 'timeouts:\n  http: 1234\n',
    };
    const analysis = analyse(files);
    const finding = analysis.check(['src/a.ts']).findings.find((f) => f.rule === 'call-without-timeout');
    assert.ok(finding);
    const fix = analysis.applyFix(finding, finding.fixes[0]?.id ?? '');
    assert.match(fix?.edits[0]?.edits[0]?.newText ?? '', /AbortSignal\.timeout\(1234\)/);
  });
});
