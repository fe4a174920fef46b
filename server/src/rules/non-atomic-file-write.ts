/** Files that are read back later and overwritten where they stand. */
import type { Call, Expr } from '../facts/ir.ts';
import { uncast } from '../facts/walk.ts';
import { placeOfPath } from '../model/place.ts';
import type { SourceFile } from '../model/project.ts';
import type { Site } from '../model/sites.ts';
import { isOneOff } from './_kit/guards.ts';
import { defineRule, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { exprName, short } from './_kit/text.ts';

export const rule = defineRule({
  id: 'non-atomic-file-write',
  lens: 'concurrency',
  axis: 'recoverability',
  faultClass: 'recovery',
  severity: 'medium',
  blocking: false,
  stage: 'experimental',
  since: '0.1.0',
  docs: {
    what: 'A file that the same module reads back is overwritten in place: it is emptied first and then filled.',
    why: 'A crash, a full disk or a restart in the middle leaves half a file or none, and the old content is gone: the next start fails on it or begins from nothing. A reader that comes in between sees the half too.',
    remedy:
      'Write to a temporary file in the same folder and rename it over the old one: a rename is all or nothing.',
    whenNot: 'The file can be made again from something else at any time.',
  },
  incidents: ['partial-write', 'data-loss'],
  fixKind: 'none',
  detect(ctx) {
    const { file } = ctx;
    if (
      !/\b(?:writeFile|writeJ(?:son|SON)|outputFile|outputJ(?:son|SON))/.test(file.text) ||
      isOneOff(file) ||
      placeOfPath(file.path) === 'script' ||
      BUILDS.test(file.path)
    )
      return;
    const calls = ctx.sites.filter((s) => s.node.k === 'call');
    const reads = new Set<string>();
    for (const site of calls)
      if (READS.test(nameOf(site))) for (const key of keysOf(file, argOf(site, 0))) reads.add(key);
    if (reads.size === 0) return;
    for (const site of calls) if (WRITES.test(nameOf(site))) check(ctx, site, reads);
  },
});

const WRITES =
  /^(?:writeFile|writeFileSync|writeJson|writeJsonSync|writeJSON|writeJSONSync|outputFile|outputFileSync|outputJson|outputJsonSync)$/;
const READS = /^(?:readFile|readFileSync|readJson|readJsonSync|readJSON|readJSONSync|require|readlines)$/;
/** Another name first, or another file's content each time. */
const ASIDE = /te?mp|partial|\.new\b|staging|random|uuid|mkdtemp|\.lock|\bpid/i;
const MADE_AGAIN =
  /\b(?:logs?|debug|dist|build|output|report|snapshots?|generated|coverage|schema|types?|docs?|readme|changelog|angular|package\.json|tsconfig|pnpm|yarn|lockfile|template|html|css|svg|png|pdf|zip|bundle|manifest\.json)\b|\.(?:ts|js|md|html|css|svg|png|pdf|zip|txt|ya?ml|gitignore)\b/i;

/** Code that makes or compiles projects. */
const BUILDS = /(?:^|\/)(?:compiler|scaffold\w*|generators?|codegen|codemods?|docs-\w+)(?:\/|\.)/i;

function nameOf(site: Site): string {
  if (site.node.k !== 'call') return '';
  return site.node.callee.k === 'mem'
    ? site.node.callee.prop
    : site.node.callee.k === 'id'
      ? site.node.callee.name
      : '';
}

function argOf(site: Site, i: number): Expr | undefined {
  return site.node.k === 'call' ? site.node.args[i] : undefined;
}

/** Names for the file that a path leads to: the module's constant, the field, the last part that a join ends in. */
function keysOf(file: SourceFile, expr: Expr | undefined, depth = 0): string[] {
  if (!expr || depth > 3) return [];
  const inner = uncast(expr);
  switch (inner.k) {
    case 'lit':
      return typeof inner.value === 'string' ? [last(inner.value)] : [];
    case 'tmpl': {
      const tail = inner.quasis.at(-1) ?? '';
      return tail.includes('/') || (inner.exprs.length === 0 && tail)
        ? [last(tail)]
        : [`\`${file.text.slice(inner.s, inner.e)}\``];
    }
    case 'mem':
      return /path|file|dir|name/i.test(inner.prop) ? [inner.prop] : [];
    case 'id': {
      const binding = file.facts.bindings[inner.b];
      if (!binding || binding.decl?.k !== 'init' || binding.decl.path.length > 0) return [];
      const from = keysOf(file, binding.decl.init, depth + 1);
      return binding.fn === 0 ? [inner.name, ...from] : from;
    }
    case 'call': {
      if (inner.callee.k === 'mem' && /^(?:join|resolve)$/.test(inner.callee.prop)) {
        const end = inner.args.at(-1);
        const part = end ? uncast(end) : undefined;
        if (part?.k === 'lit' && typeof part.value === 'string' && /\.\w+$/.test(part.value))
          return [last(part.value)];
        if (part?.k === 'mem' && /^[A-Z][A-Z0-9_]+$/.test(part.prop)) return [part.prop];
        if (part?.k === 'id' && file.facts.bindings[part.b]?.fn === 0) return [part.name];
        return [];
      }
      // `statePath(id)` names the same file wherever it is asked with the same words.
      const name =
        inner.callee.k === 'mem' ? inner.callee.prop : inner.callee.k === 'id' ? inner.callee.name : '';
      return /path|file/i.test(name) && !/^(?:join|resolve|fileURLToPath|dirname|basename)$/.test(name)
        ? [`${name}()`]
        : [];
    }
    default:
      return [];
  }
}

function last(path: string): string {
  return path.split('/').at(-1) ?? path;
}

function check(ctx: RuleContext, site: Site, reads: ReadonlySet<string>): void {
  const { file, model } = ctx;
  const { node } = site;
  if (node.k !== 'call') return;
  const path = node.args[0];
  if (!path || node.args.length < 2) return;
  const key = keysOf(file, path).find((k) => k !== '' && reads.has(k));
  if (!key) return;
  const options = node.args[2];
  if (options && /flag/.test(file.text.slice(options.s, options.e))) return;
  const spelled = spelling(file, path);
  if (ASIDE.test(spelled) || MADE_AGAIN.test(`${spelled} ${key}`)) return;
  const outer = file.facts.functions[model.outermost(file, site.fn)];
  if (!outer || site.fn === 0 || !isState(file, site, node)) return;
  const body = file.text.slice(outer.s, outer.e);
  // Something is put in the place of something else, or the content may only be a default that is written once.
  if (
    /\b(?:rename|renameSync|move|moveSync|mkdtemp\w*|atomic\w*)\b/i.test(body) ||
    /writeFileAtomic|write-file-atomic|atomically/.test(file.text)
  )
    return;
  if (firstWriteOnly(file, site, node)) return;
  const name = exprName(file, node.callee);
  const shown = short(file.text.slice(path.s, path.e));
  ctx.report({
    at: node.callee,
    message: `A crash during \`${name}\` leaves \`${shown}\` empty or cut off, and its old content is gone: the file is overwritten where it stands.`,
    trigger: 'the process is killed or the disk is full during the write, or somebody reads at that moment',
    scenario: `At \`${name}\`, when the process ends before all is written, then the next read of \`${shown}\` gets a broken file.`,
    detection: 'At the next start or read: the file cannot be parsed, or is empty.',
    fix: `Write beside \`${shown}\` and rename the new file over it.`,
    anchor: name,
    confidence: 'assumed',
  });
}

/** What is written is put together from the state of the program, not content that somebody hands in. */
function isState(file: SourceFile, site: Site, node: Call): boolean {
  if (/json/i.test(nameOf(site))) return true;
  const data = node.args[1];
  return data !== undefined && /\b(?:stringify|serialize|dump|encode|join)\s*\(/.test(spelling(file, data));
}

function spelling(file: SourceFile, path: Expr, depth = 0): string {
  const text = file.text.slice(path.s, path.e);
  const inner = uncast(path);
  const decl = inner.k === 'id' && depth < 3 ? file.facts.bindings[inner.b]?.decl : undefined;
  return decl?.k === 'init' ? `${text} ${spelling(file, decl.init, depth + 1)}` : text;
}

/** `if (!existsSync(path)) writeFileSync(path, …)`: there is nothing to lose. */
function firstWriteOnly(file: SourceFile, site: Site, node: Call): boolean {
  let child: { s: number; e: number } = node;
  for (const at of file.index.ancestors(site.node)) {
    if (
      at.k === 'if' &&
      at.then.s <= child.s &&
      child.e <= at.then.e &&
      /!\s*(?:\(?await\s+)?[\w.]*(?:exists|pathExists)/i.test(file.text.slice(at.test.s, at.test.e))
    )
      return true;
    if (at.k === 'try' && at.handler && at.handler.s <= child.s && child.e <= at.handler.e) return true;
    child = at;
  }
  return false;
}

export const examples: readonly RuleExample[] = [
  {
    title: 'The place where a feed was left',
    bad: `import { readFile, writeFile } from 'node:fs/promises';
const CURSOR_FILE = '/var/lib/feed/cursor.json';

export async function cursor() {
  return JSON.parse(await readFile(CURSOR_FILE, 'utf8')) as { at: number };
}
export async function moveTo(at: number) {
  await writeFile(CURSOR_FILE, JSON.stringify({ at }));
}
`,
    good: `import { readFile, rename, writeFile } from 'node:fs/promises';
const CURSOR_FILE = '/var/lib/feed/cursor.json';

export async function cursor() {
  return JSON.parse(await readFile(CURSOR_FILE, 'utf8')) as { at: number };
}
export async function moveTo(at: number) {
  await writeFile(\`\${CURSOR_FILE}.tmp\`, JSON.stringify({ at }));
  await rename(\`\${CURSOR_FILE}.tmp\`, CURSOR_FILE);
}
`,
  },
];
