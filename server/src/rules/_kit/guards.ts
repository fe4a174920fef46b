/** What already makes a read and the write after it safe against a second caller. Owns the list of guards: locks, isolation, claims, handled violations. */
import type { AnyNode } from '../../facts/walk.ts';
import type { Model } from '../../model/model.ts';
import type { SourceFile } from '../../model/project.ts';
import type { Site } from '../../model/sites.ts';
import { ownLock } from './locks.ts';

const VIOLATION =
  /P2002|P2034|23505|40001|ER_DUP_ENTRY|\b1062\b|11000|unique|duplicate|SQLITE_CONSTRAINT|already.?exist|conflict|constraint|integrity|optimistic|stale|version/i;
const LOCK_WORDS =
  /isolationLevel|\bserializable\b|\bfor\s+update\b|pg_(?:try_)?advisory|GET_LOCK|\b(?:acquire|with|using|try|take|obtain|get)\w*(?:Lock|Mutex|Semaphore)\w*\s*\(|runExclusive|\.lock\s*\(|\block(?:ed|ing)?\s*:|pessimistic|\bmutex\b|\bNX\b|\bsetnx\b/i;

/** Somebody catches the violation that the second writer meets. */
export function violationHandled(file: SourceFile, site: Site, model: Model): boolean {
  if (site.chain.some((c) => c.name === 'catch' && VIOLATION.test(file.text.slice(c.node.s, c.node.e))))
    return true;
  for (const frame of model.frames.around(file, site.node, site.fn)) {
    if (frame.k !== 'try' || !frame.node.handler) continue;
    const text = file.text.slice(frame.node.handler.s, frame.node.handler.e);
    if (VIOLATION.test(text)) return true;
    // The handler looks again for what somebody else has written in the meantime.
    if (/\bfind\w*\(|\bselect\b/i.test(text)) return true;
  }
  return false;
}

/** The function, or a call around the place, takes a lock or asks for an isolation that makes the second caller wait or fail. */
export function isSerialised(model: Model, file: SourceFile, fn: number, node: AnyNode): boolean {
  const outer = file.facts.functions[model.outermost(file, fn)];
  if (outer && LOCK_WORDS.test(file.text.slice(outer.s, outer.e))) return true;
  for (const frame of model.frames.around(file, node, fn))
    if (frame.k === 'callback' && frame.roles.has('lock')) return true;
  return model.sitesWithin(file, model.outermost(file, fn)).some((s) => {
    if (s.node.s >= node.s) return false;
    if (s.target.k === 'fn') {
      const { file: f, fn: id } = s.target.value;
      return (
        model.sitesWithin(f, id).some((i) => isHold(model, i)) ||
        /lock/i.test(f.facts.functions[id]?.name ?? '')
      );
    }
    return isHold(model, s);
  });
}

function isHold(model: Model, site: Site): boolean {
  const lock = ownLock(model, site);
  return lock !== null && lock.kind !== 'update';
}

/** Code that a person runs, once. */
export function isOneOff(file: SourceFile): boolean {
  return /(?:^|\/)(?:seeds?|seeders?|migrations?|scripts?|bin|cli|tools?|bootstrap|installer|e2e|demo)\/|(?:^|[/.-])(?:seed\w*|migration|backfill)[^/]*\.[cm]?[jt]s$/i.test(
    file.path,
  );
}
