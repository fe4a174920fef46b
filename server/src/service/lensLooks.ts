/** What each lens saw in a unit. Owns the counts that an `exposure: none` stands on, and the names of what was not seen. */
import { LENSES, type Lens } from '../base/vocabulary.ts';
import type { Reached } from '../model/model.ts';
import { calleeName } from '../rules/_kit/text.ts';
import type { LensLook } from './contract.ts';

const QUIET = new Set(['log', 'metric']);

export function lensLooks(reach: readonly Reached[]): readonly LensLook[] {
  const effects = reach.filter((r) => r.site.effect && !QUIET.has(r.site.effect.kind));
  const network = effects.filter((r) => r.site.effect?.network);
  const writes = effects.filter((r) => r.site.effect?.write);
  const unresolved = unresolvedCalls(reach);
  const calls = `${reach.length} ${reach.length === 1 ? 'call' : 'calls'}`;
  const looked: Readonly<Record<Lens, string>> = {
    boundaries: `${calls}, parsing and empty results looked for`,
    'hostile-input': `${calls}, signatures, secrets and queries looked at`,
    'partial-failure': writes.length === 0 ? `${calls}, none writes` : `${writes.length} writes`,
    concurrency: writes.length === 0 ? `${calls}, none changes shared state` : `${writes.length} writes`,
    'resource-exhaustion':
      effects.length === 0
        ? `${calls}, none takes a connection or grows with input`
        : `${effects.length} calls with effects`,
    clock:
      network.length === 0
        ? `${calls}, none leaves the process`
        : `${network.length} calls leave the process`,
  };
  return LENSES.map((lens) => ({ lens, lookedAt: looked[lens], unresolved }));
}

/** Awaited or effectful-looking calls that could not be followed; plain data methods are not among them. */
function unresolvedCalls(reach: readonly Reached[]): string[] {
  const names = new Set<string>();
  for (const { site } of reach) {
    if (site.effect) continue;
    const awaited = site.file.index.parent(site.top)?.k === 'await';
    if (awaited && (site.target.k === 'unresolved' || site.target.k === 'package'))
      names.add(calleeName(site));
  }
  return [...names].slice(0, 12);
}
