// Finds the Chromium that drives the workbench and the webview tests, and installs it where that can be done without asking.
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const PLACES = [
  process.env.CHROMIUM_PATH,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** Arguments for a quiet, offline, container-friendly Chromium. */
export const CHROMIUM_ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export const CHROMIUM_ADVICE =
  'no Chromium found: install it (Debian/Ubuntu: `apt-get install chromium`) or set CHROMIUM_PATH to its executable';

/** The executable's path, or null when there is none. */
export function findChromium() {
  for (const place of PLACES) {
    if (!place) continue;
    try {
      accessSync(place, constants.X_OK);
      return place;
    } catch {
      // The next place may have it.
    }
  }
  return null;
}

/** Installs Debian's package when this is root on a system with apt-get. Throws an Error that says what to do otherwise. */
export function installChromium(log = console.log) {
  const found = findChromium();
  if (found) return found;
  const apt = spawnSync('apt-get', ['--version'], { stdio: 'ignore' });
  if (apt.status !== 0 || process.getuid?.() !== 0) throw new Error(CHROMIUM_ADVICE);
  log('chromium: installing through apt-get');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const args of [
    ['update', '-qq'],
    ['install', '-y', '-qq', '--no-install-recommends', 'chromium'],
  ]) {
    const done = spawnSync('apt-get', args, {
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 400_000,
    });
    if (done.status !== 0)
      throw new Error(
        `apt-get ${args[0]} failed:\n${`${done.stderr}`.trim().split('\n').slice(-5).join('\n')}`,
      );
  }
  const installed = findChromium();
  if (!installed) throw new Error(CHROMIUM_ADVICE);
  return installed;
}

if (process.argv[1] && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    console.log(`chromium: ${installChromium()}`);
  } catch (error) {
    console.error(`chromium: ${error instanceof Error ? error.message : error}`);
    process.exit(1);
  }
}
