/**
 * Loads a CommonJS file with the machine code that V8 made of it in an earlier run: starting the compiler then takes half the time.
 * Node 22 and later do this by themselves; this is for Node 20. Built as a file of its own, dist/load.cjs.
 * `npm run build` lays that code beside the bundles, in dist/code, for the Node that built; for any other it is kept in the user's cache
 * folder. Anything wrong with either means the file is compiled as usual.
 */
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import nodeModule, { createRequire } from 'node:module';
import path from 'node:path';
import { Script } from 'node:vm';
import { userCacheFolder } from './userCacheFolder.ts';

type CompileCacheApi = { enableCompileCache?: () => unknown };

/** Folder of the machine code of one kind of Node, within dist/code or the user's cache. */
export function codeFolder(): string {
  return `${process.version}-${process.platform}-${process.arch}`;
}

/** The exports of `file`, an absolute path. Throws what the file itself throws. */
export function loadCompiled(file: string): unknown {
  const require = createRequire(file);
  if (typeof (nodeModule as CompileCacheApi).enableCompileCache === 'function') return require(file);
  const source = readFileSync(file, 'utf8');
  // V8 compares only the length of the source, so the name in the user's cache carries the file's time and size too.
  const { size, mtimeMs } = statSync(file);
  const name = path.basename(file);
  const built = readIfThere(path.join(path.dirname(file), 'code', codeFolder(), `${name}-${size}`));
  let script = new Script(nodeModule.wrap(source), { filename: file, cachedData: built });
  const folder = userCacheFolder(process.env);
  if (folder && script.cachedDataRejected !== false) {
    const place = path.join(folder, 'code', codeFolder());
    const stored = path.join(place, `${name}-${size}-${Math.trunc(mtimeMs)}`);
    const own = readIfThere(stored);
    if (own) script = new Script(nodeModule.wrap(source), { filename: file, cachedData: own });
    // At the end of the run V8 has compiled what runs use, not only what loading needs.
    if (script.cachedDataRejected !== false) process.once('exit', () => store(script, place, stored));
  }
  const module = { exports: {} as unknown };
  const run = script.runInThisContext() as (...values: unknown[]) => void;
  run.call(module.exports, module.exports, require, module, file, path.dirname(file));
  return module.exports;
}

function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

function store(script: Script, folder: string, file: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // Another process may write the same file now; a rename lets readers see a whole one.
    const temporary = `${file}.${process.pid}`;
    writeFileSync(temporary, script.createCachedData(), { mode: 0o600 });
    renameSync(temporary, file);
  } catch {
    // A full or read-only disk costs the next run some milliseconds, nothing else.
  }
}
