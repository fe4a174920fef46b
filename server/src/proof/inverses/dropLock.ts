/** Lets two callers in at once: mutexes call straight through, row locks are not asked for. */
import type { Call } from '../../facts/ir.ts';
import { uncast } from '../../facts/walk.ts';
import type { SourceFile } from '../../model/project.ts';
import { calledWith, callsOf, cutLink, cutProperty, cutText, lastName, propertyAt, textsOf } from './cut.ts';
import { bodiesAround, edit, framesAround, type Edit, type Inverse, type Spot } from './inverse.ts';

export const dropLock: Inverse = {
  id: 'drop-lock',
  what: 'the lock',
  rules: [
    'read-modify-write',
    'check-then-write',
    'non-atomic-redis',
    'overlapping-interval',
    'unguarded-cache-fill',
    'claim-without-lock',
  ],
  words: /\block|mutex|for update|exclusive|serial|one at a time|single.?flight/i,
  remove(spot) {
    const out = new Map<Call, Edit>();
    for (const { file, frame } of framesAround(spot)) {
      if (frame.k !== 'callback' || frame.call.k !== 'call') continue;
      const given = frame.call.args[frame.arg];
      if (given && (frame.roles.has('lock') || HOLDER.test(lastName(file, frame.call))))
        out.set(frame.call, edit(file, frame.call, calledWith(file, given, '')));
    }
    if (out.size > 0) return [...out.values()];
    return bodiesAround(spot).flatMap((body) =>
      callsOf(body).flatMap((call) => unlocked(spot, body.file, call)),
    );
  },
};

const HOLDER =
  /^(?:runExclusive|with\w*(?:Lock|Mutex)|withLock\w*|using|synchroni[sz]ed|exclusive(?:ly)?|lock(?:ed)?|singleFlight|serial(?:ly|ize)?)$/i;

function unlocked(spot: Spot, file: SourceFile, call: Call): Edit[] {
  const site = spot.model.sites.at(file, call);
  const name = lastName(file, call);
  const given = call.args.find((arg) => uncast(arg).k === 'fn');
  if (given && HOLDER.test(name)) return [edit(file, call, calledWith(file, given, ''))];
  if (/^(?:forUpdate|forShare|setLock|lock)$/.test(name) && site?.effect?.kind === 'db') {
    const cut = cutLink(file, call);
    return cut ? [cut] : [];
  }
  for (const { arg, path } of site?.effect?.spec.lockAt ?? []) {
    const option = propertyAt(file, call.args.at(arg === 'last' ? -1 : arg), path.split('.'));
    if (option) return [cutProperty(file, option.obj, option.prop)];
  }
  if (/^(?:acquire|lock)$/.test(name) && site?.effect?.kind === 'lock')
    return [edit(file, call, '(async () => Object.assign(() => {}, { release() {}, unlock() {} }))()')];
  for (const literal of textsOf(call, call)) {
    const cut = cutText(
      file,
      literal,
      /\s+for\s+(?:no\s+key\s+)?(?:update|share)(?:\s+(?:nowait|skip\s+locked))?/i,
    );
    if (cut) return [cut];
  }
  return [];
}
