import { strict as assert } from 'node:assert';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { settingsSchema } from '../../../server/src/protocol/messages.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
interface Manifest {
  engines: { vscode: string };
  contributes: {
    commands: { command: string }[];
    menus: Record<string, { command: string }[]>;
    configuration: { properties: Record<string, { default: unknown }> };
    customEditors: { viewType: string }[];
    snippets: { path: string }[];
    walkthroughs: {
      steps: { description: string; media: { markdown: string }; completionEvents?: string[] }[];
    }[];
  };
}
const manifest = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as Manifest;
const client = (readdirSync(path.join(ROOT, 'client/src'), { recursive: true }) as string[])
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readFileSync(path.join(ROOT, 'client/src', name), 'utf8'))
  .join('\n');

describe('the extension manifest', () => {
  const { contributes } = manifest;
  const commands = new Set(contributes.commands.map(({ command }) => command));

  it('declares each command that the client registers, and no other', () => {
    const registered = [...client.matchAll(/(?:command|registerCommand)\(\s*'(sixlens\.\w+)'/g)].map(
      (match) => match[1]!,
    );
    assert.deepEqual([...new Set(registered)].sort(), [...commands].sort());
  });

  it('names only declared commands in menus and walkthrough', () => {
    const named = Object.values(contributes.menus)
      .flat()
      .map(({ command }) => command);
    for (const { steps } of contributes.walkthroughs)
      for (const step of steps)
        for (const event of step.completionEvents ?? []) named.push(event.replace('onCommand:', ''));
    const texts = JSON.parse(readFileSync(path.join(ROOT, 'package.nls.json'), 'utf8')) as Record<
      string,
      string
    >;
    for (const text of Object.values(texts))
      for (const match of text.matchAll(/\(command:([\w.]+)\)/g)) named.push(match[1]!);
    assert.deepEqual(
      named.filter((command) => !commands.has(command)),
      [],
    );
  });

  it('has settings that the server takes, with defaults it takes', () => {
    const settings: Record<string, unknown> = {};
    for (const [name, { default: value }] of Object.entries(contributes.configuration.properties)) {
      const steps = name.split('.').slice(1);
      if (steps[0] === 'trace') continue;
      let at = settings;
      for (const step of steps.slice(0, -1)) at = (at[step] ??= {}) as Record<string, unknown>;
      at[steps.at(-1)!] = value;
    }
    assert.deepEqual(settingsSchema.parse(settings), settings);
    assert.deepEqual(Object.keys(settings).sort(), Object.keys(settingsSchema.parse({})).sort());
  });

  it('points to files that are there', () => {
    const files = [
      ...contributes.snippets.map((snippet) => snippet.path),
      ...contributes.walkthroughs.flatMap(({ steps }) => steps.map((step) => step.media.markdown)),
      'media/icon.png',
    ];
    assert.deepEqual(
      files.filter((file) => !existsSync(path.join(ROOT, file))),
      [],
    );
  });
});
