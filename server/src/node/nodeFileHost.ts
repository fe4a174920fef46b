/** The real disk behind `FileHost`. Owns error handling at the system's edge: a refusal becomes null or a problem. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import type { FileHost, FileStat, SourceRead, TextRead } from '../host/fileHost.ts';
import { sourceLimitProblem } from '../host/sourceLimits.ts';
import { decodeText, encodeText } from './decodeText.ts';
import { listFiles } from './listFiles.ts';
import { readTsconfig } from './readTsconfig.ts';
import { toSlashes } from './slashes.ts';

export interface NodeFileHostOptions {
  /** Absolute folder for caches, or null for none. */
  readonly cacheDir?: string | null;
}

export function createNodeFileHost(options: NodeFileHostOptions = {}): FileHost {
  return {
    cacheDir: options.cacheDir == null ? null : toSlashes(options.cacheDir),
    readText,
    readSource,
    stat: statFile,
    exists: (path) => existsSync(path),
    realpath(path) {
      try {
        return toSlashes(realpathSync.native(path));
      } catch {
        return path;
      }
    },
    readDir(path) {
      try {
        return readdirSync(path, { withFileTypes: true }).map((entry) => {
          const target = entry.isSymbolicLink() ? statFile(path + '/' + entry.name) : null;
          return {
            name: entry.name,
            isFile: target ? target.isFile : entry.isFile(),
            isDirectory: target ? target.isDirectory : entry.isDirectory(),
          };
        });
      } catch {
        return [];
      }
    },
    listFiles,
    readTsconfig,
    writeText: (path, text, encoding = 'utf8') => writeWhole(path, encodeText(text, encoding)),
    readBytes(path) {
      try {
        return readFileSync(path);
      } catch {
        return null;
      }
    },
    writeBytes: writeWhole,
    remove: (path) => rmSync(path, { force: true }),
  };
}

function statFile(path: string): FileStat | null {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat
      ? { mtimeMs: stat.mtimeMs, size: stat.size, isFile: stat.isFile(), isDirectory: stat.isDirectory() }
      : null;
  } catch {
    // No permission, or a link to itself.
    return null;
  }
}

function readText(path: string): TextRead | null {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch {
    return null;
  }
  const { text, encoding, problem } = decodeText(bytes);
  return text === null ? null : { text, encoding, problem };
}

function readSource(path: string): SourceRead | null {
  let bytes: Buffer;
  try {
    const stat = statSync(path);
    if (!stat.isFile()) return null;
    const tooLarge = sourceLimitProblem(stat.size, null);
    if (tooLarge) return { text: null, encoding: 'utf8', problem: tooLarge };
    bytes = readFileSync(path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    return {
      text: null,
      encoding: 'utf8',
      problem: {
        code: 'file-unreadable',
        message: `The file cannot be read (${code ?? 'unknown error'}).`,
        severity: 'error',
      },
    };
  }
  const { text, encoding, problem } = decodeText(bytes);
  const unfit = text === null ? problem : sourceLimitProblem(bytes.length, text);
  return unfit ? { text: null, encoding, problem: unfit } : { text, encoding, problem };
}

/** Temporary file, then rename: a reader sees the old or the new content, and a crash loses neither. Keeps the mode. */
function writeWhole(path: string, bytes: Uint8Array): void {
  // A link is written through, not replaced.
  const target = existsSync(path) ? realpathSync.native(path) : path;
  mkdirSync(dirname(target), { recursive: true });
  const temporary = `${target}.${randomBytes(6).toString('hex')}.tmp`;
  const mode = statSync(target, { throwIfNoEntry: false })?.mode;
  try {
    writeFileSync(temporary, bytes, mode === undefined ? undefined : { mode: mode & 0o777 });
    renameSync(temporary, target);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
