/**
 * The extension-host suites in a real VS Code, with the packaged extension installed.
 * Desktop VS Code where it can be downloaded and shown, else the VS Code of test/vscode/host in headless Chromium;
 * SIXLENS_VSCODE=desktop|browser decides. Closes with `N passed, N failed`.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  downloadAndUnzipVSCode,
  resolveCliArgsFromVSCodeExecutablePath,
  runTests,
} from '@vscode/test-electron';
import { build } from 'esbuild';
import { installChromium } from './host/chromium.mjs';
import { installHost } from './host/install.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.join(here, '../..');
const scratch = path.join(root, 'test/.tmp/vscode');

async function chooseVsCode(): Promise<'desktop' | 'browser'> {
  const asked = process.env.SIXLENS_VSCODE;
  if (asked === 'desktop' || asked === 'browser') return asked;
  if (asked) throw new Error(`SIXLENS_VSCODE is "${asked}"; it may be desktop or browser`);
  if (process.platform === 'linux' && !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY) return 'browser';
  try {
    const url = 'https://update.code.visualstudio.com/api/releases/stable';
    const answer = await fetch(url, { method: 'HEAD', signal: AbortSignal.timeout(5000) });
    return answer.ok ? 'desktop' : 'browser';
  } catch {
    return 'browser';
  }
}

/** One CommonJS file with every suite in it; mocha and vscode stay outside. */
async function bundleSuites(): Promise<string> {
  const suite = path.join(here, 'suite');
  const files = readdirSync(suite).filter((name) => name.endsWith('.test.ts'));
  const outfile = path.join(scratch, 'suite.cjs');
  await build({
    absWorkingDir: root,
    stdin: {
      contents: [
        `import { runSuites } from './hostRunner.ts';`,
        // A suite file calls describe() as it loads, so it must load after mocha has put that in place.
        `export const run = () => runSuites(() => { ${files.map((name) => `require('./${name}');`).join(' ')} });`,
      ].join('\n'),
      resolveDir: suite,
      loader: 'ts',
    },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    external: ['vscode', 'mocha'],
    sourcemap: 'inline',
    logLevel: 'warning',
  });
  return outfile;
}

/** A copy of the example service under Git, so that suites may write into it. */
function layOutWorkspace(): string {
  const workspace = path.join(mkdtempSync(path.join(tmpdir(), 'sixlens-ws-')), 'shop');
  cpSync(path.join(root, 'examples/shop'), workspace, { recursive: true });
  const git = (...args: string[]): void => {
    const identity = ['-c', 'user.name=Suite', '-c', 'user.email=suite@example.invalid'];
    const done = spawnSync('git', [...identity, ...args], { cwd: workspace, encoding: 'utf8' });
    if (done.status !== 0) throw new Error(`git ${args[0]} in the test workspace failed: ${done.stderr}`);
  };
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-q', '-m', 'start');
  return workspace;
}

async function main(): Promise<number> {
  const vsix = path.join(root, 'dist/sixlens.vsix');
  if (!existsSync(vsix))
    throw new Error('dist/sixlens.vsix is missing: run `npm run build` and `npm run package` first');
  mkdirSync(scratch, { recursive: true });
  const output = path.join(scratch, 'output.txt');
  writeFileSync(output, '');
  const extensionTestsPath = await bundleSuites();
  const kind = await chooseVsCode();
  console.log(`vscode: ${kind === 'desktop' ? 'desktop' : 'server and headless Chromium'}`);
  const workspace = layOutWorkspace();
  const common = {
    extensionDevelopmentPath: path.join(here, 'driver'),
    extensionTestsPath,
    launchArgs: [workspace],
  };
  let code = 0;
  try {
    if (kind === 'desktop') {
      const executable = await downloadAndUnzipVSCode();
      const [cli, ...cliArgs] = resolveCliArgsFromVSCodeExecutablePath(executable);
      if (!cli) throw new Error('the downloaded VS Code has no command line');
      const installed = spawnSync(cli, [...cliArgs, '--install-extension', vsix, '--force'], {
        encoding: 'utf8',
        shell: process.platform === 'win32',
      });
      if (installed.status !== 0)
        throw new Error(`VS Code did not install the package:\n${installed.stderr}`);
      code = await runTests({
        ...common,
        vscodeExecutablePath: executable,
        extensionTestsEnv: { SIXLENS_SUITE_OUTPUT: output },
      });
    } else {
      installHost();
      installChromium();
      code = await runTests({
        ...common,
        vscodeExecutablePath: path.join(here, 'host/code-launcher.mjs'),
        extensionTestsEnv: {
          SIXLENS_SUITE_OUTPUT: output,
          SIXLENS_HOST: JSON.stringify({ vsix, git: true }),
          SIXLENS_HOST_TIMEOUT_MS: process.env.SIXLENS_HOST_TIMEOUT_MS ?? '240000',
          SIXLENS_HOST_ARTIFACTS: path.join(scratch, 'artifacts'),
        },
      });
    }
  } catch (error) {
    // runTests rejects when the suite failed; what the suite printed says why.
    code = 1;
    console.error(error instanceof Error ? error.message : error);
  } finally {
    rmSync(path.dirname(workspace), { recursive: true, force: true });
  }
  const printed = readFileSync(output, 'utf8');
  const closing = /^(\d+) passed, (\d+) failed\n?$/m.exec(printed);
  process.stdout.write(printed);
  if (!closing) console.log('0 passed, 1 failed');
  return code === 0 && closing && Number(closing[2]) === 0 ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(`vscode: ${error instanceof Error ? error.message : error}`);
  console.log('0 passed, 1 failed');
  process.exitCode = 1;
}
