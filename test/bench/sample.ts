/**
 * Lays out the source that all tools read: a temporary copy of a folder, or of published packages, without what any of the
 * tools would leave out by itself (tests, migrations, generated and built files). So every tool sees the same files.
 */
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { MAX_SOURCE_BYTES, looksMinified } from '../../server/src/host/sourceLimits.ts';
import { LEFT_OUT, placeOfPath } from '../../server/src/model/place.ts';

export interface SamplePackage {
  readonly name: string;
  readonly version: string;
  /** Folders and files of the package that hold server source. */
  readonly take: readonly string[];
  /** Folders within these that hold no hand-written server code. */
  readonly leave: readonly string[];
}

/**
 * Two server packages that publish their TypeScript as written. Pinned, so that two runs a year apart read the same text.
 * Neither is installed or run: only their text is read.
 */
export const DEFAULT_SAMPLE: readonly SamplePackage[] = [
  {
    name: '@oneuptime/common',
    version: '9.5.13',
    take: ['Server', 'Models', 'Types', 'Utils', 'ServiceRoute.ts'],
    leave: ['Server/Infrastructure/Postgres/SchemaMigrations'],
  },
  { name: '@budibase/server', version: '3.38.1', take: ['src'], leave: ['src/jsRunner/bundles'] },
];

export interface Sample {
  readonly root: string;
  /** Relative to the root, with `/`, sorted. */
  readonly files: readonly string[];
  readonly lines: number;
  readonly bytes: number;
}

const SOURCE = /\.(?:[cm]?[jt]s|[jt]sx)$/;
const MANIFEST =
  /^(?:package\.json|package-lock\.json|pnpm-lock\.yaml|pnpm-workspace\.yaml|yarn\.lock|tsconfig.*\.json|schema\.prisma)$/;
/** Dependencies, build output and folders that tools keep for themselves. */
const LEFT_OUT_FOLDER = /^(?:node_modules|dist|build|out|coverage|\..*)$/;

/** Path relative to the sample's root, with `/`. What Sixlens skips by path is skipped for all. */
export function isBenchSource(file: string): boolean {
  if (!SOURCE.test(file)) return false;
  const place = placeOfPath(file);
  return place === null || !LEFT_OUT.has(place);
}

/** Copies a folder's sources and manifests into `into`; `node_modules` folders become links, for the versions they hold. */
export function layOutFolder(from: string, into: string): Sample {
  if (!existsSync(from) || !statSync(from).isDirectory()) throw new Error(`${from} is not a folder.`);
  copyTree(from, into, '', true);
  return finish(into);
}

/** Fetches the packages with `npm pack` into `work` and lays them out as one workspace in `into`. */
export function layOutPackages(packages: readonly SamplePackage[], work: string, into: string): Sample {
  for (const each of packages) {
    const folder = path.join(work, each.name.replace(/[@/]/g, '_'));
    mkdirSync(folder, { recursive: true });
    const packed = execFileSync(
      'npm',
      ['pack', `${each.name}@${each.version}`, '--silent', '--ignore-scripts', '--pack-destination', folder],
      { encoding: 'utf8', shell: process.platform === 'win32' },
    );
    const archive = path.join(folder, packed.trim().split('\n').at(-1)!);
    execFileSync('tar', ['-xzf', archive, '-C', folder]);
    const unpacked = path.join(folder, 'package');
    const short = each.name.split('/').at(-1)!;
    const target = path.join(into, 'packages', short);
    mkdirSync(target, { recursive: true });
    copyFileSync(path.join(unpacked, 'package.json'), path.join(target, 'package.json'));
    for (const part of each.leave) rmSync(path.join(unpacked, part), { recursive: true });
    for (const part of each.take) {
      const source = path.join(unpacked, part);
      if (!existsSync(source)) throw new Error(`${each.name}@${each.version} holds no ${part}.`);
      if (statSync(source).isDirectory()) copyTree(source, into, `packages/${short}/${part}`, false);
      else copyFileSync(source, path.join(target, part));
    }
  }
  writeFileSync(
    path.join(into, 'package.json'),
    JSON.stringify({ name: 'bench-sample', private: true, workspaces: ['packages/*'] }, null, 2),
  );
  return finish(into);
}

/** `folder` is where the content of `from` goes, relative to `root`. */
function copyTree(from: string, root: string, folder: string, linkModules: boolean): void {
  mkdirSync(path.join(root, folder), { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const source = path.join(from, entry.name);
    const name = folder ? `${folder}/${entry.name}` : entry.name;
    const target = path.join(root, name);
    if (entry.isDirectory()) {
      if (entry.name === 'node_modules' && linkModules) symlinkSync(path.resolve(source), target, 'junction');
      else if (!LEFT_OUT_FOLDER.test(entry.name)) copyTree(source, root, name, linkModules);
    } else if (entry.isFile()) {
      if (MANIFEST.test(entry.name) || (isBenchSource(name) && isReadable(source)))
        copyFileSync(source, target);
    }
  }
}

function isReadable(file: string): boolean {
  return statSync(file).size <= MAX_SOURCE_BYTES && !looksMinified(readFileSync(file, 'utf8'));
}

/** Reads every file once, which also brings all of them into the system's cache before the first timed run. */
function finish(root: string): Sample {
  const files: string[] = [];
  let lines = 0;
  let bytes = 0;
  const visit = (folder: string): void => {
    for (const entry of readdirSync(path.join(root, folder), { withFileTypes: true })) {
      const name = folder ? `${folder}/${entry.name}` : entry.name;
      if (entry.isDirectory()) visit(name);
      else if (entry.isFile() && isBenchSource(name)) {
        const content = readFileSync(path.join(root, name));
        files.push(name);
        bytes += content.length;
        for (const byte of content) if (byte === 10) lines++;
      }
    }
  };
  visit('');
  if (files.length === 0)
    throw new Error('The folder holds no TypeScript or JavaScript source to measure on.');
  files.sort();
  writeFileSync(path.join(root, 'tsconfig.bench.json'), JSON.stringify(typedProject(files)));
  return { root, files, lines, bytes };
}

/** One project that holds exactly the sample, for the linter that asks the type checker. */
function typedProject(files: readonly string[]): object {
  return {
    compilerOptions: {
      target: 'es2022',
      module: 'esnext',
      moduleResolution: 'bundler',
      allowJs: true,
      noEmit: true,
      strict: true,
      skipLibCheck: true,
      experimentalDecorators: true,
      jsx: 'preserve',
      types: [],
    },
    files,
  };
}

/** Files spread evenly over the sample's sizes, tiny ones left out: what a pre-commit hook or an editor would check. */
export function pickSingleFiles(sample: Sample, count: number): string[] {
  const sized = sample.files
    .map((file) => ({ file, size: statSync(path.join(sample.root, file)).size }))
    .filter(({ size }) => size >= 2_000)
    .sort((a, b) => a.size - b.size || (a.file < b.file ? -1 : 1));
  if (sized.length <= count) return sized.map(({ file }) => file);
  return Array.from({ length: count }, (_, i) => sized[Math.floor(((i + 0.5) / count) * sized.length)]!.file);
}
