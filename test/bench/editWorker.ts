/**
 * Measures one analysis in its own process, as the language server holds it: every edit is an overlay followed by a check of
 * that file. Prints one JSON line. Arguments: lines, warm-up edits, measured edits.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createNodeFileHost } from '../../server/src/node/nodeFileHost.ts';
import { toSlashes } from '../../server/src/node/slashes.ts';
import { createAnalysis } from '../../server/src/service/analysisService.ts';
import { NEIGHBOURS, typeInto, writeService } from './synthetic.ts';

const [lines = 1000, warmUp = 30, measured = 100] = process.argv.slice(2).map(Number);
const root = mkdtempSync(path.join(tmpdir(), 'sixlens-bench-edit-'));
try {
  for (const [name, text] of Object.entries(NEIGHBOURS)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  }
  const file = 'src/service.ts';
  const base = writeService(lines);
  writeFileSync(path.join(root, file), base);

  const analysis = createAnalysis({
    root: toSlashes(root),
    host: createNodeFileHost({ cacheDir: null }),
    preset: 'strict',
  });
  const before = process.hrtime.bigint();
  const first = analysis.check([file]);
  const firstMs = Number(process.hrtime.bigint() - before) / 1e6;
  const problems = first.problems.filter((problem) => problem.severity === 'error');
  if (problems.length > 0) throw new Error(`The sample is not read cleanly: ${problems[0]!.message}`);

  const times: number[] = [];
  const cpuTimes: number[] = [];
  let planted = 0;
  let seen = 0;
  let done = 0;
  for (const edit of typeInto(base, warmUp + measured)) {
    const cpuStart = process.cpuUsage();
    const start = process.hrtime.bigint();
    analysis.setOverlay(file, edit.text);
    const { findings } = analysis.check([file]);
    const ms = Number(process.hrtime.bigint() - start) / 1e6;
    const cpu = process.cpuUsage(cpuStart);
    if (done++ >= warmUp) {
      times.push(ms);
      cpuTimes.push((cpu.user + cpu.system) / 1000);
    }
    if (edit.plantedAt !== null) {
      planted++;
      const at = edit.plantedAt;
      const line = edit.text.slice(0, at).split('\n').length;
      if (findings.some((finding) => finding.rule === 'call-without-timeout' && finding.start.line === line))
        seen++;
    }
  }
  process.stdout.write(
    JSON.stringify({
      lines: base.split('\n').length - 1,
      firstMs,
      times,
      cpuTimes,
      planted,
      seen,
      findings: first.findings.length,
      residentMegabytes: process.memoryUsage().rss / 1e6,
    }) + '\n',
  );
} finally {
  rmSync(root, { recursive: true, force: true });
}
