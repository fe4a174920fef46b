/** Starts all work at once: limiters call their callbacks directly, pools and batches take everything. */
import type { Call } from '../../facts/ir.ts';
import { uncast } from '../../facts/walk.ts';
import type { SourceFile } from '../../model/project.ts';
import { calledWith, callsOf, cutProperty, lastName, propertyAt } from './cut.ts';
import { bodiesAround, edit, framesAround, textOf, type Edit, type Inverse, type Spot } from './inverse.ts';

export const dropLimit: Inverse = {
  id: 'drop-limiter',
  what: 'the limit on work at one time',
  rules: ['unbounded-concurrency'],
  words: /limit|concurren|at (?:a|one) time|at once|batch|chunk|semaphore|throttl|pool/i,
  remove(spot) {
    const out = new Map<Call, Edit>();
    const visit = (file: SourceFile, call: Call, arg: number | null): void => {
      const found = unlimited(spot, file, call, arg);
      if (found && !out.has(call)) out.set(call, found);
    };
    for (const { file, frame } of framesAround(spot))
      if (frame.k === 'callback' && frame.call.k === 'call') visit(file, frame.call, frame.arg);
    if (spot.node.k === 'call') visit(spot.file, spot.node, null);
    if (out.size === 0)
      for (const body of bodiesAround(spot)) for (const call of callsOf(body)) visit(body.file, call, null);
    return [...out.values()];
  },
};

const LIMITER =
  /^(?:limit|limiter|throttle|throttled|semaphore|gate|slot|runLimited|withSlot|withLimit|schedule)$/i;
const POOL =
  /^(?:(?:map|each|forEach|all)\w*(?:Limit|Limited|Concurrent|Concurrently|Pool|Bounded)|(?:limited|bounded|pooled)(?:Map|All|Each)|asyncPool|pMap|pEach)$/i;
const CHUNK = /^(?:chunk|chunks|chunked|batch|batches|batched|inBatches|splitEvery)$/i;

function unlimited(spot: Spot, file: SourceFile, call: Call, arg: number | null): Edit | null {
  const name = lastName(file, call);
  const target = spot.model.sites.at(file, call)?.target;
  const spec = target?.k === 'lib' ? target.spec : null;
  const limited = spec?.callbacks?.some(({ role }) => role === 'limit') === true;
  const at = spec?.concurrencyAt;
  if (limited && at) {
    const option = propertyAt(file, call.args.at(at.arg === 'last' ? -1 : at.arg), at.path.split('.'));
    if (option) return cutProperty(file, option.obj, option.prop);
  }
  const given = call.args[arg ?? call.args.findIndex((a) => uncast(a).k === 'fn')];
  if (POOL.test(name)) {
    const list = call.args.find((a) => !['fn', 'lit'].includes(uncast(a).k) && a !== given);
    return list && given
      ? edit(file, call, `Promise.all((${textOf(file, list)}).map(${textOf(file, given)}))`)
      : null;
  }
  if (CHUNK.test(name)) return call.args[0] ? edit(file, call, `[${textOf(file, call.args[0])}]`) : null;
  if ((limited || LIMITER.test(name)) && given && uncast(given).k === 'fn') {
    const rest = call.args.filter((a) => a !== given && a.s > given.s).map((a) => textOf(file, a));
    return edit(file, call, calledWith(file, given, rest.join(', ')));
  }
  return null;
}
