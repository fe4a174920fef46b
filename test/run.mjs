// Runs every level of tests and adds up what they say. `npm test -- unit rules` runs only the levels named.
// Invariants: a level that prints no closing line counts as one failure; no level outlives its time limit, nor do its children;
// the last line is `N passed, N failed`, and the exit code is 1 when something failed.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { installPackages } from '../scripts/install.mjs';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const MINUTE = 60_000;
const bin = (name) => path.join(root, 'node_modules', name);

/** @typedef {{ name: string, minutes: number, command: readonly string[], counts: boolean, about: string, needs?: readonly string[] }} Level
 * `needs` names the earlier levels without which this one is not run, and counts as failed. */

const check = (name, about, minutes, script, ...args) => ({
  name,
  about,
  minutes,
  counts: false,
  command: [process.execPath, script, ...args],
});

/** Folders under test/ whose suites run inside one mocha process, since none of them starts another. */
const IN_PROCESS = ['unit', 'rules', 'packs', 'fixes', 'units', 'tables', 'fuzz'];
/** Folders whose suites start processes of their own; each gets its own mocha and time limit. */
const PROCESS_LEVELS = [
  { name: 'lsp', minutes: 5 },
  { name: 'cli', minutes: 5 },
  { name: 'webview', minutes: 5 },
  // The short form: the figures' own tests and a small measurement. The long one is `npm run bench`.
  { name: 'bench', minutes: 5 },
  // Installs what the worked example needs, which may have to be compiled.
  { name: 'examples', minutes: 15 },
];

function testFiles(folder, suffix = '.test.ts') {
  const dir = path.join(root, 'test', folder);
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { recursive: true })
    .map((name) => String(name))
    .filter((name) => name.endsWith(suffix) && !name.split(path.sep).includes('fixtures'))
    .map((name) => path.join('test', folder, name))
    .sort();
}

function mochaLevel(name, files, minutes, timeoutMs = 10_000, needs = []) {
  return {
    needs,
    name,
    about: `${files.length} files`,
    minutes,
    counts: true,
    command: [
      process.execPath,
      '--import',
      'tsx',
      bin('mocha/bin/mocha.js'),
      '--reporter',
      'test/reporter.cjs',
      '--timeout',
      String(timeoutMs),
      '--forbid-only',
      '--exit',
      ...files,
    ],
  };
}

/** @returns {Level[]} */
function levels(wanted) {
  const asked = (name) => wanted.length === 0 || wanted.includes(name);
  const list = [
    check('generate', 'registries', 1, 'scripts/generate.mjs'),
    check('typecheck', 'tsc', 5, bin('typescript/bin/tsc'), '--noEmit', '-p', '.'),
    // The panel runs in a browser and has a compiler setting of its own.
    ...(existsSync(path.join(root, 'media/panel/tsconfig.json'))
      ? [check('typecheck-panel', 'tsc', 3, bin('typescript/bin/tsc'), '--noEmit', '-p', 'media/panel')]
      : []),
    check('lint', 'eslint', 5, bin('eslint/bin/eslint.js'), '.', '--max-warnings', '0'),
    check('format', 'prettier', 3, bin('prettier/bin/prettier.cjs'), '--check', '--log-level', 'warn', '.'),
    check(
      'layers',
      'dependency-cruiser',
      3,
      bin('dependency-cruiser/bin/dependency-cruise.mjs'),
      '--config',
      '.dependency-cruiser.cjs',
      ...['server/src', 'client/src', 'media/panel/src'].filter((folder) =>
        existsSync(path.join(root, folder)),
      ),
    ),
    check('unused', 'knip', 3, bin('knip/bin/knip.js')),
  ].filter(({ name }) => asked(name) || (name === 'generate' && wanted.length > 0));

  const inProcess = IN_PROCESS.filter(asked).filter((folder) => testFiles(folder).length);
  if (inProcess.length) {
    const files = inProcess.flatMap((folder) => testFiles(folder));
    list.push(mochaLevel(inProcess.join(', '), files, 8));
  }
  const later = PROCESS_LEVELS.filter(({ name }) => asked(name)).filter(({ name }) => testFiles(name).length);
  const real = ['vscode', 'ui'].filter(asked);
  // These run the built files, so the build comes first and its failure is a failure of its own.
  if (later.length || real.length || asked('build'))
    list.push(check('build', 'dist/', 3, 'scripts/build.mjs'));
  if (later.some(({ name }) => name === 'webview') || real.length)
    list.push(check('chromium', 'found or installed', 8, 'test/vscode/host/chromium.mjs'));
  for (const { name, minutes } of later)
    list.push(
      mochaLevel(
        name,
        testFiles(name),
        minutes,
        60_000,
        name === 'webview' ? ['build', 'chromium'] : ['build'],
      ),
    );
  if (real.length) {
    list.push({ ...check('package', 'dist/sixlens.vsix', 3, 'scripts/package.mjs'), needs: ['build'] });
    if (process.env.SIXLENS_VSCODE !== 'desktop' || real.includes('ui'))
      list.push(check('vscode host', 'VS Code from npm', 12, 'test/vscode/host/install.mjs'));
    if (real.includes('vscode'))
      list.push({
        name: 'vscode',
        needs: ['package', 'chromium', 'vscode host'],
        about: 'suites in the extension host',
        minutes: 6,
        counts: true,
        command: [process.execPath, '--import', 'tsx', 'test/vscode/runTests.ts'],
      });
    const ui = testFiles('vscode/ui', '.ui.test.ts');
    if (real.includes('ui') && ui.length)
      list.push(mochaLevel('ui', ui, 8, 120_000, ['package', 'chromium', 'vscode host']));
  }
  return list;
}

