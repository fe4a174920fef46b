/** A file host that notes what was looked at. Owns the notes; passes everything through. */
import type { FileHost, FileListing, ListOptions } from './fileHost.ts';

export interface Recording {
  readonly host: FileHost;
  /** Paths whose content, presence or entries were read. */
  readonly paths: ReadonlySet<string>;
  readonly listings: readonly {
    readonly root: string;
    readonly options: ListOptions;
    readonly listing: FileListing;
  }[];
}

export function recordHost(inner: FileHost): Recording {
  const paths = new Set<string>();
  const listings: { root: string; options: ListOptions; listing: FileListing }[] = [];
  const noted = <T>(path: string, value: T): T => {
    paths.add(path);
    return value;
  };
  const host: FileHost = {
    ...inner,
    readText: (path) => noted(path, inner.readText(path)),
    readSource: (path) => noted(path, inner.readSource(path)),
    stat: (path) => noted(path, inner.stat(path)),
    exists: (path) => noted(path, inner.exists(path)),
    readDir: (path) => noted(path, inner.readDir(path)),
    readTsconfig(path) {
      const read = inner.readTsconfig(path);
      // `extends` reaches other files: the merged result names them only in part, so the chain's bases are noted too.
      for (const file of [path, ...(read.config?.references ?? [])]) paths.add(file);
      return read;
    },
    listFiles(root, options) {
      const listing = inner.listFiles(root, options);
      listings.push({ root, options, listing });
      return listing;
    },
  };
  return { host, paths, listings };
}
