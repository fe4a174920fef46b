/** Mechanisms that are already there: each proposes a handled row. Owns which facts of the model count as one. */
import type { Lens } from '../base/vocabulary.ts';
import type { Model, Reached } from '../model/model.ts';
import { readOption } from '../model/options.ts';
import type { Site } from '../model/sites.ts';
import { calleeName, duration, short } from '../rules/_kit/text.ts';
import type { Mechanism } from './contract.ts';

export function mechanismsOf(model: Model, reach: readonly Reached[]): readonly Mechanism[] {
  const out: Mechanism[] = [];
  const seen = new Set<string>();
  const add = (site: Site, rule: string, lens: Lens, failure: string, how: string): void => {
    const anchor = calleeName(site);
    const key = `${rule}\0${anchor}`;
    if (seen.has(key)) return;
    seen.add(key);
    out.push({
      rule,
      lens,
      anchor,
      failure,
      how,
      file: site.file.path,
      start: site.file.lines.positionAt(site.node.s),
    });
  };
  for (const { site } of reach) {
    const { effect } = site;
    if (site.target.k === 'builtin' && site.target.name === 'crypto.timingSafeEqual')
      add(
        site,
        'timing-unsafe-compare',
        'hostile-input',
        'a forged secret is guessed byte by byte',
        'compared in constant time',
      );
    if (!effect) {
      if (site.target.k === 'lib' && site.target.spec.callbacks?.some((c) => c.role === 'limit'))
        add(
          site,
          'unbounded-concurrency',
          'resource-exhaustion',
          'more work starts at once than the other side takes',
          `limited by ${calleeName(site)}`,
        );
      continue;
    }
    const bounds = effect.network ? model.bounds.of(site) : null;
    const total = bounds?.parts.total;
    if (total !== undefined && total !== null && bounds?.by)
      add(
        site,
        'call-without-timeout',
        'clock',
        `${calleeName(site)} hangs`,
        `ends after ${total === 'set' ? 'its limit' : duration(total)}, by ${bounds.by}`,
      );
    if (effect.op === 'upsert')
      add(
        site,
        'check-then-write',
        'concurrency',
        `two writers create the same ${effect.entity ?? 'row'}`,
        'one statement that inserts or updates',
      );
    if (effect.spec.idempotency) {
      const key = readOption(model.values, site.file, site.node, effect.spec.idempotency.at);
      if (key.k === 'value')
        add(
          site,
          'effect-without-idempotency-key',
          'concurrency',
          `${calleeName(site)} runs twice for one request`,
          `idempotency key ${short(key.file.text.slice(key.expr.s, key.expr.e))}`,
        );
    }
    if (effect.write && effect.kind === 'db')
      for (const frame of model.frames.around(site.file, site.node, site.fn))
        if (frame.k === 'callback' && frame.roles.has('transaction')) {
          const line = site.file.lines.positionAt(frame.call.s).line;
          add(
            site,
            'writes-without-transaction',
            'partial-failure',
            `the process ends between ${calleeName(site)} and what belongs to it`,
            `one transaction (line ${line})`,
          );
          break;
        }
  }
  return out;
}
