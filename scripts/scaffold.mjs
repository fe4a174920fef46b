// `npm run new-rule -- <id> <lens>` and `npm run new-pack -- <id> [package]`: the files that one more rule or library needs.
// What is written compiles and fails its tests until it is filled in. Existing files are never touched.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { generate } from './generate.mjs';

const repository = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const ID = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/** The values of one vocabulary of server/src/base/vocabulary.ts. */
function vocabulary(name) {
  const source = readFileSync(path.join(repository, 'server/src/base/vocabulary.ts'), 'utf8');
  const list = new RegExp(`export const ${name} = \\[([^\\]]*)\\]`).exec(source)?.[1] ?? '';
  return [...list.matchAll(/'([^']+)'/g)].map(([, value]) => value);
}

function ruleFiles(id, lens) {
  const lenses = vocabulary('LENSES');
  if (!lenses.includes(lens)) throw new Error(`the lens is one of ${lenses.join(', ')}; not "${lens ?? ''}"`);
  const { version } = JSON.parse(readFileSync(path.join(repository, 'package.json'), 'utf8'));
  return {
    [`server/src/rules/${id}.ts`]: `/** TODO: one sentence on what breaks. */
import { defineRule } from './_kit/rule.ts';
import type { RuleExample } from './_kit/rule.ts';

export const rule = defineRule({
  id: '${id}',
  lens: '${lens}',
  axis: 'none',
  faultClass: 'network',
  severity: 'medium',
  blocking: false,
  stage: 'experimental',
  since: '${version}',
  docs: {
    what: 'TODO',
    why: 'TODO',
    remedy: 'TODO',
    whenNot: 'TODO',
  },
  incidents: [],
  fixKind: 'none',
  detect(_ctx) {
    // Silent where the model says \`unresolved\`.
  },
});

export const examples: readonly RuleExample[] = [
  {
    title: 'TODO',
    bad: \`// TODO: the smallest code that this reports
\`,
    good: \`// TODO: the same, repaired
\`,
  },
];
`,
    [`test/rules/${id}/basic.ts`]: `// TODO: code with carets under what is reported:
// await call();
// //    ^^^^^^ ${id}: exact message
`,
  };
}

function packFiles(id, library) {
  return {
    [`server/src/packs/${id}.ts`]: `/** What we know of ${library}. */
import { definePack } from './contract.ts';

export const pack = definePack({
  id: '${id}',
  packages: ['${library}'],
  // TODO: the version that is assumed where none can be read.
  assumedVersion: '0.0.0',
  types: {},
  exports: {},
  // TODO: every default and behaviour used above, with the version range it holds for and where that was read.
  facts: [],
});
`,
  };
}

/** Writes the files of a new rule or pack and returns their paths. Throws an Error that says what is wrong with the words. */
export function scaffold(kind, words, root = repository) {
  const [id, second] = words;
  if (!id || !ID.test(id))
    throw new Error(`the id is in kebab-case, for example \`weak-timeout\`; not "${id ?? ''}"`);
  const files = kind === 'rule' ? ruleFiles(id, second) : packFiles(id, second ?? id);
  for (const file of Object.keys(files))
    if (existsSync(path.join(root, file))) throw new Error(`${file} exists already`);
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
  }
  return Object.keys(files);
}

if (process.argv[1] && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const [kind, ...words] = process.argv.slice(2);
  try {
    if (kind !== 'rule' && kind !== 'pack') throw new Error('say rule or pack');
    for (const file of scaffold(kind, words)) console.log(`new: ${file}`);
    generate();
    console.log('new: fill in every TODO, run `npm test`, and add a line to CHANGELOG.md');
  } catch (error) {
    console.error(`new: ${error instanceof Error ? error.message : error}`);
    process.exit(2);
  }
}
