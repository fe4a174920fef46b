import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { LENSES } from '../../../server/src/base/vocabulary.ts';
import { readTable } from '../../../server/src/tables/read.ts';

interface Snippet {
  prefix: string | string[];
  description: string;
  body: string[];
}

function load(name: string): [string, Snippet][] {
  const file = fileURLToPath(new URL(`../../../snippets/${name}.json`, import.meta.url));
  return Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, Snippet>);
}

/** The text as it stands when every placeholder is left as it came; `choice` picks from a list of choices. */
function expand(body: readonly string[], choice = 0): string {
  let text = body.join('\n').replaceAll('\\$', '\u0001').replaceAll('\\}', '\u0002');
  const first = new Map<string, string>();
  text = text.replace(/\$\{(\d+)\|([^|]*)\|\}/g, (_, n: string, choices: string) => {
    const picked = choices.split(',')[choice % choices.split(',').length]!;
    first.set(n, picked);
    return picked;
  });
  text = text.replaceAll(/\$CURRENT_(YEAR|MONTH|DATE)/g, (_, part: string) => ({ YEAR: '2027', MONTH: '05', DATE: '29' })[part]!);
  // Innermost first: a placeholder may hold another one, or the value of an earlier one.
  for (let before = ''; before !== text; ) {
    before = text;
    text = text.replace(/\$\{(\d+)(?::([^${}]*(?:\{[^${}]*\}?)?[^${}]*))?\}/, (_, n: string, value: string | undefined) => {
      if (value !== undefined) first.set(n, value);
      return value ?? first.get(n) ?? '';
    });
    text = text.replace(/\$(\d+)/g, (whole, n: string) => (n === '0' ? '' : (first.get(n) ?? whole)));
  }
  return text.replaceAll('\u0001', '$').replaceAll('\u0002', '}');
}

for (const [language, kind] of [
  ['typescript', ts.ScriptKind.TS],
  ['javascript', ts.ScriptKind.JS],
] as const)
  describe(`snippets for ${language}`, () => {
    for (const [name, { body, description, prefix }] of load(language))
      it(`${name} is code that parses`, () => {
        const text = expand(body);
        assert.doesNotMatch(text, /\$\{\d|\$\d/, `a placeholder is left in:\n${text}`);
        const wrapped = `async function around() {\n${text}\n}`;
        const { diagnostics } = ts.transpileModule(wrapped, {
          reportDiagnostics: true,
          fileName: kind === ts.ScriptKind.TS ? 'a.ts' : 'a.js',
          compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, allowJs: true },
        });
        assert.deepEqual(
          (diagnostics ?? []).map((one) => ts.flattenDiagnosticMessageText(one.messageText, '\n')),
          [],
          text,
        );
        assert.ok(description.length > 10);
        assert.ok([prefix].flat().every((one) => /^[a-z][a-z-]+$/.test(one)));
      });
  });

describe('snippets for tables', () => {
  const head = 'sixlens: 1\nunit: POST /pay\nkind: http\ncode: { file: src/pay.ts, symbol: pay }\ncontract: one charge\n';
  for (const [name, { body }] of load('yaml'))
    for (let choice = 0; choice < LENSES.length; choice++)
      it(`${name} is a part of a valid table, choice ${choice + 1}`, () => {
        const text = expand(body, choice).replace(/^([a-z]{3})-xxxxxxxx/, '$1-a1b2c3d4');
        const indented = text.replace(/^/gm, '  ');
        const table = name.startsWith('Lens') ? `${head}rows: {}\nlenses:\n${indented}\n` : `${head}rows:\n${indented}\n`;
        const { problems, table: read } = readTable(table);
        assert.deepEqual(
          problems.filter((problem) => problem.severity !== 'note').map((problem) => problem.message),
          [],
          table,
        );
        assert.ok(read);
      });
});
