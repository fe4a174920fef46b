/** For tests of unit finders: the units of a text, one line each. */
import { analyse, parseFixture, sourcesOf } from '../support/fixture.ts';
import type { Unit } from '../../server/src/service/contract.ts';

/** Units of every file of the text (`//- /path` begins a file), in order. */
export function unitsIn(text: string, file = 'src/main.ts'): readonly Unit[] {
  const { files } = parseFixture(text, file);
  return analyse(files).units(sourcesOf(files));
}

/** `<kind> <name>`, in order. */
export function unitsOf(text: string, file?: string): string[] {
  return unitsIn(text, file).map((u) => `${u.kind} ${u.name}`);
}

/** `<kind> <name> → <text of the handler's first line>`. */
export function handlersOf(text: string, file = 'src/main.ts'): string[] {
  const { files } = parseFixture(text, file);
  return unitsIn(text, file).map((u) => {
    const line = (files[u.handler.file] ?? '').split('\n')[u.handler.start.line - 1] ?? '';
    return `${u.kind} ${u.name} → ${line.slice(u.handler.start.column - 1).trim()}`;
  });
}
