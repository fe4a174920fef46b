import { strict as assert } from 'node:assert';
import { execFileSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { createNodeFileHost } from '../../server/src/node/nodeFileHost.ts';
import { createNodeGit } from '../../server/src/node/nodeGit.ts';
import { createAnalysis } from '../../server/src/service/analysisService.ts';
import type { Analysis, Unit } from '../../server/src/service/contract.ts';
import { runGate } from '../../server/src/service/gate.ts';
import { tempFolder } from '../unit/node/tempFolder.ts';

const ROUTES = 500;
const FILES = 2000;

/** Route files that each call a service, which uses one of a few shared helpers; a table for every fifth route. */
function project(): Record<string, string> {
  const files: Record<string, string> = { 'package.json': '{"dependencies":{"express":"4"}}' };
  for (let n = 0; n < ROUTES; n++) {
    files[`src/routes/r${n}.ts`] = `import express from 'express';
import type { Shape } from '../shared/h${n % 10}.ts';
import { work } from '../services/s${n}.ts';
export const router = express.Router();
router.post('/r${n}', async (req, res) => {
  const shape: Shape = await work(req.body.id);
  res.json(shape);
});
`;
    if (n % 5 === 0)
      files[`.sixlens/tables/src/routes/r${n}/http-post-r${n}.yaml`] = `sixlens: 1
unit: POST /r${n}
kind: http
code: { file: src/routes/r${n}.ts, symbol: 'router.post "/r${n}"' }
contract: one answer
rows:
  clk-${String(n).padStart(8, '0')}: { failure: it hangs, at: fetch, verdict: undecided }
pruned: nothing to prune
`;
  }
  for (let n = 0; n < FILES - ROUTES; n++)
    files[n < 10 ? `src/shared/h${n}.ts` : `src/services/s${n - 10}.ts`] =
      n < 10
        ? `export interface Shape { readonly id: string }\nexport const base${n} = 'https://x${n}.example/';\n`
        : `export async function work(id: string): Promise<{ readonly id: string }> {
  const answer = await fetch('https://s.example/' + id, { signal: AbortSignal.timeout(${n}) });
  return { id: String(answer.status) };
}
${'// a line that somebody wrote\n'.repeat(20)}`;
  return files;
}

describe('gate on a large repository', function () {
  this.timeout(60_000);

  it('looks at what a change reaches, in under three seconds', () => {
    const folder = tempFolder(project());
    const git = (...args: string[]): void =>
      void execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
        cwd: folder.path,
      });
    try {
      git('init', '-q', '-b', 'main');
      git('add', '-A');
      git('commit', '-q', '-m', 'start');
      const change = (file: string, from: string): void => appendFileSync(path.join(folder.path, file), from);
      // A helper of one route, and a module of which the others import a type only.
      execFileSync('sed', ['-i', 's/timeout(/timeout(1/', path.join(folder.path, 'src/services/s5.ts')]);
      change('src/shared/h1.ts', 'export const more = 1;\n');
      const parsed = new Set<string>();
      const host = createNodeFileHost();
      const started = process.cpuUsage();
      const analysis = createAnalysis({ root: folder.path, host });
      const looked = Object.assign(Object.create(analysis) as Analysis, {
        reachOf(unit: Unit) {
          parsed.add(unit.file);
          return analysis.reachOf(unit);
        },
      });
      const report = runGate({
        version: '1',
        analysis: looked,
        host,
        git: createNodeGit(),
        base: null,
        today: '2026-11-30',
        require: [],
        unproven: 'fail',
      });
      const { user, system } = process.cpuUsage(started);
      assert.ok(!('error' in report), JSON.stringify(report));
      assert.deepEqual(
        report.tables.map(({ table }) => table.unit),
        ['POST /r5'],
      );
      assert.deepEqual([...parsed], ['src/routes/r5.ts']);
      assert.ok((user + system) / 1000 < 3000, `${(user + system) / 1000} ms`);
    } finally {
      folder.remove();
    }
  });
});
