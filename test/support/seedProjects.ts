/** Projects that random tests start from: the example shop, every rule's fixtures and its examples. */
import { readFileSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RuleExample } from '../../server/src/rules/_kit/rule.ts';
import { ruleModules } from '../../server/src/rules/registry.generated.ts';
import { parseFixture } from './fixture.ts';

export interface SeedProject {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
}

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..');

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true })
    .map((name) => String(name).split(path.sep).join('/'))
    .filter((name) => !/(?:^|\/)(?:node_modules|\.git)\//.test(name))
    .filter((name) => statSync(path.join(folder, name)).isFile())
    .sort();
}

/** The whole example project, with its manifest and configuration. */
export function shopProject(): SeedProject {
  const folder = path.join(root, 'examples/shop');
  const files: Record<string, string> = {};
  for (const name of filesBelow(folder))
    if (/\.(?:[cm]?[jt]sx?|json)$/.test(name)) files[name] = readFileSync(path.join(folder, name), 'utf8');
  return { name: 'shop', files };
}

/** One project per rule fixture. */
export function fixtureProjects(): SeedProject[] {
  const folder = path.join(root, 'test/rules');
  return filesBelow(folder)
    .filter((name) => name.includes('/') && /\.[cm]?[jt]sx?$/.test(name) && !/\.fixed\./.test(name))
    .map((name) => ({
      name,
      files: parseFixture(readFileSync(path.join(folder, name), 'utf8'), `src/fixture${path.extname(name)}`)
        .files,
    }));
}

/** The bad and the good side of every rule's examples. */
export function exampleProjects(): SeedProject[] {
  const modules: readonly {
    readonly rule: { readonly id: string };
    readonly examples: readonly RuleExample[];
  }[] = ruleModules;
  return modules.flatMap(({ rule, examples }) =>
    examples.flatMap((example) => [
      { name: `${rule.id}: ${example.title} (bad)`, files: parseFixture(example.bad).files },
      { name: `${rule.id}: ${example.title} (good)`, files: parseFixture(example.good).files },
    ]),
  );
}

export function allProjects(): SeedProject[] {
  return [shopProject(), ...fixtureProjects(), ...exampleProjects()];
}
