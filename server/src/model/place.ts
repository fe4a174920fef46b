/** What kind of code a file is, from its path and its head: judged server code, or one of the kinds that are left out. */
import type { SourceFile } from './project.ts';

export type Place =
  'server' | 'browser' | 'test' | 'example' | 'migration' | 'script' | 'generated' | 'vendored' | 'types';

const TEST =
  /(?:^|\/)(?:__\w+__|tests?|specs?|e2e|acceptance|integration-tests?|test-?containers?|fixtures?|testing|test-utils?|test-?helpers?|cypress|playwright|mocks?|stubs?)(?:\/|$)|[.-](?:(?:server|client|unit|int|integration|node)?test|tests|spec|e2e|e2e-spec|int-spec|stories|story|bench|mock|fixture|cy)\.[cm]?[jt]sx?$|(?:^|\/)(?:jest|vitest|mocha|playwright|cypress)\.(?:config|setup)|(?:^|\/)(?:tests?|jest|vitest)[-.]?(?:setup|env|init)[^/]*$|(?:^|\/)setup-?tests?\.[cm]?[jt]sx?$/i;
const EXAMPLE =
  /(?:^|\/)(?:examples?|samples?|demos?|docs?|playgrounds?|sandbox|templates?|benchmarks?|tutorials?)\//i;
const MIGRATION = /(?:^|\/)(?:\w*[mM]igrations?|seeds?|seeders?|seed)\/|(?:^|\/)seed\.[cm]?[jt]s$/i;
const SCRIPT =
  /(?:^|\/)(?:scripts?|tools?|tooling|bin|build|(?:[\w-]+-)?cli(?:-v?\d+)?|dev|ci|\.github|codemods?)\/|(?:^|\/)[^/]*\.config\.[cm]?[jt]s$|(?:^|\/)(?:gulpfile|gruntfile|webpack[^/]*|rollup[^/]*|vite[^/]*|esbuild[^/]*)\.[cm]?[jt]s$/i;
const GENERATED =
  /(?:^|\/)(?:generated|__generated__|gen|\.?codegen)\/|\.(?:gen|generated|pb|pb2)\.[cm]?[jt]sx?$|_pb\.[cm]?[jt]s$/i;
const VENDORED =
  /(?:^|\/)(?:vendor|vendors|third[_-]party|node_modules|bower_components)\/|^(?:[^/]+\/){0,3}(?:public|static|assets)\/.*\.[cm]?jsx?$/i;
const BROWSER_PATH =
  /(?:^|\/)(?:components?|hooks|ui|frontend|client-side|browser|pages-ui|views|widgets|contexts?|stores?\/ui)\//i;
const SERVER_ROUTE =
  /(?:^|\/)(?:route|page|layout|loading|template|sitemap|robots|middleware|instrumentation|opengraph-image)\.[jt]sx?$|(?:^|\/)(?:pages\/api|api|server|routes)\//i;

/** From the path alone, relative to what was asked for. */
export function placeOfPath(path: string): Place | null {
  if (VENDORED.test(path)) return 'vendored';
  if (GENERATED.test(path)) return 'generated';
  if (TEST.test(path)) return 'test';
  if (/\.d\.[cm]?ts$/.test(path)) return 'types';
  if (MIGRATION.test(path)) return 'migration';
  if (EXAMPLE.test(path)) return 'example';
  if (SCRIPT.test(path)) return 'script';
  return null;
}

/** Kinds that are left out when a folder or workspace is checked; a file that is named itself is judged all the same. */
export const LEFT_OUT: ReadonlySet<Place> = new Set([
  'test',
  'example',
  'migration',
  'generated',
  'vendored',
  'types',
  'browser',
]);

