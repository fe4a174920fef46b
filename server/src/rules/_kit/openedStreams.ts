/**
 * Read streams that are opened in the argument of a call: nobody but the callee can close them. Owns the finding of
 * those whose file is tidied away afterwards, which shows that the call may fail and that somebody thought of it.
 */
import type { Call, Try } from '../../facts/ir.ts';
import { some, uncast, type AnyNode } from '../../facts/walk.ts';
import type { SourceFile } from '../../model/project.ts';
import type { Site } from '../../model/sites.ts';
import type { RuleContext } from './rule.ts';

export interface OpenedStream {
  /** The awaited call that is handed the stream. */
  readonly taker: Call;
  /** Source text of the path. */
  readonly path: string;
}

const REMOVES = /^(?:unlink|unlinkSync|rm|rmSync|remove|removeSync|del|unlinkAsync)$/;
/** Whoever is called so closes what it is given, also when it fails. */
const CLOSES =
  /^(?:pipeline|finished|pipe|compose|text|json|buffer|arrayBuffer|Readable\.from|push|resolve)$/;

export function openedStream(ctx: RuleContext, site: Site): OpenedStream | null {
  const { file, node, target } = site;
  if (node.k !== 'call' || !opensStream(target)) return null;
  const given = node.args[0];
  if (!given) return null;
  const path = file.text.slice(given.s, given.e);
  const taker = takerOf(file, node);
  if (!taker || file.index.parent(taker)?.k !== 'await' || closes(ctx, file, taker)) return null;
  const removed = removingTry(file, node, path);
  if (!removed) return null;
  return { taker, path };
}

function opensStream(target: Site['target']): boolean {
  if (target.k === 'package')
    return (
      /^(?:(?:node:)?fs|fs-extra|graceful-fs)$/.test(target.pkg) &&
      /(?:^|\.)createReadStream$/.test(target.path)
    );
  return target.k === 'lib' && target.name === 'createReadStream';
}

/** The call that the stream is an argument of, or a property of an argument of. */
function takerOf(file: SourceFile, node: Call): Call | null {
  let child: AnyNode = node;
  for (let at = file.index.parent(node); at; child = at, at = file.index.parent(at)) {
    if (at.k === 'obj' || at.k === 'as') continue;
    return at.k === 'call' && at.args.includes(child as Call) ? at : null;
  }
  return null;
}

function closes(ctx: RuleContext, file: SourceFile, taker: Call): boolean {
  const callee = uncast(taker.callee);
  const name = callee.k === 'mem' ? callee.prop : callee.k === 'id' ? callee.name : '';
  if (CLOSES.test(name)) return true;
  const target = ctx.model.sites.target(file, taker);
  if (target.k === 'lib') return true;
  if (target.k !== 'fn') return false;
  const fact = target.value.file.facts.functions[target.value.fn];
  // The project's own taker ends it, or hands it to something that does.
  return (
    fact !== undefined &&
    (fact.body.length === 0 ||
      /\b(?:destroy|pipeline|close)\b/.test(target.value.file.text.slice(fact.s, fact.e)))
  );
}

/** A `finally` or `catch` around the place removes the same file, and nothing in the function destroys a stream. */
function removingTry(file: SourceFile, node: Call, path: string): Try | null {
  for (const at of file.index.ancestors(node)) {
    if (at.k !== 'try' || node.s < at.block.s || node.e > at.block.e) continue;
    const tidies = [at.final, at.handler].some(
      (part) => part !== null && some(part, (n) => removes(file, n, path)),
    );
    if (tidies) return at;
  }
  return null;
}

function removes(file: SourceFile, node: AnyNode, path: string): boolean {
  if (node.k !== 'call') return false;
  const callee = uncast(node.callee);
  const name = callee.k === 'mem' ? callee.prop : callee.k === 'id' ? callee.name : '';
  const first = node.args[0];
  return REMOVES.test(name) && first !== undefined && file.text.slice(first.s, first.e) === path;
}
