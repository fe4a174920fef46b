/** Runs the edit worker for each file size, bundled as the server is, and reads what it measured. */
import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { z } from 'zod';
import { median, percentile } from './statistics.ts';

const repository = path.join(import.meta.dirname, '..', '..');

export const EDIT_SIZES = [
  { lines: 200, warmUp: 60, measured: 200 },
  { lines: 1_000, warmUp: 60, measured: 200 },
  { lines: 5_000, warmUp: 40, measured: 100 },
  { lines: 20_000, warmUp: 20, measured: 60 },
] as const;

const reportSchema = z.object({
  lines: z.number(),
  firstMs: z.number(),
  times: z.array(z.number()).min(1),
  cpuTimes: z.array(z.number()).min(1),
  planted: z.number(),
  seen: z.number(),
  findings: z.number(),
  residentMegabytes: z.number(),
});

export interface EditFigures {
  readonly lines: number;
  readonly firstMs: number;
  readonly median: number;
  readonly p95: number;
  readonly max: number;
  /** Milliseconds of processor time, the collector's threads included. */
  readonly cpuMedian: number;
  /** Unbounded calls typed, and how many of them the very next check reported. */
  readonly planted: number;
  readonly seen: number;
  readonly residentMegabytes: number;
}

/** Compiles the worker as the shipped server is compiled: no loader hooks that would slow every call. Returns its path. */
export async function bundleWorker(): Promise<string> {
  const outfile = path.join(repository, 'node_modules/.cache/sixlens-bench/editWorker.mjs');
  mkdirSync(path.dirname(outfile), { recursive: true });
  await build({
    absWorkingDir: repository,
    entryPoints: ['test/bench/editWorker.ts'],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    packages: 'external',
    logLevel: 'warning',
  });
  return outfile;
}

export async function measureEdits(
  worker: string,
  size: { readonly lines: number; readonly warmUp: number; readonly measured: number },
): Promise<EditFigures> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [worker, String(size.lines), String(size.warmUp), String(size.measured)],
    { env: { ...process.env, SIXLENS_CACHE_DIR: 'off' }, maxBuffer: 1 << 24, timeout: 300_000 },
  );
  const report = reportSchema.parse(JSON.parse(stdout));
  return {
    lines: report.lines,
    firstMs: report.firstMs,
    median: median(report.times),
    p95: percentile(report.times, 0.95),
    max: Math.max(...report.times),
    cpuMedian: median(report.cpuTimes),
    planted: report.planted,
    seen: report.seen,
    residentMegabytes: report.residentMegabytes,
  };
}
