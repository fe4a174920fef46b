// Starts a real VS Code for tests and for `npm start`: the server of package code-server, and its workbench in headless Chromium.
// Invariant: nothing of the machine's own profile leaks in, and nothing stays behind after stop().
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CHROMIUM_ADVICE, CHROMIUM_ARGS, findChromium } from './chromium.mjs';
import { HOST_NODE, HOST_VSCODE } from './install.mjs';

const QUIET_SETTINGS = {
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.enableExperiments': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'chat.disableAIFeatures': true,
  'telemetry.telemetryLevel': 'off',
  'extensions.autoUpdate': false,
  'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true,
  'npm.fetchOnlinePackageInfo': false,
  'files.autoSave': 'off',
  'typescript.disableAutomaticTypeAcquisition': true,
};

/**
 * @typedef {object} ServerOptions
 * @property {Record<string, unknown>} [settings] user settings, over the quiet defaults
 * @property {string | readonly string[]} [vsix] packages to install first
 * @property {boolean} [testDriver] accept extensionDevelopmentPath and extensionTestsPath; turns notification toasts off
 * @property {boolean} [workspaceTrust] ask for trust as a desktop does (default: every folder is trusted)
 * @property {boolean} [git] the built-in Git extension (default off)
 * @property {string} [token] connection token that the address must carry; none by default
 * @property {string} [port] fixed port; free one by default
 * @property {string} [log] file for the server's log
 * @property {Record<string, string>} [env] added to the server's environment; names beginning VSCODE_ do not arrive
 */

function hostEnvironment(extra, home, temporary) {
  const env = {
    ...process.env,
    ...extra,
    HOME: home,
    TMPDIR: temporary,
    XDG_RUNTIME_DIR: temporary,
    EXTENSIONS_GALLERY: '{}',
  };
  // A terminal inside another VS Code sets these, and one of them keeps the server from starting.
  for (const name of Object.keys(env))
    if (
      /^(VSCODE_|ELECTRON_|CODE_SERVER_)/.test(name) ||
      /^(XDG_(CONFIG|DATA|CACHE)_HOME|NODE_OPTIONS)$/.test(name)
    )
      delete env[name];
  return env;
}

