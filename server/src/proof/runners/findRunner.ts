/**
 * Which runner a project's tests use and how its own scripts call it: flags, loaders, environment. Owns the choice: what
 * the test file imports, then the scripts, then what is installed; the nearest package that tells decides.
 */
import type { FileHost } from '../../host/fileHost.ts';
import { jest } from './jest.ts';
import { mocha } from './mocha.ts';
import { nodeTest } from './nodeTest.ts';
import type { Runner, RunnerName } from './runner.ts';
import { commandsOf } from './scriptWords.ts';
import { vitest } from './vitest.ts';

const ALL: readonly Runner[] = [vitest, jest, mocha, nodeTest];

export interface FoundRunner {
  readonly runner: Runner;
  /** Folder of the package that tells. Absolute. */
  readonly cwd: string;
  /** The program and the words before the runner's own. */
  readonly program: string;
  readonly before: readonly string[];
  /** The program as people write it. */
  readonly shown: readonly string[];
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Folders of programs, nearest first, for PATH. */
  readonly bins: readonly string[];
  /** The package's `test` script; null where it has none. */
  readonly suite: { readonly script: string; readonly shown: string } | null;
}

interface Manifest {
  readonly scripts: Readonly<Record<string, string>>;
  readonly installed: ReadonlySet<string>;
}

