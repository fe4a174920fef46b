/** What kind of code a file is, from its path and its head: judged server code, or one of the kinds that are left out. */
import type { SourceFile } from './project.ts';

export type Place = 'server' | 'browser' | 'test' | 'example' | 'migration' | 'script' | 'generated' | 'vendored' | 'types';

const TEST = /(?:^|\/)(?:__tests__|__mocks__|__fixtures__|tests?|specs?|e2e|fixtures?|testing|test-utils?|cypress|playwright|mocks?|stubs?)(?:\/|$)|[.-](?:test|tests|spec|e2e|e2e-spec|int-spec|stories|story|bench|mock|fixture|cy)\.[cm]?[jt]sx?$|(?:^|\/)(?:jest|vitest|mocha|playwright|cypress)\.(?:config|setup)/i;
const EXAMPLE = /(?:^|\/)(?:examples?|samples?|demos?|docs?|playgrounds?|sandbox|templates?|benchmarks?|tutorials?)\//i;
const MIGRATION = /(?:^|\/)(?:migrations?|seeds?|seeders?|seed)\/|(?:^|\/)seed\.[cm]?[jt]s$/i;
const SCRIPT = /(?:^|\/)(?:scripts?|tools?|tooling|bin|build|cli|dev|ci|\.github|codemods?)\/|(?:^|\/)[^/]*\.config\.[cm]?[jt]s$|(?:^|\/)(?:gulpfile|gruntfile|webpack[^/]*|rollup[^/]*|vite[^/]*|esbuild[^/]*)\.[cm]?[jt]s$/i;
const GENERATED = /(?:^|\/)(?:generated|__generated__|gen|\.?codegen)\/|\.(?:gen|generated|pb|pb2)\.[cm]?[jt]sx?$|_pb\.[cm]?[jt]s$/i;
const VENDORED = /(?:^|\/)(?:vendor|vendors|third[_-]party|node_modules|public|static|assets|bower_components)\//i;
const BROWSER_PATH = /(?:^|\/)(?:components?|hooks|ui|frontend|client-side|browser|pages-ui|views|widgets|contexts?|stores?\/ui)\//i;
const SERVER_ROUTE = /(?:^|\/)(?:route|page|layout|loading|template|sitemap|robots|middleware|instrumentation|opengraph-image)\.[jt]sx?$|(?:^|\/)(?:pages\/api|api|server|routes)\//i;

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
export const LEFT_OUT: ReadonlySet<Place> = new Set(['test', 'example', 'migration', 'generated', 'vendored', 'types', 'browser']);

const HOOKS = /\buse(?:State|Effect|Ref|Memo|Callback|Reducer|Context|LayoutEffect|SWR|Query|Mutation|Router|Form)\s*[(<]/;

/** From what the file holds. */
export function isBrowserCode(file: SourceFile): boolean {
  const { facts, text } = file;
  if (facts.directives.includes('use client')) return true;
  if (facts.directives.includes('use server')) return false;
  const specifiers = facts.specifiers;
  if (specifiers.some(s => s === 'server-only' || s.startsWith('node:') || s === 'next/server' || s === 'next/headers')) return false;
  if (specifiers.some(s => s === 'client-only' || s === 'react-dom' || s === 'react-dom/client' || s.startsWith('@angular/') || s === 'vue' || s === 'vue-router' || s === 'svelte' || s === 'svelte/store' || s === 'jquery' || s === 'mobx-react' || s === 'react-router-dom' || s === 'react-native')) return true;
  if (specifiers.includes('react') && HOOKS.test(text)) return true;
  if (facts.jsx) {
    if (SERVER_ROUTE.test(facts.path) && !BROWSER_PATH.test(facts.path)) return false;
    return !facts.exports.some(x => x.name === 'loader' || x.name === 'action');
  }
  if (/\b(?:document\.(?:querySelector|getElementById|createElement|body|cookie|addEventListener)|window\.(?:location|addEventListener|document|localStorage)|localStorage\.(?:get|set)Item|sessionStorage\.(?:get|set)Item|navigator\.(?:userAgent|clipboard))/.test(text))
    return !/\bprocess\.(?:env|on|exit)\b|\brequire\(|typeof window/.test(text) || /\.addEventListener\(/.test(text);
  return BROWSER_PATH.test(facts.path) && /(?:^|\/)(?:client|frontend|ui|web|components)\//i.test(facts.path) && !/server|api/i.test(facts.path);
}

export function placeOf(file: SourceFile, relative = file.path): Place {
  return placeOfPath(relative) ?? (isBrowserCode(file) ? 'browser' : hasGeneratedHead(file) ? 'generated' : 'server');
}

function hasGeneratedHead(file: SourceFile): boolean {
  return /^(?:\s*(?:\/\/|\/\*|\*)[^\n]*\n){0,12}\s*(?:\/\/|\/\*|\*)[^\n]*(?:@generated|do not (?:edit|modify)|auto-?generated)/i.test(file.text.slice(0, 1500));
}
