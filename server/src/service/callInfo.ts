/** What a hover on a call says: its effect and what bounds it. */
import { dirOf } from '../resolve/paths.ts';
import { pickVersion } from '../resolve/versions.ts';
import type { Model } from '../model/model.ts';
import { readOption } from '../model/options.ts';
import type { SourceFile } from '../model/project.ts';
import type { Site } from '../model/sites.ts';
import { calleeName } from '../rules/_kit/text.ts';
import type { CallInfo } from './contract.ts';

export function callInfoAt(model: Model, file: SourceFile, offset: number): CallInfo | null {
  const site = siteAt(model, file, offset);
  if (!site?.effect) return null;
  const { effect } = site;
  const bounds = model.bounds.of(site);
  const parts: Record<string, number | null> = {};
  for (const [part, bound] of Object.entries(bounds?.parts ?? {}))
    if (bound !== 'set') parts[part] = bound ?? null;
  const version = effect.pack
    ? (model.values.project.versions.of(dirOf(file.path), effect.pack.packages[0] ?? '')?.version ??
      effect.pack.assumedVersion)
    : '';
  return {
    label: calleeName(site),
    library: effect.library,
    version,
    effect: describe(site),
    bounds: parts,
    boundedBy: bounds?.by ?? (bounds?.unknown ? 'something that cannot be read from here' : null),
    retries: retries(model, site, version),
    transaction: transactionAround(model, site),
    idempotencyKey: idempotencyKey(model, site),
    confidence: effect.confidence,
    start: file.lines.positionAt(site.node.s),
    end: file.lines.positionAt(site.node.e),
  };
}

function siteAt(model: Model, file: SourceFile, offset: number): Site | null {
  let best: Site | null = null;
  const fn = file.index.innermost(offset);
  for (const site of model.sites.of(file, fn)) {
    const callee = site.node.k === 'tag' ? site.node.tag : site.node.callee;
    if (offset < callee.s || offset > callee.e) continue;
    if (!best || (site.effect && !best.effect) || callee.e - callee.s < best.node.e - best.node.s)
      best = site;
  }
  return best;
}

function describe(site: Site): string {
  const effect = site.effect;
  if (!effect) return '';
  const what: string[] = [effect.kind, effect.op];
  if (effect.method) what.push(effect.method);
  if (effect.entity) what.push(effect.entity);
  return what.join(' · ');
}

function retries(model: Model, site: Site, version: string): string | null {
  const own = site.effect?.spec.retry;
  const parts: string[] = [];
  if (own) {
    const attempts = pickVersion(own.attempts, version);
    parts.push(
      `${site.effect?.library} itself: ${attempts === null ? 'without end' : `${attempts ?? '?'} attempts`}, ${own.backoff} backoff${own.jitter ? ' with jitter' : ''}`,
    );
  }
  for (const frame of model.frames.around(site.file, site.node, site.fn))
    if (frame.k === 'callback' && frame.roles.has('retry')) parts.push('run by a retrying call');
  return parts.length > 0 ? parts.join('; ') : null;
}

function transactionAround(model: Model, site: Site): string | null {
  for (const frame of model.frames.around(site.file, site.node, site.fn))
    if (frame.k === 'callback' && frame.roles.has('transaction'))
      return `inside the transaction on line ${site.file.lines.positionAt(frame.call.s).line}`;
  return null;
}

function idempotencyKey(model: Model, site: Site): string | null {
  const spec = site.effect?.spec.idempotency;
  if (!spec) return null;
  const read = readOption(model.values, site.file, site.node, spec.at);
  if (read.k === 'value') return site.file.text.slice(read.expr.s, read.expr.e);
  return spec.automatic ? 'one of the library’s own for each call' : null;
}
