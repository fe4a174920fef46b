/**
 * How long the property tests run. A plain run uses one fixed seed, so that it says the same twice; with
 * `SIXLENS_FUZZ_RUNS` set, or `SIXLENS_FUZZ_SEED=random`, it looks for new cases.
 */
import fc from 'fast-check';

const asked = Number(process.env['SIXLENS_FUZZ_RUNS'] ?? 0);
const seed = process.env['SIXLENS_FUZZ_SEED'];

if (asked === 0 && seed !== 'random') fc.configureGlobal({ seed: Number(seed ?? 20261130) });

/** The number of runs that was asked for, else `short`. */
export function fuzzRuns(short: number): number {
  return asked > 0 ? asked : short;
}