const HOOKS =
  /\buse(?:State|Effect|Ref|Memo|Callback|Reducer|Context|LayoutEffect|SWR|Query|Mutation|Router|Form)\s*[(<]/;

/** From the text, without parsing: deciding what to parse must not cost a parse. */
export function isBrowserCode(path: string, text: string): boolean {
  const head = text.slice(0, 400);
  if (/^(?:\s*(?:\/\/[^\n]*\n|\/\*[\s\S]*?\*\/))*\s*['"]use client['"]/.test(head)) return true;
  if (/^(?:\s*(?:\/\/[^\n]*\n|\/\*[\s\S]*?\*\/))*\s*['"]use server['"]/.test(head)) return false;
  if (SERVER_IMPORT.test(text)) return false;
  if (BROWSER_IMPORT.test(text) || RELATIVE_FETCH.test(text) || BROWSER_FILE.test(path)) return true;
  if (/\.[jt]sx$/.test(path)) {
    if (SERVER_ROUTE.test(path) && !BROWSER_PATH.test(path)) return false;
    return !/export\s+(?:const|async\s+function|function)\s+(?:\{[^}]*\b)?(?:loader|action)\b/.test(text);
  }
  if (/from\s+['"]react['"]/.test(text) && HOOKS.test(text)) return true;
  if (BROWSER_GLOBALS.test(text))
    return (
      !/\bprocess\.(?:env|on|exit)\b|\brequire\(|typeof window/.test(text) ||
      /\.addEventListener\(/.test(text)
    );
  return (
    BROWSER_PATH.test(path) &&
    /(?:^|\/)(?:client|frontend|ui|web|components)\//i.test(path) &&
    !/server|api/i.test(path)
  );
}

const SERVER_IMPORT =
  /(?:from|require\()\s*['"](?:server-only|node:[\w/]+|next\/server|next\/headers)['"]|^import\s+['"]server-only['"]/m;
const BROWSER_IMPORT =
  /(?:from|require\()\s*['"](?:client-only|react-dom(?:\/client)?|@angular\/[\w/-]+|vue|vue-router|svelte(?:\/store)?|jquery|mobx-react|react-router-dom|react-native|swr(?:\/[\w-]+)?|@tanstack\/react-query|react-query|zustand|jotai|recoil|react-redux|@reduxjs\/toolkit)['"]/;
const BROWSER_GLOBALS =
  /\b(?:document\.(?:querySelector|getElementById|createElement|body|cookie|addEventListener)|window\.(?:location|addEventListener|document|localStorage)|localStorage\.(?:get|set)Item|sessionStorage\.(?:get|set)Item|navigator\.(?:userAgent|clipboard))/;

/** Front-end folders by their usual name, and files named for the one hook they hold. */
const BROWSER_FILE = /(?:^|\/)(?:frontend|front-end)\/|(?:^|\/)use[A-Z]\w*\.[jt]sx?$/;

/** Runs in browsers beyond doubt: it says so, uses hooks or what only browsers have. */
export function isStronglyBrowser(path: string, text: string): boolean {
  if (SERVER_IMPORT.test(text)) return false;
  return (
    /['"]use client['"]/.test(text.slice(0, 400)) ||
    BROWSER_IMPORT.test(text) ||
    HOOKS.test(text) ||
    RELATIVE_FETCH.test(text) ||
    (/\.[jt]sx$/.test(path) && BROWSER_GLOBALS.test(text))
  );
}

/** Node's fetch takes no address without a host. */
const RELATIVE_FETCH = /(?<![.\w])fetch\(\s*[`'"]\/(?!\/)/;

const BROWSER_PACKAGES =
  /^(?:react-dom|vue|svelte|@angular\/core|preact|solid-js|react-native|jquery|@vueuse\/.+|@vitejs\/plugin-.+|@tauri-apps\/api|monaco-editor)$/;
const SERVER_PACKAGES =
  /^(?:next|nuxt|astro|express|koa|fastify|hono|restify|h3|elysia|apollo-server.*|graphql-yoga|socket\.io|ws|pg|mysql2|mongoose|knex|sequelize|typeorm|prisma|bullmq|bull|@(?:remix-run|react-router|sveltejs|nestjs|hapi|trpc|apollo|prisma|hono|medusajs)\/(?:server|node|kit|core|hapi|client|node-server|framework|medusa))$/;

/** A manifest that asks for a browser framework and for nothing that serves or stores: all of its code runs in browsers. */
export function isBrowserPackage(manifest: Readonly<Record<string, unknown>>): boolean {
  const names = packagesIn(manifest, ['dependencies', 'devDependencies', 'peerDependencies']);
  if (names.some((n) => SERVER_PACKAGES.test(n))) return false;
  // Bundles for a script tag are made for browsers.
  const entries = JSON.stringify([
    manifest['main'],
    manifest['module'],
    manifest['unpkg'],
    manifest['jsdelivr'],
    manifest['exports'],
  ]);
  return names.some((n) => BROWSER_PACKAGES.test(n)) || /\.umd\.|\biife\b/.test(entries);
}

function packagesIn(manifest: Readonly<Record<string, unknown>>, fields: readonly string[]): string[] {
  return fields.flatMap((field) => {
    const list = manifest[field];
    return typeof list === 'object' && list !== null ? Object.keys(list) : [];
  });
}

/** A command that people run: its package has a `bin` and nothing that serves, and offers no module or is named for what it is. */
export function isToolPackage(manifest: Readonly<Record<string, unknown>>): boolean {
  if (!manifest['bin']) return false;
  const names = packagesIn(manifest, ['dependencies', 'peerDependencies']);
  if (names.some((n) => SERVER_PACKAGES.test(n))) return false;
  const name = typeof manifest['name'] === 'string' ? manifest['name'] : '';
  return (
    /(?:^|\/|-)(?:create|cli|init|codemods?)(?:-|$)/.test(name) || (!manifest['main'] && !manifest['exports'])
  );
}

/** A plain script that gives nothing away and that no field of its package names: somebody runs it by hand. */
export function isLooseScript(file: SourceFile, manifest: Readonly<Record<string, unknown>>): boolean {
  if (!/\.[cm]?js$/.test(file.path) || file.facts.exports.length > 0) return false;
  if (/\bmodule\.exports\b|\bexports\./.test(file.text)) return false;
  const name = file.path.slice(file.path.lastIndexOf('/') + 1).replace(/\.[cm]?js$/, '');
  if (/^(?:index|main|app|server|worker|start|www|cluster|cron|bot|consumer)$/i.test(name)) return false;
  return !JSON.stringify(manifest).includes(name);
}

/** Where the path does not tell. */
export function placeOfText(path: string, text: string): Place {
  return hasGeneratedHead(text) ? 'generated' : isBrowserCode(path, text) ? 'browser' : 'server';
}

export function placeOf(file: SourceFile, relative = file.path): Place {
  return placeOfPath(relative) ?? placeOfText(file.path, file.text);
}

function hasGeneratedHead(text: string): boolean {
  return /^(?:\s*(?:\/\/|\/\*|\*)[^\n]*\n){0,12}\s*(?:\/\/|\/\*|\*)[^\n]*(?:@generated|do not (?:edit|modify)|auto-?generated)/i.test(
    text.slice(0, 1500),
  );
}