interface Call {
  readonly runner: Runner;
  /** `node`, `tsx`, `ts-node` or a runner's own name. */
  readonly program: string;
  /** Flags of Node itself, where the script starts the runner's file by `node`. */
  readonly nodeFlags: readonly string[];
  readonly flags: readonly string[];
  /** Words before the program that give it its environment: `dotenv -e .env.test --`. */
  readonly wrapper: readonly string[];
  /** Files, folders and globs that the script names. */
  readonly paths: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** `top` bounds the search upwards; `file` is absolute. `node` is the path of Node. */
export function findRunner(
  host: FileHost,
  { top, file, node }: { readonly top: string; readonly file: string; readonly node: string },
): FoundRunner | { readonly error: string } {
  const text = host.readText(file)?.text ?? '';
  const imported = importedRunner(text);
  const unknown: string[] = [];
  const folders = upwards(file.slice(0, file.lastIndexOf('/')), top);
  const bins = folders.map((folder) => `${folder}/node_modules/.bin`);
  for (const [i, cwd] of folders.entries()) {
    const manifest = manifestOf(host, cwd);
    if (!manifest) continue;
    const call =
      bestOf(callsIn(manifest, imported, unknown), file.slice(cwd.length + 1), imported) ??
      plainCall(host, cwd, manifest, imported, file);
    if (!call) continue;
    const started = start(host, folders.slice(i), call, node);
    if ('error' in started) return started;
    const [outer, ...words] = call.wrapper;
    const script = manifest.scripts['test'];
    return {
      runner: call.runner,
      cwd,
      ...started,
      ...(outer === undefined
        ? {}
        : { program: outer, before: [...words, started.program, ...started.before] }),
      env: call.env,
      bins,
      suite: script === undefined || isPlaceholder(script) ? null : { script, shown: `npm test (${script})` },
    };
  }
  return {
    error:
      unknown.length > 0
        ? `the tests are run by ${[...new Set(unknown)].join(' and ')}, which is no runner that can be told to run one test (vitest, jest, mocha, node:test)`
        : 'no test runner was found: no script of package.json calls vitest, jest, mocha or node --test, and none is installed',
  };
}

/** What `npm init` writes. */
function isPlaceholder(script: string): boolean {
  return /no test specified/.test(script);
}

function importedRunner(text: string): RunnerName | null {
  // At the head of a line: a test may hold the text of other tests.
  const from = (name: string): boolean =>
    new RegExp(`^(?:import\\b[^;'"\`]*|(?:const|let|var)\\b[^;'"\`]*\\brequire\\()['"]${name}['"]`, 'm').test(
      text,
    );
  if (from('vitest')) return 'vitest';
  if (from('@jest/globals')) return 'jest';
  if (from('mocha')) return 'mocha';
  return from('node:test') ? 'node:test' : null;
}

function upwards(from: string, top: string): readonly string[] {
  const out: string[] = [];
  for (let at = from; at.startsWith(top); at = at.slice(0, at.lastIndexOf('/'))) {
    out.push(at);
    if (at === top || at === '') break;
  }
  return out;
}

function manifestOf(host: FileHost, folder: string): Manifest | null {
  const text = host.readText(`${folder}/package.json`)?.text;
  if (text === undefined) return null;
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return null;
  }
  const part = (name: string): Record<string, unknown> => {
    const value = isRecord(json) ? json[name] : undefined;
    return isRecord(value) ? value : {};
  };
  const scripts: Record<string, string> = {};
  for (const [name, script] of Object.entries(part('scripts')))
    if (typeof script === 'string') scripts[name] = script;
  return {
    scripts,
    installed: new Set(['dependencies', 'devDependencies'].flatMap((name) => Object.keys(part(name)))),
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `test` first, then what is named like it, then the rest: coverage and end-to-end scripts come last. */
function callsIn(manifest: Manifest, imported: RunnerName | null, unknown: string[]): readonly Call[] {
  const rank = (name: string): number =>
    name === 'test' ? 0 : /e2e|cover|watch|debug/.test(name) ? 3 : /^test\b|unit/.test(name) ? 1 : 2;
  return Object.keys(manifest.scripts)
    .sort((a, b) => rank(a) - rank(b))
    .flatMap((name) => callsOf(manifest, name, imported, unknown, 0));
}

/** The first, unless another names the test's folder, or the file's tests come from nowhere as only vitest's do not. */
function bestOf(calls: readonly Call[], file: string, imported: RunnerName | null): Call | null {
  const score = ({ runner, paths }: Call): number =>
    (paths.some((path) => isAbout(path, file)) ? 2 : 0) +
    (imported === null && runner.name !== 'vitest' && runner.name !== 'node:test' ? 1 : 0);
  let best: Call | null = null;
  for (const call of calls) if (!best || score(call) > score(best)) best = call;
  return best;
}

/** The part of a path or glob before its first wildcard begins the file's path. */
function isAbout(path: string, file: string): boolean {
  const start = path.replace(/^\.\//, '').replace(/[*?[{(].*$/s, '');
  return start !== '' && file.startsWith(start);
}

const MAX_DEPTH = 4;
const FOREIGN = /^(?:ava|tap|tape|jasmine|karma|playwright|cypress|bun|deno|uvu|lab|japa|react-scripts)$/;

function callsOf(
  manifest: Manifest,
  name: string,
  imported: RunnerName | null,
  unknown: string[],
  depth: number,
): readonly Call[] {
  const script = manifest.scripts[name];
  if (script === undefined || depth > MAX_DEPTH) return [];
  return commandsOf(script).flatMap(({ env, words }) => {
    const other = scriptNamed(words);
    if (other !== null && other !== name)
      return callsOf(manifest, other, imported, unknown, depth + 1).map((call) => ({
        ...call,
        env: { ...env, ...call.env },
      }));
    const call = readCall(words, env);
    if (call) return imported === null || call.runner.name === imported ? [call] : [];
    const foreign = /^test\b/.test(name) ? words.find((word) => FOREIGN.test(word)) : undefined;
    if (foreign !== undefined) unknown.push(foreign);
    return [];
  });
}

function scriptNamed(words: readonly string[]): string | null {
  const [program, first, second] = words;
  if (program === undefined || !/^(?:npm|pnpm|yarn)$/.test(program) || first === undefined) return null;
  if (first === 'run' || first === 'run-script') return second ?? null;
  return first === 'test' || first === 't' ? 'test' : program === 'npm' || first === 'exec' ? null : first;
}

const WRAPPERS = /^(?:dotenv|dotenvx|env-cmd)$/;

function readCall(words: readonly string[], given: Readonly<Record<string, string>>): Call | null {
  const env = { ...given };
  const wraps = WRAPPERS.test(words[0] ?? '');
  for (const [at, word] of words.entries()) {
    const assigned = /^([A-Za-z_]\w*)=(.*)$/s.exec(word);
    if (assigned && at < 6) env[assigned[1]!] = assigned[2]!;
    const base = word.slice(word.lastIndexOf('/') + 1).replace(/\.[cm]?js$/, '');
    const rest = words.slice(at + 1);
    const wrapper = wraps ? words.slice(0, at) : [];
    const own = ALL.find(
      (runner) => runner.program !== null && base.replace(/^_/, '') === runner.program.bin,
    );
    if (own) return { runner: own, program: own.name, wrapper, nodeFlags: [], ...split(rest, own), env };
    if (base === 'tsx' || base === 'node' || base === 'ts-node') {
      if (rest.some((flag) => flag === '--test' || flag.startsWith('--test-')))
        return { runner: nodeTest, program: base, wrapper, nodeFlags: [], ...split(rest, nodeTest), env };
      // `node --experimental-vm-modules node_modules/jest/bin/jest.js`
      const file = rest.findIndex((part) => !part.startsWith('-') && /\.[cm]?js$|\.bin\//.test(part));
      if (file < 0 || base !== 'node') continue;
      const inner = readCall(rest.slice(file), env);
      return inner && { ...inner, wrapper, nodeFlags: split(rest.slice(0, file), nodeTest).flags };
    }
  }
  return null;
}

/** The options that say how tests are loaded, without filters and reporters; and the files. */
function split(words: readonly string[], runner: Runner): Pick<Call, 'flags' | 'paths'> {
  const flags: string[] = [];
  const paths: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (!word.startsWith('-')) {
      if (!runner.verbs.includes(word)) paths.push(word);
      continue;
    }
    if (word === '--') break;
    const next = words[at + 1];
    const valued = runner.valued.includes(word) && next !== undefined;
    if (valued) at++;
    if (!runner.dropped.test(word)) flags.push(word, ...(valued ? [next] : []));
  }
  return { flags, paths };
}

/** Without a script that tells: what is installed, or what the test file imports. */
function plainCall(
  host: FileHost,
  cwd: string,
  { installed }: Manifest,
  imported: RunnerName | null,
  file: string,
): Call | null {
  const runner =
    ALL.find(({ name }) => name === imported) ??
    ALL.find(({ program }) => program !== null && installed.has(program.pkg));
  if (!runner || (runner.program !== null && !installed.has(runner.program.pkg))) return null;
  const loader =
    needsLoader(file) && (runner === mocha || runner === nodeTest) ? loaderOf(host, cwd, installed) : [];
  const program = runner === nodeTest ? 'node' : runner.name;
  // Node's own flags: mocha takes them for itself in other forms.
  const [nodeFlags, flags] = runner === mocha ? [loader, []] : [[], loader];
  return { runner, program, wrapper: [], nodeFlags, flags, paths: [], env: {} };
}

function needsLoader(file: string): boolean {
  return /\.[cm]?tsx?$/.test(file);
}

function loaderOf(host: FileHost, cwd: string, installed: ReadonlySet<string>): readonly string[] {
  const has = (name: string): boolean => installed.has(name) || host.exists(`${cwd}/node_modules/${name}`);
  if (has('tsx')) return ['--import', 'tsx'];
  if (has('@swc-node/register')) return ['--import', '@swc-node/register/esm-register'];
  if (has('ts-node')) return ['--loader', 'ts-node/esm'];
  return [];
}

/** The program to start, and its first words. */
function start(
  host: FileHost,
  folders: readonly string[],
  { runner, program, nodeFlags, flags }: Call,
  node: string,
): Pick<FoundRunner, 'program' | 'before' | 'shown' | 'flags'> | { readonly error: string } {
  const found = (pkg: string, bin: string): string | null => {
    for (const folder of folders) {
      const at = `${folder}/node_modules/${pkg}`;
      const text = host.readText(`${at}/package.json`)?.text;
      const file = text === undefined ? null : binOf(text, bin);
      if (file !== null) return `${at}/${file.replace(/^\.\//, '')}`;
    }
    return null;
  };
  if (runner.program !== null) {
    const file = found(runner.program.pkg, runner.program.bin);
    if (file === null)
      return { error: `${runner.name} is not installed: there is no node_modules/${runner.program.pkg}` };
    return { program: node, before: [...nodeFlags, file], shown: [], flags };
  }
  if (program === 'node') return { program: node, before: [], shown: ['node'], flags };
  const file = found(program, program);
  if (file === null) return { error: `${program} is not installed: there is no node_modules/${program}` };
  return { program: node, before: [file], shown: [program], flags };
}

function binOf(text: string, bin: string): string | null {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return null;
  }
  const field = isRecord(json) ? json['bin'] : undefined;
  const file = isRecord(field) ? (field[bin] ?? Object.values(field)[0]) : field;
  return typeof file === 'string' ? file : null;
}
