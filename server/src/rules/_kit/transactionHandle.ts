/** Makes a database call take part in a transaction. Owns the form each library wants: a handle, an option, a chained call. */
import type { TextEdit } from '../../base/textEdit.ts';
import type { Expr } from '../../facts/ir.ts';
import { uncast } from '../../facts/walk.ts';
import { addArgument, addProperty, replaceNode } from '../../fixes/edits.ts';
import { inherited } from '../../model/packIndex.ts';
import type { Model } from '../../model/model.ts';
import type { Site } from '../../model/sites.ts';

/** Edits that send the call through `handle`; null when the call has no form for it. */
export function retarget(model: Model, site: Site, handle: string): TextEdit[] | null {
  const { node, effect, file } = site;
  const places = effect?.spec.handleAt;
  if (places) return node.k === 'call' ? byOption(site, places[0], handle) : null;
  const receiver = handleExpr(model, site);
  if (!receiver) return null;
  const value = model.values.of(file, receiver);
  if (
    value.k === 'inst' &&
    value.pack.id === 'typeorm' &&
    inherited(value.pack, value.type, 'role') === 'repository'
  )
    return [replaceNode(receiver, `${handle}.withRepository(${file.text.slice(receiver.s, receiver.e)})`)];
  return [replaceNode(receiver, handle)];
}

/** The part of the callee that is the client: `prisma` of `prisma.user.create`, `this.db` of `this.db.insert`. */
function handleExpr(model: Model, site: Site): Expr | null {
  const { node, file } = site;
  let at: Expr = node.k === 'tag' ? node.tag : node.callee;
  let fallback: Expr | null = null;
  for (let guard = 0; guard < 40; guard++) {
    const value = model.values.of(file, at);
    if (value.k === 'inst') {
      const role = inherited(value.pack, value.type, 'role');
      const named = at.k === 'id' || at.k === 'mem';
      if (named && (role === 'client' || role === 'pool')) return at;
      if (named && role === 'repository' && value.pack.id === 'typeorm') fallback ??= at;
    }
    // A local class that extends the client.
    if (value.k === 'self' && (at.k === 'mem' || at.k === 'id')) return fallback ?? at;
    if (at.k === 'mem') at = at.obj;
    else if (at.k === 'call') at = at.callee;
    else if (at.k === 'tag') at = at.tag;
    else if (at.k === 'as' || at.k === 'await') at = at.arg;
    else break;
  }
  return fallback;
}

const MONGOOSE_QUERIES =
  /^(?:find|findOne|findById|exists|countDocuments|distinct|updateOne|updateMany|replaceOne|deleteOne|deleteMany|findOneAnd\w+|findByIdAnd\w+|aggregate)$/;

function byOption(
  site: Site,
  place: { readonly arg: number | 'last'; readonly path: string } | undefined,
  handle: string,
): TextEdit[] | null {
  const { node, file } = site;
  if (!place || place.arg === 'last' || node.k !== 'call' || node.args.some((a) => a.k === 'spread'))
    return null;
  const name = node.callee.k === 'mem' ? node.callee.prop : '';
  const onDocument = site.target.k === 'lib' && site.target.recv?.type === 'Document';
  if (site.effect?.pack?.id === 'mongoose' && !onDocument) {
    if (MONGOOSE_QUERIES.test(name)) return [{ start: node.e, end: node.e, newText: `.session(${handle})` }];
    const first = node.args[0];
    // With a single document the second argument would be taken for another one.
    if (name === 'create' && first && uncast(first).k !== 'arr') {
      if (file.index.parent(file.index.parent(node) ?? node)?.k !== 'expr') return null;
      return [
        { start: first.s, end: first.e, newText: `[${file.text.slice(first.s, first.e)}]` },
        addArgument(file.text, node, place.arg, option(place.path, handle)),
      ];
    }
  }
  const given = node.args[place.arg];
  if (!given) return [addArgument(file.text, node, place.arg, option(place.path, handle))];
  const inner = uncast(given);
  const property = place.path === handle ? handle : `${place.path}: ${handle}`;
  if (inner.k === 'obj') return [addProperty(file.text, inner, property)];
  return [replaceNode(given, `{ ...${file.text.slice(given.s, given.e)}, ${property} }`)];
}

function option(path: string, handle: string): string {
  return path === handle ? `{ ${path} }` : `{ ${path}: ${handle} }`;
}
