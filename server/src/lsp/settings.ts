/** Reading the editor's settings: a wrong value falls back to its default and is named, the rest stays in force. */
import type { Settings } from '../protocol/messages.ts';
import { settingsSchema } from '../protocol/messages.ts';

export interface SettingsRead {
  readonly settings: Settings;
  readonly problems: readonly string[];
}

export function readSettings(raw: unknown): SettingsRead {
  const input: unknown = raw !== null && typeof raw === 'object' ? structuredClone(raw) : {};
  const problems: string[] = [];
  // Each round removes one wrong value at least, so this ends.
  for (let round = 0; round < 32; round++) {
    const parsed = settingsSchema.safeParse(input);
    if (parsed.success) return { settings: parsed.data, problems };
    for (const issue of parsed.error.issues) {
      problems.push(`Setting "sixlens.${issue.path.join('.')}" is not used: ${issue.message}`);
      remove(input, issue.path);
    }
  }
  return { settings: settingsSchema.parse({}), problems };
}

function remove(target: unknown, path: readonly PropertyKey[]): void {
  let at = target;
  for (const key of path.slice(0, -1)) {
    if (at === null || typeof at !== 'object') return;
    at = Reflect.get(at, key);
  }
  const last = path.at(-1);
  if (last !== undefined && at !== null && typeof at === 'object') Reflect.deleteProperty(at, last);
}
