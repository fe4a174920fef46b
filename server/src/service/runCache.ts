/**
 * Remembers a whole run: when nothing that it looked at has changed, its answer still holds. Owns the notes of what was
 * looked at and the check that they hold; lives in the user's cache folder, never in a repository. A cache that cannot be
 * read or written is no cache; it is never an error.
 */
import { hashText } from '../base/hash.ts';
import type { FileHost, ListOptions } from '../host/fileHost.ts';
import { recordHost } from '../host/recordingHost.ts';

export interface RunKey {
  /** Identity of this build of the tool; null when it is not known: then nothing is remembered. */
  readonly build: string | null;
  readonly root: string;
  /** Whatever else the answer depends on: preset, files named. */
  readonly options: unknown;
}

interface StoredRun {
  readonly build: string;
  readonly key: string;
  readonly stamps: Readonly<Record<string, string>>;
  readonly listings: readonly {
    readonly root: string;
    readonly options: ListOptions;
    readonly hash: string;
  }[];
  readonly answer: unknown;
}

const MAX_RUNS = 64;
/** Characters. */
const MAX_STORED = 32 * 1024 * 1024;

/** Answers from the cache, else runs `compute` with a host that notes what is read, and remembers the answer. */
export async function cachedRun<T>(
  host: FileHost,
  key: RunKey,
  compute: (host: FileHost) => Promise<T> | T,
): Promise<{ readonly answer: T; readonly cached: boolean }> {
  const folder = host.cacheDir;
  if (folder === null || key.build === null) return { answer: await compute(host), cached: false };
  const keyText = JSON.stringify([key.root, key.options]);
  const file = `${folder}/runs/${hashText(keyText)}${hashText(keyText, 7)}.json`;
  const stored = read(host, file);
  if (stored && stored.build === key.build && stored.key === keyText && holds(host, stored))
    return { answer: stored.answer as T, cached: true };
  const recording = recordHost(host);
  const answer = await compute(recording.host);
  const text = JSON.stringify({
    build: key.build,
    key: keyText,
    stamps: Object.fromEntries([...recording.paths].map((path) => [path, stampOf(host, path)])),
    listings: recording.listings.map(({ root, options, listing }) => ({
      root,
      options,
      hash: hashText(listing.files.join('\n')),
    })),
    answer,
  } satisfies StoredRun);
  if (text.length <= MAX_STORED)
    try {
      host.writeText(file, text);
      prune(host, `${folder}/runs`);
    } catch {
      // A full disk or a read-only home: the next run computes again.
    }
  return { answer, cached: false };
}

/** Keeps the newest runs only: folders that are gone would stay for ever. */
function prune(host: FileHost, folder: string): void {
  const names = host.readDir(folder).filter((entry) => entry.isFile);
  if (names.length <= MAX_RUNS) return;
  const dated = names.map(({ name }) => ({
    path: `${folder}/${name}`,
    at: host.stat(`${folder}/${name}`)?.mtimeMs ?? 0,
  }));
  dated.sort((a, b) => b.at - a.at);
  for (const { path } of dated.slice(MAX_RUNS)) host.remove(path);
}

function read(host: FileHost, file: string): StoredRun | null {
  const text = host.readText(file)?.text;
  if (text === undefined) return null;
  try {
    const value = JSON.parse(text) as Partial<StoredRun>;
    return typeof value.build === 'string' && typeof value.key === 'string' && value.stamps && value.listings
      ? (value as StoredRun)
      : null;
  } catch {
    return null;
  }
}

function holds(host: FileHost, stored: StoredRun): boolean {
  for (const [path, stamp] of Object.entries(stored.stamps)) if (stampOf(host, path) !== stamp) return false;
  for (const { root, options, hash } of stored.listings)
    if (hashText(host.listFiles(root, options).files.join('\n')) !== hash) return false;
  return true;
}

/** Time and size; a file that was changed within the clock's grain of the last run shows by its size nearly always. */
function stampOf(host: FileHost, path: string): string {
  const stat = host.stat(path);
  return stat ? `${stat.mtimeMs}:${stat.isDirectory ? 'd' : stat.size}` : '-';
}
