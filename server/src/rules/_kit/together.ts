/** Calls that one `Promise.all([…])` starts: what all of them lack is one gap. */
import type { AnyNode } from '../../facts/walk.ts';
import type { SourceFile } from '../../model/project.ts';

/** The shared cause of a report, where a call is an element of such a list. */
export function startedTogether(file: SourceFile, node: AnyNode): { readonly cause?: object } {
  for (let child = node, at = file.index.parent(node); at; child = at, at = file.index.parent(at)) {
    if (at.k === 'arr') {
      const call = file.index.parent(at);
      const all =
        call?.k === 'call' &&
        call.callee.k === 'mem' &&
        /^(?:all|allSettled)$/.test(call.callee.prop) &&
        call.callee.obj.k === 'id' &&
        call.callee.obj.name === 'Promise';
      return all && at.items.some((i) => i === child) ? { cause: call } : {};
    }
    if (at.k !== 'mem' && at.k !== 'call' && at.k !== 'as' && at.k !== 'await') return {};
  }
  return {};
}
