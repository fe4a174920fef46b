// `npm start`: an editor with the extension on examples/ — desktop VS Code when `code` is on the PATH, else its workbench in the browser.
// `npm start -- check PATH`: the command line on PATH instead; its exit code is ours. Installs and builds what is missing first.
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { installPackages } from './install.mjs';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const COMMANDS = ['check', 'units', 'table', 'explain', 'rules'];
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

function fail(message) {
  console.error(`start: ${message}`);
  process.exit(2);
}

/** Where people typed the command; npm itself runs scripts in the package's folder. */
const typedIn = process.env.INIT_CWD ?? process.cwd();

/** @param {boolean} quiet keep the build's own lines back: a command's output is its answer */
async function prepare(quiet) {
  installPackages((line) => console.error(line));
  const { buildAll } = await import('./build.mjs');
  const print = console.log;
  if (quiet) console.log = () => {};
  try {
    await buildAll();
  } finally {
    console.log = print;
  }
}

function runCli(args) {
  const cli = path.join(root, 'dist/cli.js');
  if (!existsSync(cli)) fail('dist/cli.js was not built');
  const done = spawnSync(process.execPath, [cli, ...args], { cwd: typedIn, stdio: 'inherit' });
  if (done.error) fail(done.error.message);
  process.exit(done.status ?? 2);
}

function hasCode() {
  const done = spawnSync('code', ['--version'], { encoding: 'utf8', shell: process.platform === 'win32' });
  return done.status === 0 && /^\d+\.\d+/.test(done.stdout);
}

function openDesktop(folder) {
  const args = ['--new-window', `--extensionDevelopmentPath=${root}`, folder];
  const child = spawn('code', args, { stdio: 'inherit', shell: process.platform === 'win32' });
  child.on('error', (error) => fail(`\`code\` could not be started: ${error.message}`));
  child.on('exit', (code) => {
    if (code) fail(`\`code\` ended with exit code ${code}`);
    console.log(`Opened ${path.relative(root, folder)} in VS Code, with the extension.`);
  });
}

async function openInBrowser(folder) {
  const { installHost } = await import('../test/vscode/host/install.mjs');
  const { startServer, workbenchAddress } = await import('../test/vscode/host/host.mjs');
  const { packageVsix } = await import('./package.mjs');
  console.log('start: no `code` on the PATH, so VS Code opens in the browser');
  installHost();
  const vsix = await packageVsix();
  const server = await startServer({
    vsix,
    git: true,
    workspaceTrust: true,
    token: randomBytes(16).toString('hex'),
    ...(process.env.PORT ? { port: process.env.PORT } : {}),
  });
  const { port, token } = server;
  console.log(`\nOpen this address:\n\n  ${workbenchAddress({ port, token, folder })}\n\nControl+C ends it.`);
  const end = async () => {
    await server.stop();
    process.exit(0);
  };
  process.once('SIGINT', end).once('SIGTERM', end);
  await server.closed;
  fail('the VS Code server ended');
}

const args = process.argv.slice(2);
if (major < 20 || (major === 20 && minor < 19))
  fail(`Node.js 20.19 or newer is needed, this is ${process.versions.node}`);
if (args.length && !COMMANDS.includes(args[0] ?? ''))
  fail(
    `unknown command "${args[0]}"; \`npm start\` opens an editor, \`npm start -- check PATH\` analyses PATH`,
  );
if (args[0] === 'check' && !args.slice(1).some((word) => !word.startsWith('-')))
  fail('`npm start -- check PATH` needs the path of a file or folder');
try {
  await prepare(args.length > 0);
  if (args.length) runCli(args);
  const folder = path.join(root, 'examples/shop');
  if (hasCode()) openDesktop(folder);
  else await openInBrowser(folder);
} catch (error) {
  fail(error instanceof Error ? error.message : String(error));
}
