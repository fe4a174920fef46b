/** Proposes the domain of a unit from its effects and names. A person's word in the table beats it. */
import type { Reached } from '../model/model.ts';
import type { UnitRef } from '../units/discover.ts';

const BY_NAME: readonly (readonly [string, RegExp])[] = [
  ['payments', /pay(?:ment|out)|charge|checkout|invoice|billing|refund|wallet|ledger|stripe|subscription/i],
  ['auth', /auth|login|session|token|password|oauth|saml|permission/i],
  ['search', /search|index(?:er|ing)|elastic|opensearch/i],
  ['data-pipeline', /import|export|sync|etl|ingest|backfill/i],
];

export function domainsOf(ref: UnitRef, reach: readonly Reached[]): readonly string[] {
  const found = new Set<string>();
  const names = `${ref.unit.name} ${ref.unit.file}`;
  for (const [domain, pattern] of BY_NAME) if (pattern.test(names)) found.add(domain);
  for (const { site } of reach) {
    const effect = site.effect;
    if (!effect) continue;
    if (effect.op === 'charge') found.add('payments');
    if (effect.kind === 'queue') found.add('queueing');
    if (effect.kind === 'cache') found.add('caching');
  }
  if (ref.unit.kind === 'consumer' || ref.unit.kind === 'job') found.add('queueing');
  if (found.size === 0)
    found.add(
      ref.unit.kind === 'http' || ref.unit.kind === 'rpc' || ref.unit.kind === 'graphql' ? 'api' : 'other',
    );
  return [...found];
}
