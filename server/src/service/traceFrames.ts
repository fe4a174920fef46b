/**
 * From the places that a stack names to places of this project's sources: addresses, Windows paths, containers, bundles with
 * their maps. Owns the search; a place that cannot be told is said so, never guessed.
 */
import type { FileHost } from '../host/fileHost.ts';
import { originalPlace } from '../incidents/sourceMap.ts';
import type { Frame } from '../incidents/stackTrace.ts';

export interface SourcePlace {
  /** Relative to the root. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** The generated file whose map led here; null where the frame names the source itself. */
  readonly by: string | null;
}

/** `library`: code that is not this project's. Otherwise a clause that says why nothing can be told. */
export type FramePlace = SourcePlace | 'library' | { readonly lost: string };

export interface PlaceInput {
  readonly host: Pick<FileHost, 'exists' | 'readText'>;
  readonly root: string;
  sourceFiles(): readonly string[];
}

const LIBRARY =
  /(?:^|\/)node_modules\/|^(?:https?|chrome-extension|node|internal):|(?:^|\/)(?:\.pnpm|\.yarn\/cache)\//;
const GENERATED = /(?:^|\/)(?:dist|build|out|lib|\.next|\.output|\.serverless|bundle|compiled)\//;

export function placeOfFrame(frame: Frame, input: PlaceInput): FramePlace {
  const path = pathOf(frame.location);
  if (path === null || LIBRARY.test(path)) return 'library';
  const file = fileAt(path, input);
  if (file === null) {
    const name = path.replace(/^(?:[A-Za-z]:)?\/+/, '');
    return {
      lost: GENERATED.test(path)
        ? `${name} is built code that is not here; build it with source maps, or run node with --enable-source-maps`
        : `there is no file ${name} here`,
    };
  }
  return mapped(file, frame.line, frame.column, input, 0);
}

function mapped(file: string, line: number, column: number, input: PlaceInput, depth: number): FramePlace {
  const text = input.host.readText(`${input.root}/${file}`)?.text;
  if (text === undefined) return { lost: `${file} cannot be read` };
  const map = depth < 3 ? mapOf(file, text, input) : null;
  if (map) {
    const original = originalPlace(map.text, line, column);
    if (!original) return { lost: `the map of ${file} does not say where line ${line} comes from` };
    const source = pathOf(original.source) ?? original.source;
    if (LIBRARY.test(source)) return 'library';
    const near = joined(map.folder, source);
    const found = near !== null && input.host.exists(`${input.root}/${near}`) ? near : fileAt(source, input);
    if (found === null) return { lost: `the map of ${file} names ${source}, which is not here` };
    const place =
      found === file
        ? { file, line: original.line, column: original.column, by: file }
        : mapped(found, original.line, original.column, input, depth + 1);
    return typeof place === 'object' && 'file' in place ? { ...place, by: file } : place;
  }
  if (/\.[cm]?js$/.test(file) && GENERATED.test(`/${file}`) && !input.sourceFiles().includes(file))
    return { lost: `${file} is built code without a source map, so its lines say nothing` };
  const lines = text.split('\n').length;
  if (line > lines)
    return { lost: `${file} has ${lines} lines and the frame names line ${line}: other code was running` };
  return { file, line, column, by: null };
}

/** A map beside the file, or the one that its last line names or holds. */
function mapOf(
  file: string,
  text: string,
  { host, root }: PlaceInput,
): { text: string; folder: string } | null {
  if (!/\.[cm]?jsx?$/.test(file)) return null;
  const folder = file.includes('/') ? file.slice(0, file.lastIndexOf('/')) : '';
  const named = /\/\/[#@] sourceMappingURL=(\S+)\s*$/.exec(text.slice(-4_000_000))?.[1];
  const inline = named && /^data:application\/json[^,]*?(;base64)?,(.*)$/.exec(named);
  if (inline) {
    try {
      const data = inline[1]
        ? new TextDecoder().decode(Uint8Array.from(atob(inline[2]!), (c) => c.charCodeAt(0)))
        : decodeURIComponent(inline[2]!);
      return { text: data, folder };
    } catch {
      return null;
    }
  }
  for (const candidate of [named === undefined ? null : joined(folder, named), `${file}.map`]) {
    const map = candidate === null ? null : host.readText(`${root}/${candidate}`);
    if (map)
      return {
        text: map.text,
        folder: candidate!.includes('/') ? candidate!.slice(0, candidate!.lastIndexOf('/')) : '',
      };
  }
  return null;
}

/** Null for what names no file: code that was evaluated, modules of the runtime. */
function pathOf(location: string): string | null {
  let path = location;
  const scheme = /^([a-z][a-z-]+):\/\//i.exec(path)?.[1]?.toLowerCase();
  if (scheme === 'file') path = path.replace(/^file:\/\/(?:localhost)?/i, '');
  else if (
    scheme?.startsWith('webpack') ||
    scheme === 'turbopack' ||
    scheme === 'rollup' ||
    scheme === 'vite' ||
    scheme === 'app'
  ) {
    // `webpack://name/./src/a.ts`, `webpack-internal:///(rsc)/./src/a.ts`
    path = path.replace(/^[a-z-]+:\/\//i, '').replace(/^\/*/, '');
    const dot = path.indexOf('./');
    path = dot >= 0 ? path.slice(dot + 2) : path.replace(/^\(.*?\)\//, '');
    if (/^(?:external|webpack\/)/.test(path)) return null;
  } else if (scheme) return location;
  try {
    if (scheme === 'file') path = decodeURIComponent(path);
  } catch {
    // A percent sign of its own is part of the name.
  }
  path = path
    .replace(/[?#][^/]*$/, '')
    .replaceAll('\\', '/')
    .replace(/^\/([A-Za-z]:)/, '$1');
  return path === '' || path.startsWith('<') || path.startsWith('[') ? null : path;
}

function fileAt(path: string, input: PlaceInput): string | null {
  const { host, root } = input;
  if (path.startsWith(`${root}/`)) {
    const own = path.slice(root.length + 1);
    return host.exists(`${root}/${own}`) ? own : null;
  }
  const steps = path.split('/').filter((step) => step !== '' && step !== '.');
  if (steps.includes('..')) {
    const flat = joined('', path.replace(/^(?:\.\.\/)+/, ''));
    return flat !== null && host.exists(`${root}/${flat}`) ? flat : null;
  }
  // Elsewhere the project lay in another folder: its own paths are the end of the whole one.
  for (let i = 0; i < steps.length; i++) {
    const end = steps.slice(i).join('/');
    if (host.exists(`${root}/${end}`)) return end;
  }
  // Of a package of its own in here: the longest end that names one source alone.
  for (let i = 0; i < steps.length - 1; i++) {
    const end = `/${steps.slice(i).join('/')}`;
    const found = input.sourceFiles().filter((file) => file.endsWith(end));
    if (found.length > 1) return null;
    if (found[0] !== undefined) return found[0];
  }
  return null;
}

function joined(folder: string, relative: string): string | null {
  if (/^(?:[a-z][a-z-]+:|\/|[A-Za-z]:)/i.test(relative)) return null;
  const out = folder === '' ? [] : folder.split('/');
  for (const step of relative.split('/')) {
    if (step === '' || step === '.') continue;
    if (step !== '..') out.push(step);
    else if (out.pop() === undefined) return null;
  }
  return out.join('/');
}