/** Runs one level in a process group of its own and returns its counts. */
function runLevel(/** @type {Level} */ level) {
  return new Promise((resolve) => {
    const started = Date.now();
    const child = spawn(level.command[0], level.command.slice(1), {
      cwd: root,
      env: { ...process.env, FORCE_COLOR: '0', NO_COLOR: '1' },
      detached: process.platform !== 'win32',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const killGroup = (signal) => {
      try {
        process.kill(process.platform === 'win32' ? child.pid : -child.pid, signal);
      } catch {
        // Nothing of the group is left.
      }
    };
    running.add(killGroup);
    let output = '';
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      killGroup('SIGTERM');
      setTimeout(() => killGroup('SIGKILL'), 5000).unref();
    }, level.minutes * MINUTE);
    const keep = (chunk) => {
      output += chunk;
      // Checks speak only when they fail; test levels speak as they go.
      if (level.counts) process.stdout.write(String(chunk).replace(/^\d+ passed, \d+ failed\n/gm, ''));
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    let settled = false;
    const settle = (code, why) => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      running.delete(killGroup);
      killGroup('SIGKILL');
      const seconds = ((Date.now() - started) / 1000).toFixed(1);
      const closing = [...output.matchAll(/^(\d+) passed, (\d+) failed$/gm)].at(-1);
      let passed = level.counts && closing ? Number(closing[1]) : 0;
      let failed = level.counts && closing ? Number(closing[2]) : 0;
      const reason = timedOut ? `stopped after ${level.minutes} minutes` : why;
      if (!level.counts) {
        if (code === 0 && !reason) passed = 1;
        else failed = 1;
      } else if (reason || !closing || (code !== 0 && failed === 0) || passed + failed === 0) failed++;
      if (failed && !level.counts) process.stdout.write(output.endsWith('\n') ? output : `${output}\n`);
      const verdict = failed ? 'FAILED' : 'ok';
      const details = level.counts ? `${passed} of ${passed + failed}` : level.about;
      console.log(
        `${verdict.padEnd(6)} ${level.name}: ${details}, ${seconds} s${reason ? ` (${reason})` : code && level.counts && !closing ? ` (exit ${code}, no closing line)` : ''}`,
      );
      resolve({ passed, failed });
    };
    child.on('error', (error) => settle(1, error.message));
    // 'exit' rather than 'close': a grandchild that keeps the pipe open must not hold the run.
    child.on('exit', (code, signal) =>
      setTimeout(() => settle(code ?? 1, signal && !timedOut ? `ended by ${signal}` : ''), 50),
    );
  });
}

const running = new Set();
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    for (const kill of running) kill('SIGKILL');
    process.exit(130);
  });

const wanted = process.argv.slice(2);
try {
  installPackages();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  console.log('0 passed, 1 failed');
  process.exit(1);
}
const list = levels(wanted);
const known = [
  ...[
    'generate',
    'typecheck',
    'typecheck-panel',
    'lint',
    'format',
    'layers',
    'unused',
    'build',
    'vscode',
    'ui',
  ],
  ...IN_PROCESS,
  ...PROCESS_LEVELS.map(({ name }) => name),
];
const unknown = wanted.filter((name) => !known.includes(name));
if (unknown.length) {
  console.error(`no such level: ${unknown.join(', ')}; there are ${known.join(', ')}`);
  process.exit(2);
}
let passed = 0;
let failed = 0;
const broken = new Set();
for (const level of list) {
  const missing = level.needs?.find((name) => broken.has(name));
  if (missing) console.log(`FAILED ${level.name}: not run, because ${missing} failed`);
  const result = missing ? { passed: 0, failed: 1 } : await runLevel(level);
  if (result.failed) broken.add(level.name);
  passed += result.passed;
  failed += result.failed;
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed || !passed ? 1 : 0);
