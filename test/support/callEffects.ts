/** What the packs say about the calls of a text: one line per call that has an effect or is a transaction. */
import { PackIndex } from '../../server/src/model/packIndex.ts';
import { Model } from '../../server/src/model/model.ts';
import { Project } from '../../server/src/model/project.ts';
import { allPacks } from '../../server/src/service/registry.ts';
import { parseFixture } from './fixture.ts';
import { memoryHost, ROOT } from './memoryHost.ts';

/** `<callee> → <pack>.<type of the receiver> <op> <entity>`, in source order; `file` picks one of several files. */
export function callEffects(text: string, file?: string): string[] {
  const { files } = parseFixture(text);
  const model = new Model(new Project(ROOT, memoryHost(files)), new PackIndex(allPacks));
  const path = file ?? Object.keys(files).at(-1) ?? '';
  const source = model.project.file(path);
  if (!source) throw new Error(`no file ${path}`);
  const out: string[] = [];
  for (const site of model.sites.all(source).sort((a, b) => a.node.e - b.node.e)) {
    const { target, effect, node } = site;
    if (!effect) continue;
    const callee = node.k === 'tag' ? node.tag : node.callee;
    const name = callee.k === 'mem' ? callee.prop : callee.k === 'id' ? callee.name : '?';
    const on = target.k === 'lib' && target.recv ? `${target.recv.pack.id}.${target.recv.type}` : target.k;
    out.push(`${name} → ${on} ${effect.op}${effect.entity ? ` ${effect.entity}` : ''}`);
  }
  return out;
}
