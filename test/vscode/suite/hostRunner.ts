/**
 * Runs inside VS Code's extension host: collects the suites of this folder and prints their results.
 * Owns the closing line, without which the launcher takes the run for a crash. Results go to the file that SIXLENS_SUITE_OUTPUT names,
 * because the extension host's console belongs to VS Code.
 */
import { appendFileSync } from 'node:fs';
import Mocha from 'mocha';

/** The bundle's test files register their suites through this; filled by the generated entry. */
export async function runSuites(load: () => void): Promise<void> {
  const output = process.env.SIXLENS_SUITE_OUTPUT;
  const print = (line: string): void => {
    if (output) appendFileSync(output, `${line}\n`);
    else console.log(line);
  };
  const mocha = new Mocha({ ui: 'bdd', timeout: 60_000, reporter: class {} as never });
  mocha.suite.emit('pre-require', globalThis, '', mocha);
  load();
  let passed = 0;
  let failed = 0;
  await new Promise<void>((resolve) => {
    const runner = mocha.run(() => resolve());
    runner.on('pass', (test) => {
      passed++;
      print(`  ok ${test.fullTitle()} (${test.duration ?? 0} ms)`);
    });
    runner.on('fail', (test, error: unknown) => {
      failed++;
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      print(`  FAILED ${test.fullTitle()}\n${text.replace(/^/gm, '      ')}`);
    });
  });
  print(`${passed} passed, ${failed} failed`);
  if (failed || !passed) throw new Error(`${failed} failed, ${passed} passed`);
}
