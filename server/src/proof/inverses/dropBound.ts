/** Takes the time limit off a call: its own option or signal, its client's, and what races or wraps it. */
import type { Expr } from '../../facts/ir.ts';
import { uncast, type AnyNode } from '../../facts/walk.ts';
import type { OptionAt } from '../../packs/contract.ts';
import type { Inst } from '../../model/values.ts';
import { calledWith, cutLink, cutProperty, lastName, propertyAt } from './cut.ts';
import { edit, framesAround, textOf, type Edit, type Inverse, type Spot } from './inverse.ts';

export const dropBound: Inverse = {
  id: 'drop-time-limit',
  what: 'the time limit',
  rules: ['call-without-timeout', 'weak-timeout', 'deadline-not-propagated', 'unbounded-polling'],
  words:
    /time.?out|deadline|time limit|abort|signal|\bends? (?:after|in|within)\b|\bhangs?\b|\bbound(?:ed)?\b/i,
  remove(spot) {
    return [...ownOptions(spot), ...clientOptions(spot), ...wrappers(spot)];
  },
};

const LIMIT_KEYS = /^(?:signal|timeout|timeoutMs|requestTimeout|deadline|abortSignal|cancelToken)$/;

function ownOptions({ site, file, node }: Spot): Edit[] {
  const out: Edit[] = [];
  if (!site) return out;
  for (const link of site.chain)
    if (link.refines === 'timeout' || link.refines === 'signal') {
      const cut = cutLink(file, link.node);
      if (cut) out.push(cut);
    }
  if (node.k !== 'call' && node.k !== 'new') return out;
  const spec = site.effect?.spec.timeout;
  const places: OptionAt[] = [...(spec?.call ?? []), ...(spec?.signal ?? [])];
  const cutAt = (args: readonly Expr[], { arg, path }: OptionAt): void => {
    const given = args.at(arg === 'last' ? -1 : arg);
    if (!given) return;
    if (path === '') {
      if (uncast(given).k !== 'obj' && uncast(given).k !== 'fn') out.push(edit(file, given, 'undefined'));
      return;
    }
    const found = propertyAt(file, given, path.split('.'));
    if (found) out.push(cutProperty(file, found.obj, found.prop));
  };
  for (const place of places) cutAt(node.args, place);
  // Local helpers and libraries that nothing is known of take their limit by the same names.
  if (out.length === 0)
    for (const given of node.args) {
      const inner = uncast(given);
      if (inner.k !== 'obj') continue;
      for (const prop of inner.props)
        if (prop.key !== null && LIMIT_KEYS.test(prop.key)) out.push(cutProperty(file, inner, prop));
    }
  return out;
}

function clientOptions({ site, model }: Spot): Edit[] {
  const out: Edit[] = [];
  if (site?.target.k !== 'lib') return out;
  for (let at: Inst | null = site.target.recv; at; at = at.from) {
    if (!at.origin) continue;
    const { file, call } = at.origin;
    for (const { arg, path } of site.effect?.spec.timeout?.instance ?? []) {
      const found = propertyAt(file, call.args.at(arg === 'last' ? -1 : arg), path.split('.'));
      if (found && model.values.project.file(file.path)) out.push(cutProperty(file, found.obj, found.prop));
    }
  }
  return out;
}

const LIMITING = /time.?out|timed|deadline|within|bounded|timeLimit/i;

function wrappers(spot: Spot): Edit[] {
  const out: Edit[] = [];
  for (const { file, frame } of framesAround(spot)) {
    if (frame.k !== 'callback' || frame.call.k !== 'call') continue;
    const given = frame.call.args[frame.arg];
    if (given && (frame.roles.has('timeout') || LIMITING.test(lastName(file, frame.call))))
      out.push(edit(file, frame.call, calledWith(file, given, '{}')));
  }
  const places: { readonly file: Spot['file']; readonly node: AnyNode }[] = [
    { file: spot.file, node: spot.node },
    ...spot.via.map(({ file, node }) => ({ file, node: node as AnyNode })),
  ];
  for (const { file, node } of places) {
    // The promise is an argument: `withTimeout(call(), 500)`, or one of several: `Promise.race([call(), timer])`.
    let child: AnyNode = node;
    for (let up = file.index.parent(child); up; child = up, up = file.index.parent(up)) {
      if (up.k === 'call' && up.callee !== child) {
        const list = up.args.find((arg) => arg === child);
        const races = textOf(file, up.callee) === 'Promise.race';
        if (list && LIMITING.test(lastName(file, up))) out.push(edit(file, up, `(${textOf(file, child)})`));
        else if (races && uncast(list ?? up.callee).k === 'arr') {
          const racer = raceOf(uncast(list!), node);
          if (racer) out.push(edit(file, up, `(${textOf(file, racer)})`));
        } else break;
        break;
      }
      const passes = up.k === 'await' || up.k === 'as' || up.k === 'mem' || up.k === 'call' || up.k === 'arr';
      if (!passes) break;
    }
  }
  return out;
}

function raceOf(list: Expr, node: AnyNode): Expr | null {
  return list.k === 'arr' ? (list.items.find((item) => item.s <= node.s && item.e >= node.e) ?? null) : null;
}
