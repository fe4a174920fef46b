/** For pack tests: every call of a file with what the packs say of it, as short lines. */
import { Model } from '../../server/src/model/model.ts';
import { PackIndex } from '../../server/src/model/packIndex.ts';
import { Project } from '../../server/src/model/project.ts';
import { allPacks } from '../../server/src/service/registry.ts';
import { memoryHost, ROOT } from './memoryHost.ts';

export function modelOf(files: Readonly<Record<string, string>>): Model {
  return new Model(new Project(ROOT, memoryHost(files)), new PackIndex(allPacks));
}

/** `client.get: http/request GET total=5000`, in source order; calls without an effect are left out. */
export function effectsOf(code: string, others: Readonly<Record<string, string>> = {}): string[] {
  const model = modelOf({ 'src/a.ts': code, ...others });
  const file = model.project.file('src/a.ts');
  if (!file) throw new Error('no file');
  return model.sites
    .all(file)
    .filter((site) => site.effect)
    .sort((a, b) => a.node.s - b.node.s)
    .map((site) => {
      const { node, effect } = site;
      const callee = node.k === 'tag' ? node.tag : node.callee;
      const bounds = model.bounds.of(site);
      const name = file.text.slice(callee.s, callee.e).replace(/\s+/g, '');
      const parts = [`${name}: ${effect?.kind}/${effect?.op}`];
      if (effect?.method) parts.push(effect.method);
      if (bounds) {
        parts.push(bounds.unknown ? 'total=?' : `total=${String(bounds.parts.total)}`);
        if (bounds.set.length > 0) parts.push(`set=${bounds.set.join('+')}`);
        if (bounds.toothless.length > 0) parts.push(`toothless=${bounds.toothless.join('+')}`);
        if (bounds.ignored.length > 0) parts.push(`ignored=${bounds.ignored.join('+')}`);
      }
      return parts.join(' ');
    });
}

/** Roles of every function that is handed to a call: `pRetry: retry`. */
export function rolesOf(code: string): string[] {
  const model = modelOf({ 'src/a.ts': code });
  const file = model.project.file('src/a.ts');
  if (!file) throw new Error('no file');
  const out: string[] = [];
  for (const fn of file.facts.functions) {
    const frame = model.frames.callbackOf(file, fn.id);
    if (frame && frame.roles.size > 0)
      out.push(`${file.text.slice(frame.call.callee.s, frame.call.callee.e)}: ${[...frame.roles].join('+')}`);
  }
  return out;
}