function installVsix(main, file, env) {
  return new Promise((resolve, reject) => {
    let output = '';
    const child = spawn(HOST_NODE, [...main, '--install-extension', file, '--force'], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout.on('data', (data) => (output += data));
    child.stderr.on('data', (data) => (output += data));
    child.on('error', reject).on('close', (code) => {
      if (code === 0) resolve(undefined);
      else reject(new Error(`VS Code did not install ${file} (exit ${code}):\n${output}`));
    });
  });
}

/** Starts a server with an empty profile of its own; rejects with its output when it does not listen within a minute. */
export async function startServer(/** @type {ServerOptions} */ options = {}) {
  const {
    settings = {},
    vsix = [],
    testDriver = false,
    workspaceTrust = false,
    git = false,
    token,
  } = options;
  const dir = mkdtempSync(path.join(tmpdir(), 'sixlens-vscode-'));
  const data = path.join(dir, 's');
  const home = path.join(dir, 'h');
  const temporary = path.join(dir, 't');
  for (const folder of [path.join(data, 'data/User'), home, temporary])
    mkdirSync(folder, { recursive: true });
  writeFileSync(
    path.join(data, 'data/User/settings.json'),
    JSON.stringify({ ...QUIET_SETTINGS, 'git.enabled': git, ...settings }, null, 2),
  );
  const env = hostEnvironment(options.env ?? {}, home, temporary);
  const main = [
    path.join(HOST_VSCODE, 'out/server-main.js'),
    '--accept-server-license-terms',
    '--server-data-dir',
    data,
    '--extensions-dir',
    path.join(dir, 'e'),
  ];
  const removeDir = () => rmSync(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  try {
    for (const file of [vsix].flat()) await installVsix(main, path.resolve(file), env);
  } catch (error) {
    removeDir();
    throw error;
  }
  const log = openSync(options.log ?? path.join(dir, 'server.log'), 'w');
  const child = spawn(
    HOST_NODE,
    [
      ...main,
      '--host',
      '127.0.0.1',
      '--port',
      options.port ?? '0',
      ...(token ? ['--connection-token', token] : ['--without-connection-token']),
      '--telemetry-level',
      'off',
      ...(workspaceTrust ? [] : ['--disable-workspace-trust']),
      '--disable-experiments',
      '--force-disable-user-env',
      '--log',
      'info',
      ...(testDriver ? ['--enable-smoke-test-driver'] : []),
    ],
    { env, detached: true, stdio: ['ignore', 'pipe', log] },
  );
  const kill = (signal) => {
    try {
      process.kill(-child.pid, signal);
    } catch {
      // The whole group has gone already.
    }
  };
  const onExit = () => {
    kill('SIGKILL');
    rmSync(dir, { recursive: true, force: true });
  };
  process.once('exit', onExit);
  const stop = async () => {
    const ended = child.exitCode !== null || child.signalCode !== null;
    const gone = ended ? Promise.resolve() : new Promise((resolve) => child.once('exit', resolve));
    kill('SIGTERM');
    await Promise.race([gone, new Promise((resolve) => setTimeout(resolve, 3000))]);
    kill('SIGKILL');
    process.off('exit', onExit);
    closeSync(log);
    removeDir();
  };
  try {
    const port = await new Promise((resolve, reject) => {
      let buffer = '';
      let listening = false;
      const timer = setTimeout(
        () => reject(new Error(`the VS Code server did not start within 60 s:\n${buffer}`)),
        60_000,
      );
      child.stdout.on('data', (chunk) => {
        writeSync(log, chunk);
        if (listening) return;
        buffer += chunk;
        const match = /Extension host agent listening on (\d+)/.exec(buffer);
        if (!match) return;
        listening = true;
        clearTimeout(timer);
        resolve(Number(match[1]));
      });
      child.on('error', reject).on('exit', (code) => {
        clearTimeout(timer);
        if (!listening) reject(new Error(`the VS Code server exited (${code}):\n${buffer}`));
      });
    });
    return {
      port,
      pid: child.pid,
      dir,
      token,
      stop,
      closed: new Promise((done) => child.once('exit', done)),
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The workbench's address for a folder or a .code-workspace file. */
export function workbenchAddress({ port, token, folder, payload = [], locale }) {
  const query = new URLSearchParams({
    ...(token ? { tkn: token } : {}),
    ...(folder ? { [folder.endsWith('.code-workspace') ? 'workspace' : 'folder']: folder } : { ew: 'true' }),
    ...(locale ? { locale } : {}),
    ...(payload.length ? { payload: JSON.stringify(payload) } : {}),
  });
  return `http://127.0.0.1:${port}/?${query}`;
}

/** The address under which the workbench knows a file or folder of this machine. */
export function remoteUri(port, file) {
  return `vscode-remote://127.0.0.1:${port}${encodeURI(path.resolve(file))}`;
}

/**
 * Opens the workbench in headless Chromium; every request that would leave this machine is refused.
 * `before` runs on the blank page, for bindings the workbench needs from its start.
 */
export async function openWorkbench({
  port,
  token,
  folder,
  payload = [],
  locale,
  before,
  viewport = { width: 1400, height: 900 },
}) {
  const executablePath = findChromium();
  if (!executablePath) throw new Error(CHROMIUM_ADVICE);
  const { chromium } = await import('playwright-core');
  const browser = await chromium.launch({
    executablePath,
    headless: true,
    args: [...CHROMIUM_ARGS, ...(locale ? [`--lang=${locale}`] : [])],
  });
  try {
    const context = await browser.newContext({ viewport, ...(locale ? { locale } : {}) });
    await context.route(
      (url) => url.hostname !== '127.0.0.1',
      (route) => route.abort(),
    );
    const page = await context.newPage();
    await before?.(page);
    const quiet = [
      ['skipWelcome', 'true'],
      ['skipReleaseNotes', 'true'],
    ];
    await page.goto(workbenchAddress({ port, token, folder, locale, payload: [...quiet, ...payload] }), {
      waitUntil: 'domcontentloaded',
    });
    return { browser, context, page };
  } catch (error) {
    await browser.close();
    throw error;
  }
}
