// Writes docs/rules/ from the rule modules: one page per rule and a list. `--check` writes nothing and exits 1 when a page is stale.
// Run through tsx, since rules are TypeScript: `npm run docs`.
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { generate } from './generate.mjs';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const folder = path.join(root, 'docs', 'rules');

/** The pages as they ought to be, by file name. */
export async function rulePages() {
  generate();
  const { ruleInfos: rules } = await import('../server/src/service/registry.ts');
  const { rulePage, ruleListPage } = await import('../server/src/reports/render/rulePage.ts');
  return new Map([
    ...rules.map((rule) => [`${rule.id}.md`, rulePage(rule)]),
    ['README.md', ruleListPage(rules)],
  ]);
}

/** Names of pages that are missing, differ, or belong to no rule. */
export async function stalePages() {
  const pages = await rulePages();
  const present = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.md')) : [];
  const stale = present.filter((name) => !pages.has(name));
  for (const [name, text] of pages) {
    const file = path.join(folder, name);
    if (!existsSync(file) || readFileSync(file, 'utf8').replaceAll('\r\n', '\n') !== text) stale.push(name);
  }
  return stale.sort();
}

async function main() {
  const stale = await stalePages();
  if (process.argv.includes('--check')) {
    for (const name of stale) console.error(`docs: docs/rules/${name} is stale; run \`npm run docs\``);
    process.exitCode = stale.length > 0 ? 1 : 0;
    return;
  }
  const pages = await rulePages();
  mkdirSync(folder, { recursive: true });
  for (const name of stale) {
    const text = pages.get(name);
    if (text === undefined) rmSync(path.join(folder, name));
    else writeFileSync(path.join(folder, name), text);
  }
  console.log(`docs: ${pages.size} pages, ${stale.length} changed`);
}

if (process.argv[1] && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) await main();
