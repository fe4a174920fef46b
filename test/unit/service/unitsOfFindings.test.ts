import { strict as assert } from 'node:assert';
import { createAnalysis } from '../../../server/src/service/analysisService.ts';
import { memoryHost, ROOT } from '../../support/memoryHost.ts';

const FILE = 'src/routes.ts';
const SOURCE = `import express from 'express';
export function mount(app: express.Express) {
  app.post('/first', async (req, res) => {
    res.json({ ok: true });
  });
  app.post('/second', async (req, res) => {
    const answer = await fetch('https://rates.example.com');
    res.json(await answer.json());
  });
}
`;

describe('units of findings', () => {
  it('are those of the handler that the place is written in, not its neighbours', () => {
    const analysis = createAnalysis({
      root: ROOT,
      host: memoryHost({
        'package.json': JSON.stringify({ dependencies: { express: '4.18.0' } }),
        [FILE]: SOURCE,
      }),
    });
    const findings = analysis.check([FILE]).findings.filter((f) => f.start.line === 7);
    assert.ok(findings.length > 0, 'there is a finding');
    const second = analysis.units([FILE]).find((u) => u.route === '/second');
    assert.ok(second);
    for (const f of findings) assert.deepEqual([...f.units], [second.id]);
  });
});
