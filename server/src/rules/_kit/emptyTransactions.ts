/** Transactions whose callback takes no handle, so that no statement in it takes part. Owns that judgement. */
import type { Model } from '../../model/model.ts';
import type { Site } from '../../model/sites.ts';
import { inBatch, standingOf, touchesRows } from './databaseCalls.ts';
import { managedScope, type TransactionScope } from './transactionScopes.ts';

const known = new WeakMap<object, boolean>();

/** The callback has no parameter, it leads to statements of the same library, and none of them is in the transaction. */
export function takesNoHandle(model: Model, scope: TransactionScope): boolean {
  const { file } = scope.opener;
  const fact = file.facts.functions[scope.fn];
  if (!scope.managed || scope.handle !== null || !fact || fact.params.length > 0) return false;
  const before = known.get(scope.opener);
  if (before !== undefined) return before;
  let outside = false;
  let inside = false;
  for (const { site, via } of model.reach(file, scope.fn)) {
    if (via.length > 3 || !touchesRows(site) || site.effect?.pack?.id !== scope.pack.id) continue;
    const standing = standingOf(model, site);
    if (standing === 'inside') inside ||= !inOwnTransaction(model, scope, site);
    else if (standing === 'outside' || via.length === 0) outside = true;
  }
  const empty = outside && !inside;
  known.set(scope.opener, empty);
  return empty;
}

/** It takes part in a transaction that is opened further in. */
function inOwnTransaction(model: Model, scope: TransactionScope, site: Site): boolean {
  if (inBatch(site)) return true;
  const nearest = managedScope(model, site.file, site.node, site.fn);
  return nearest !== null && nearest.opener !== scope.opener;
}
