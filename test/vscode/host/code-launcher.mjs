#!/usr/bin/env node
// Stands in for the `code` executable that @vscode/test-electron spawns: takes its arguments and runs the same suite in the
// extension host of the same VS Code, with the workbench in headless Chromium instead of Electron.
// Environment: SIXLENS_SUITE_OUTPUT (file that the suite writes its lines to), SIXLENS_HOST (JSON of host options: settings, vsix, git, workspaceTrust, locale), SIXLENS_HOST_TIMEOUT_MS,
// SIXLENS_HOST_ARTIFACTS (folder for logs and a picture after a failure).
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { openWorkbench, remoteUri, startServer } from './host.mjs';

const DIED = 70;
const TIMED_OUT = 124;
const PAGE_CRASHED = 125;

const options = new Map();
const positional = [];
for (const argument of process.argv.slice(2)) {
  const match = /^--([^=]+)(?:=([\s\S]*))?$/.exec(argument);
  if (match) options.set(match[1], [...(options.get(match[1]) ?? []), match[2] ?? true]);
  else positional.push(path.resolve(argument));
}
const testsPath = options.get('extensionTestsPath')?.at(-1);
if (typeof testsPath !== 'string') {
  console.error('code-launcher: no --extensionTestsPath; it only runs tests');
  process.exit(2);
}

function userSettings() {
  const dir = options.get('user-data-dir')?.at(-1);
  const file = typeof dir === 'string' ? path.join(dir, 'User/settings.json') : '';
  return file && existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
}

const host = JSON.parse(process.env.SIXLENS_HOST ?? '{}');
const artifacts = process.env.SIXLENS_HOST_ARTIFACTS;
// The suite prints into a file, since the workbench's console mixes its lines with VS Code's own. Whoever named the file shows it.
const outputFile = process.env.SIXLENS_SUITE_OUTPUT;
if (!outputFile) {
  console.error('code-launcher: SIXLENS_SUITE_OUTPUT does not name the file that the suite writes');
  process.exit(2);
}

const consoleLines = [];
let server;
let workbench;
const onSignal = async () => {
  await workbench?.browser.close().catch(() => {});
  await server?.stop();
  process.exit(130);
};
process.once('SIGINT', onSignal).once('SIGTERM', onSignal);

async function runSuite() {
  server = await startServer({
    ...host,
    settings: { ...host.settings, ...userSettings() },
    testDriver: true,
    env: { SIXLENS_SUITE_OUTPUT: outputFile, ...host.env },
  });
  const limit = Number(process.env.SIXLENS_HOST_TIMEOUT_MS ?? 300_000);
  let finish;
  const finished = new Promise((resolve) => (finish = resolve));
  const timer = setTimeout(
    () => finish({ code: TIMED_OUT, why: `no exit code from the extension host within ${limit} ms` }),
    limit,
  );
  workbench = await openWorkbench({
    port: server.port,
    folder: positional[0],
    locale: host.locale,
    payload: [
      ...(options.get('extensionDevelopmentPath') ?? []).map((folder) => [
        'extensionDevelopmentPath',
        remoteUri(server.port, folder),
      ]),
      ['extensionTestsPath', remoteUri(server.port, testsPath)],
      ...(options.has('disable-extensions') && !host.vsix ? [['disableExtensions', 'true']] : []),
    ],
    before: async (page) => {
      await page.exposeFunction('codeAutomationLog', (type, values) => {
        const words = values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
        consoleLines.push(`[${type}] ${words.join(' ')}`);
      });
      await page.exposeFunction('codeAutomationExit', (code, logs) => finish({ code, logs }));
      page.on('crash', () => finish({ code: PAGE_CRASHED, why: 'the workbench page crashed' }));
    },
  });
  const result = await finished;
  clearTimeout(timer);
  // An extension host that dies is reported as exit 0 here, so a pass needs the suite's own closing line too.
  const closing = [...readFileSync(outputFile, 'utf8').matchAll(/^(\d+) passed, (\d+) failed/gm)].at(-1);
  if (result.code === 0 && !(closing && Number(closing[1]) > 0 && Number(closing[2]) === 0))
    return {
      ...result,
      code: DIED,
      why: 'the extension host ended without the closing line "N passed, 0 failed"',
    };
  return result;
}

async function keepArtifacts(logs = []) {
  mkdirSync(artifacts, { recursive: true });
  writeFileSync(path.join(artifacts, 'console.log'), consoleLines.join('\n'));
  for (const { relativePath, contents } of logs) {
    const file = path.join(artifacts, relativePath);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, contents);
  }
  await workbench?.page.screenshot({ path: path.join(artifacts, 'workbench.png') }).catch(() => {});
}

let code = DIED;
try {
  const result = await runSuite();
  code = result.code;
  if (code !== 0) {
    console.error(`code-launcher: exit ${code}${result.why ? `: ${result.why}` : ''}`);
    if (artifacts) await keepArtifacts(result.logs);
  }
} catch (error) {
  console.error(`code-launcher: ${error instanceof Error ? error.message : error}`);
} finally {
  await workbench?.browser.close().catch(() => {});
  await server?.stop();
}
process.exit(code);
