/** The host that a call talks to, where the code says it. */
import { readOption, stringOf } from '../../model/options.ts';
import type { Model } from '../../model/model.ts';
import type { Site } from '../../model/sites.ts';

/** Null when the address is not a constant up to its host. */
export function urlHost(model: Model, site: Site): string | null {
  const at = site.effect?.spec.urlAt;
  if (!at) return null;
  const read = readOption(model.values, site.file, site.node, at);
  if (read.k !== 'value') return null;
  const text = stringOf(model.values, read.file, read.expr);
  const host = text ? /^https?:\/\/([^/?#:]+)/.exec(text)?.[1] : undefined;
  return host && !host.includes('$?') ? host : null;
}
