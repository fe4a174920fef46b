// Owns everything that ends in dist/: the bundles of client, server, command line and panel, and the one shared compiler file.
// Invariant: TypeScript and ts-morph are in no bundle. They are files of their own beside them, loaded when first used.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { generate } from './generate.mjs';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const dist = path.join(root, 'dist');
const require = createRequire(import.meta.url);
/** Stands for `@ts-morph/common` as our own modules import it, until loadOnFirstUse has replaced it. */
const COMPILER_DOOR = './compilerdoor.cjs';
const COMPILER = path.join(path.dirname(require.resolve('@ts-morph/common')), 'typescript.js');

/** @typedef {{ from: string, to: string, kind: 'node' | 'client' | 'browser' }} Entry */
/** @type {readonly Entry[]} */
const ENTRIES = [
  { from: 'client/src/extension.ts', to: 'client/extension.cjs', kind: 'client' },
  { from: 'server/src/lsp/main.ts', to: 'server.cjs', kind: 'node' },
  { from: 'server/src/cli/main.ts', to: 'cli.main.cjs', kind: 'node' },
  { from: 'media/panel/src/main.ts', to: 'panel/panel.js', kind: 'browser' },
];

const NODE_OPTIONS = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  mainFields: ['module', 'main'],
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  logLevel: 'warning',
  logOverride: { 'empty-import-meta': 'silent' },
};

/** Points every import of the compiler or of ts-morph to the shared files, relative to the bundle that asks. */
function sharedFiles(outfile) {
  const here = path.dirname(outfile);
  const to = (name) => {
    const relative = path.relative(here, path.join(dist, name)).replaceAll('\\', '/');
    return relative.startsWith('.') ? relative : `./${relative}`;
  };
  return {
    name: 'shared-files',
    setup(plugin) {
      plugin.onResolve({ filter: /^typescript$/ }, () => ({ path: to('typescript.cjs'), external: true }));
      // Our own modules take the compiler from @ts-morph/common, and nothing else of it: see loadOnFirstUse.
      plugin.onResolve({ filter: /^@ts-morph\/common$/ }, ({ importer }) =>
        importer.includes('node_modules') ? undefined : { path: COMPILER_DOOR, external: true },
      );
      plugin.onResolve({ filter: /^\.\/typescript(\.js)?$/ }, ({ importer }) =>
        importer.includes(`@ts-morph${path.sep}common`)
          ? { path: to('typescript.cjs'), external: true }
          : undefined,
      );
      plugin.onResolve({ filter: /^ts-morph$/ }, () =>
        path.basename(outfile) === 'tsmorph.cjs' ? undefined : { path: to('tsmorph.cjs'), external: true },
      );
    },
  };
}

/**
 * Makes the compiler and ts-morph load on first use rather than when the bundle starts: the namespace objects that esbuild makes for
 * the external files (`import { ts } from '@ts-morph/common'`, `import ts from 'typescript'`, `import { Project } from 'ts-morph'`)
 * are replaced by objects whose members appear on demand. Throws when a module takes a name that such an object does not have.
 */
function loadOnFirstUse(code, outfile) {
  const up = path.relative(path.dirname(outfile), dist).replaceAll('\\', '/') || '.';
  const objects = [
    { file: 'compilerdoor.cjs', names: ['ts'], load: `{ts:require("${up}/typescript.cjs")}` },
    { file: 'typescript.cjs', names: ['default'], load: `{default:require("${up}/typescript.cjs")}` },
    { file: 'tsmorph.cjs', names: Object.keys(require('ts-morph')), load: `require("${up}/tsmorph.cjs")` },
  ];
  let result = code;
  for (const { file, names, load } of objects) {
    const call = `require\\("[./]+${file.replace('.', '\\.')}"\\)`;
    const namespace = new RegExp(`(\\w+)\\s*=\\s*(?:__toESM\\(${call}(?:,\\s*1)?\\)|${call})`, 'g');
    for (const [, variable] of code.matchAll(namespace))
      for (const [, name] of code.matchAll(new RegExp(`\\b${variable}\\.(\\w+)`, 'g')))
        if (!names.includes(name))
          throw new Error(
            `a module imports { ${name} } through ${file}; only ${names.slice(0, 3).join(', ')} load on use`,
          );
    result = result.replace(
      namespace,
      (_, variable) => `${variable}=__onFirstUse(()=>(${load}),${JSON.stringify(names)})`,
    );
  }
  if (/require\("[./]+compilerdoor\.cjs"\)/.test(result))
    throw new Error('an import of the compiler was not replaced');
  return result === code ? code : ON_FIRST_USE + result;
}

const ON_FIRST_USE =
  'var __onFirstUse=(load,names)=>{const target={};for(const name of names)Object.defineProperty(target,name,{configurable:true,' +
  'get(){const value=load()[name];Object.defineProperty(target,name,{value});return value}});return target};\n';

