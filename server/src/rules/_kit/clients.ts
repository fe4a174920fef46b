/** Clients whose maker takes a bound for all their calls: what is missing there is one gap and not one for each call. */
import { clientSpec, lineage, type Bounds } from '../../model/bounds.ts';
import type { Site } from '../../model/sites.ts';
import type { TimeoutSpec } from '../../packs/contract.ts';
import type { RuleContext } from './rule.ts';

export interface UnboundedClient {
  readonly spec: TimeoutSpec;
  readonly bounds: Bounds;
  readonly library: string;
}

/** The client that a call makes, when nothing that can be read bounds its calls. */
export function unboundedClient(ctx: RuleContext, site: Site): UnboundedClient | null {
  if (site.target.k !== 'lib' || site.node.k === 'tag') return null;
  const { pack, spec, makes } = site.target;
  if (
    makes === null &&
    (spec.returns === undefined || spec.returns === 'self' || spec.returns === 'callback')
  )
    return null;
  const value = ctx.model.values.of(site.file, site.node);
  if (value.k !== 'inst' || value.origin?.call !== site.node) return null;
  const found = ctx.model.bounds.ofClient(value);
  if (!found || found.bounds.unknown) return null;
  const { total } = found.bounds.parts;
  if (total !== null && total !== undefined) return null;
  // Every call that can be seen brings its own bound.
  const calls = ctx.sites.filter(
    (s) =>
      s.effect?.network &&
      s.target.k === 'lib' &&
      lineage(s.target.recv).some((i) => i.origin?.call === site.node),
  );
  if (calls.length > 0 && calls.every((c) => isBounded(ctx, c))) return null;
  return {
    spec: found.spec,
    bounds: found.bounds,
    library: pack.packages[0] === '@aws-sdk/client-s3' ? 'AWS' : (pack.packages[0] ?? pack.id),
  };
}

function isBounded(ctx: RuleContext, site: Site): boolean {
  const bounds = ctx.model.bounds.of(site);
  if (!bounds) return true;
  const { total } = bounds.parts;
  return bounds.unknown || bounds.signal !== null || (total !== null && total !== undefined);
}

/** The gap of this call is that of the client it is made on. */
export function reportedWithClient(site: Site): boolean {
  if (site.target.k !== 'lib' || !site.effect?.spec.timeout?.instance?.some((o) => o.bounds === 'total'))
    return false;
  return lineage(site.target.recv).some((i) => i.origin !== null && clientSpec(i.pack, i.type) !== null);
}
