/** The tools that are compared: how each is started, what counts as an answer, how its findings are counted. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Command } from './measure.ts';

const here = import.meta.dirname;
const repository = path.join(here, '..', '..');
const peers = path.join(here, 'peers');

export type ToolId = 'sixlens' | 'oxlint' | 'eslint' | 'eslint-typed' | 'sonarjs';

export interface Tool {
  readonly id: ToolId;
  readonly title: string;
  /** `targets` are relative to `root`; `cache` is the folder a second run finds again. */
  command(root: string, targets: readonly string[], cache: string): Command;
  /** Exit codes that are answers rather than failures. */
  readonly answers: readonly number[];
  countFindings(stdout: string): number;
}

const node = (root: string, args: readonly string[], env?: Record<string, string>): Command => ({
  file: process.execPath,
  args,
  cwd: root,
  env,
});

function eslint(id: ToolId, title: string, config: string): Tool {
  return {
    id,
    title,
    answers: [0, 1],
    command: (root, targets, cache) =>
      node(root, [
        // The type checker may outgrow Node's own limit; the others keep it, since a larger one makes the collector idle.
        ...(id === 'eslint-typed' ? ['--max-old-space-size=8192'] : []),
        path.join(peers, 'node_modules/eslint/bin/eslint.js'),
        '--config',
        path.join(peers, config),
        // Comments that name rules of other plug-ins would be findings of their own.
        '--no-inline-config',
        '--no-warn-ignored',
        '--format',
        'json',
        '--cache',
        '--cache-location',
        path.join(cache, 'eslint'),
        ...targets,
      ]),
    countFindings: (stdout) =>
      (JSON.parse(stdout) as { messages: unknown[] }[]).reduce((sum, file) => sum + file.messages.length, 0),
  };
}

export const TOOLS: readonly Tool[] = [
  {
    id: 'sixlens',
    title: 'Sixlens (all rules)',
    answers: [0, 1],
    command: (root, targets, cache) =>
      node(
        root,
        [
          path.join(repository, 'dist/cli.js'),
          'check',
          '--preset',
          'strict',
          '--format',
          'json',
          '--root',
          root,
          ...targets,
        ],
        { SIXLENS_CACHE_DIR: path.join(cache, 'sixlens') },
      ),
    countFindings: (stdout) => (JSON.parse(stdout) as { findings: unknown[] }).findings.length,
  },
  {
    id: 'oxlint',
    title: 'oxlint',
    answers: [0, 1],
    command: (root, targets) =>
      node(root, [
        path.join(peers, 'node_modules/oxlint/bin/oxlint'),
        '--config',
        path.join(peers, 'oxlint.json'),
        '--format',
        'json',
        ...targets,
      ]),
    countFindings: (stdout) => (JSON.parse(stdout) as { diagnostics: unknown[] }).diagnostics.length,
  },
  eslint('eslint', 'ESLint + typescript-eslint', 'untyped.config.cjs'),
  eslint('eslint-typed', 'the same, typed promise rules', 'typed.config.cjs'),
  eslint('sonarjs', 'ESLint + SonarJS', 'sonar.config.cjs'),
];

/** Installs the peers into their own folder when they are missing or their lockfile changed. */
export function installPeers(say: (line: string) => void): void {
  const lockfile = readFileSync(path.join(peers, 'package-lock.json'), 'utf8');
  const stamp = path.join(peers, 'node_modules/.package-lock.json');
  if (existsSync(stamp) && samePackages(lockfile, readFileSync(stamp, 'utf8'))) return;
  say('Installing the linters to compare with …');
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--silent'], {
    cwd: peers,
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32',
  });
}

/** npm leaves out what other systems need, so the installed list may be the shorter one. */
function samePackages(wanted: string, installed: string): boolean {
  const list = (text: string): Map<string, string> =>
    new Map(
      Object.entries((JSON.parse(text) as { packages: Record<string, { version?: string }> }).packages)
        .filter(([name]) => name !== '')
        .map(([name, entry]) => [name, entry.version ?? '']),
    );
  const all = list(wanted);
  return [...list(installed)].every(([name, version]) => all.get(name) === version);
}

/** Builds the command line that is measured. */
export function buildSixlens(say: (line: string) => void): void {
  say('Building …');
  execFileSync(process.execPath, [path.join(repository, 'scripts/build.mjs')], {
    cwd: repository,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

export function toolVersion(id: ToolId): string {
  const manifest =
    id === 'sixlens'
      ? path.join(repository, 'package.json')
      : path.join(
          peers,
          'node_modules',
          id === 'oxlint' ? 'oxlint' : id === 'sonarjs' ? 'eslint-plugin-sonarjs' : 'eslint',
          'package.json',
        );
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
}
