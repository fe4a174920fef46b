/** A `FileHost` over a map of texts, rooted at `/p`. */
import type { FileHost } from '../../server/src/host/fileHost.ts';
import { sourceLimitProblem } from '../../server/src/host/sourceLimits.ts';

export const ROOT = '/p';

export function memoryHost(
  files: Readonly<Record<string, string>>,
): FileHost & { files: Map<string, string> } {
  const map = new Map(Object.entries(files).map(([path, text]) => [`${ROOT}/${path}`, text]));
  const children = (dir: string): Map<string, boolean> => {
    const out = new Map<string, boolean>();
    for (const path of map.keys()) {
      if (!path.startsWith(`${dir}/`)) continue;
      const [head = '', ...rest] = path.slice(dir.length + 1).split('/');
      out.set(head, (out.get(head) ?? false) || rest.length > 0);
    }
    return out;
  };
  return {
    files: map,
    cacheDir: null,
    readText: (path) => {
      const text = map.get(path);
      return text === undefined ? null : { text, encoding: 'utf8', problem: null };
    },
    readSource: (path) => {
      const text = map.get(path);
      if (text === undefined) return null;
      const problem = sourceLimitProblem(text.length, text);
      return problem
        ? { text: null, encoding: 'utf8', problem: { ...problem, file: path } }
        : { text, encoding: 'utf8', problem: null };
    },
    stat: (path) => {
      const text = map.get(path);
      if (text !== undefined) return { mtimeMs: 1, size: text.length, isFile: true, isDirectory: false };
      return children(path).size > 0 ? { mtimeMs: 1, size: 0, isFile: false, isDirectory: true } : null;
    },
    exists: (path) => map.has(path) || children(path).size > 0,
    realpath: (path) => path,
    readDir: (path) =>
      [...children(path)].map(([name, isDirectory]) => ({ name, isFile: !isDirectory, isDirectory })),
    listFiles: (root, options) => ({
      files: [...map.keys()]
        .filter((f) => f.startsWith(`${root}/`) && options.extensions.some((e) => f.endsWith(e)))
        .filter((f) => !f.includes('/node_modules/'))
        .sort(),
      problems: [],
    }),
    readTsconfig: (path) => {
      const text = map.get(path);
      if (text === undefined) return { config: null, problem: null };
      const json = JSON.parse(text) as {
        compilerOptions?: { baseUrl?: string; paths?: Record<string, string[]> };
      };
      const dir = path.slice(0, path.lastIndexOf('/'));
      const base = json.compilerOptions?.baseUrl
        ? `${dir}/${json.compilerOptions.baseUrl}`.replace(/\/\.$/, '')
        : null;
      const at = base ?? dir;
      return {
        config: {
          file: path,
          baseUrl: base,
          paths: Object.fromEntries(
            Object.entries(json.compilerOptions?.paths ?? {}).map(([k, v]) => [
              k,
              v.map((t) => `${at}/${t}`.replace(/\/\.\//g, '/')),
            ]),
          ),
          module: null,
          moduleResolution: null,
          customConditions: [],
          rootDirs: [],
          rootDir: null,
          outDir: null,
          references: [],
        },
        problem: null,
      };
    },
    writeText: (path, text) => void map.set(path, text),
    readBytes: () => null,
    writeBytes: () => undefined,
    remove: (path) => void map.delete(path),
  };
}