function write(file, text) {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

// Node 22 and later keep compiled code between runs; on Node 20 load.cjs does.
const COMPILE_CACHE = 'try{require("node:module").enableCompileCache?.()}catch{}\n';
const META_URL = 'var __bundleUrl=require("node:url").pathToFileURL(__filename).href;\n';

/** Text of a file that loads `name`, which lies beside it, with its stored machine code. */
const loader = (name) => `module.exports=require("./load.cjs").loadCompiled(__dirname+"/${name}");\n`;

/** @param {Entry} entry */
async function buildEntry(entry) {
  const outfile = path.join(dist, entry.to);
  if (entry.kind === 'browser') {
    await build({
      absWorkingDir: root,
      entryPoints: [entry.from],
      outfile,
      bundle: true,
      platform: 'browser',
      target: 'chrome120',
      format: 'esm',
      minify: true,
      legalComments: 'none',
      logLevel: 'warning',
      loader: { '.ttf': 'dataurl', '.woff2': 'dataurl', '.svg': 'dataurl' },
    });
    return;
  }
  const result = await build({
    ...NODE_OPTIONS,
    entryPoints: [entry.from],
    outfile,
    write: false,
    external: ['vscode'],
    define: { 'import.meta.url': '__bundleUrl' },
    plugins: [sharedFiles(outfile)],
  });
  const code = loadOnFirstUse(result.outputFiles[0].text.replace(/^#!.*\n/, ''), outfile);
  write(outfile, COMPILE_CACHE + META_URL + code);
  if (entry.to !== 'cli.main.cjs') return;
  const command = path.join(dist, 'cli.js');
  write(command, `#!/usr/bin/env node\n${COMPILE_CACHE}${loader(entry.to)}`);
  chmodSync(command, 0o755);
}

async function buildShared() {
  const compiler = path.join(dist, 'typescript.code.cjs');
  // The compiler changes only with its package, and minifying it takes seconds: keep it while it is newer than its source.
  if (!existsSync(compiler) || statSync(compiler).mtimeMs < statSync(COMPILER).mtimeMs) {
    const result = await build({
      absWorkingDir: root,
      entryPoints: [COMPILER],
      bundle: false,
      minify: true,
      legalComments: 'none',
      target: 'node20',
      platform: 'node',
      write: false,
      logLevel: 'error',
    });
    write(compiler, result.outputFiles[0].text);
  }
  write(path.join(dist, 'typescript.cjs'), loader('typescript.code.cjs'));
  await build({
    ...NODE_OPTIONS,
    entryPoints: ['server/src/node/loadCompiled.ts'],
    outfile: path.join(dist, 'load.cjs'),
  });
  const outfile = path.join(dist, 'tsmorph.cjs');
  await build({
    ...NODE_OPTIONS,
    mainFields: ['main'],
    stdin: { contents: `module.exports = require('ts-morph');`, resolveDir: root, loader: 'js' },
    outfile,
    minify: true,
    plugins: [sharedFiles(outfile)],
  });
}

/**
 * Lays V8's code for the bundles into dist/code, as one run over examples/ leaves it, for the Node that builds: a first run then starts as
 * fast as a second. Node 22 and later need none. Without it everything works, some tenths of a second slower.
 */
function buildMachineCode() {
  const own = path.join(dist, 'code');
  rmSync(own, { recursive: true, force: true });
  const examples = path.join(root, 'examples');
  if (!existsSync(path.join(dist, 'cli.js')) || !existsSync(examples)) return;
  const cache = mkdtempSync(path.join(tmpdir(), 'sixlens-build-'));
  try {
    spawnSync(process.execPath, [path.join(dist, 'cli.js'), 'check', '--format', 'json', examples], {
      env: { ...process.env, SIXLENS_CACHE_DIR: cache },
      stdio: 'ignore',
      timeout: 60_000,
    });
    const kept = path.join(cache, 'code');
    for (const kind of existsSync(kept) ? readdirSync(kept) : []) {
      mkdirSync(path.join(own, kind), { recursive: true });
      for (const name of readdirSync(path.join(kept, kind)))
        copyFileSync(path.join(kept, kind, name), path.join(own, kind, name.replace(/-\d+$/, '')));
    }
  } finally {
    rmSync(cache, { recursive: true, force: true });
  }
}

function forget(entry) {
  for (const name of entry.to === 'cli.main.cjs' ? ['cli.js', entry.to] : [entry.to])
    rmSync(path.join(dist, name), { force: true });
}

/**
 * Builds dist/. Entries whose source does not exist are named and skipped; one that does not build leaves no old output behind and the
 * others built. Rejects with esbuild's own error then.
 */
export async function buildAll() {
  generate();
  mkdirSync(dist, { recursive: true });
  // dist/*.js are CommonJS, which starts faster, although the package itself is ESM.
  write(path.join(dist, 'package.json'), '{"type":"commonjs"}\n');
  await buildShared();
  const results = await Promise.allSettled(
    ENTRIES.map(async (entry) => {
      if (!existsSync(path.join(root, entry.from))) {
        console.log(`build: ${entry.from} does not exist, skipped`);
        forget(entry);
        return;
      }
      try {
        await buildEntry(entry);
      } catch (error) {
        forget(entry);
        throw error;
      }
    }),
  );
  for (const name of ['typescript.code.cjs', 'tsmorph.cjs', 'load.cjs', ...ENTRIES.map(({ to }) => to)]) {
    const file = path.join(dist, name);
    if (existsSync(file)) console.log(`build: dist/${name} ${Math.ceil(statSync(file).size / 1024)} kB`);
  }
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
  buildMachineCode();
}

if (process.argv[1] && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  buildAll().catch((error) => {
    console.error(`build: ${error instanceof Error ? error.message : error}`);
    process.exit(1);
  });
}
