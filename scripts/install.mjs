// Owns the question whether node_modules is what package-lock.json asks for, and the answer when it is not: `npm ci`.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');

function readLock(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages ?? {};
  } catch {
    return null;
  }
}

/** The first package that is missing or of another version than the lockfile's, or null when all are there. */
export function firstStalePackage() {
  const installed = readLock(path.join(root, 'node_modules/.package-lock.json'));
  if (!installed) return 'node_modules';
  const wanted = readLock(path.join(root, 'package-lock.json'));
  if (!wanted) throw new Error('package-lock.json is missing or is not JSON');
  for (const [name, { version, optional, devOptional, peer }] of Object.entries(wanted)) {
    if (name === '' || optional || devOptional || peer) continue;
    if (installed[name]?.version !== version || !existsSync(path.join(root, name))) return name;
  }
  return null;
}

/** Runs `npm ci` when something is missing. Throws an Error with npm's last lines when it fails. */
export function installPackages(log = console.log) {
  const stale = firstStalePackage();
  if (!stale) return;
  log(
    `npm ci: ${stale === 'node_modules' ? 'nothing is installed yet' : `${stale} is not what the lockfile asks for`}`,
  );
  const done = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32',
    timeout: 900_000,
  });
  if (done.error) throw new Error(`npm could not be started: ${done.error.message}`);
  if (done.status !== 0)
    throw new Error(
      `npm ci failed:\n${`${done.stdout}${done.stderr}`.trim().split('\n').slice(-20).join('\n')}`,
    );
}
