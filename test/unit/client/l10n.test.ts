import { strict as assert } from 'node:assert';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const BUNDLE = path.join(ROOT, 'l10n/bundle.l10n.json');

/** A call of the translation function with its text: `vscode.l10n.t('…'` in the client, `t('…'` in the panel. */
const CALL = /(?:vscode\.l10n\.|[^.\w])t\(\s*('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")/g;

function sources(folder: string): string[] {
  return readdirSync(path.join(ROOT, folder), { recursive: true })
    .map((name) => path.join(folder, String(name)))
    .filter((name) => name.endsWith('.ts'));
}

function textsOf(file: string): string[] {
  const text = readFileSync(path.join(ROOT, file), 'utf8');
  return [...text.matchAll(CALL)].map((match) => {
    const literal = match[1]!;
    const inner = literal.slice(1, -1).replace(/\\(['"\\])/g, '$1');
    return inner.replace(/\\u([0-9a-f]{4})/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
  });
}

describe('texts for people', () => {
  const used = [...sources('client/src'), ...sources('media/panel/src')].flatMap(textsOf);

  it('are all in the bundle that translators start from, and none there is unused', () => {
    const wanted = Object.fromEntries([...new Set(used)].sort().map((text) => [text, text]));
    if (process.env['UPDATE']) writeFileSync(BUNDLE, `${JSON.stringify(wanted, null, 2)}\n`);
    assert.deepEqual(JSON.parse(readFileSync(BUNDLE, 'utf8')), wanted);
    assert.ok(used.length > 80, `only ${used.length} found: does the pattern still see them?`);
  });

  it('of the manifest are all in package.nls.json, and none there is unused', () => {
    const manifest = readFileSync(path.join(ROOT, 'package.json'), 'utf8');
    const asked = [...manifest.matchAll(/"%([\w.]+)%"/g)].map((match) => match[1]!);
    const given = Object.keys(
      JSON.parse(readFileSync(path.join(ROOT, 'package.nls.json'), 'utf8')) as object,
    );
    assert.deepEqual([...new Set(asked)].sort(), [...given].sort());
  });
});
