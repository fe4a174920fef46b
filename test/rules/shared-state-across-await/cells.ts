import { Mutex } from 'async-mutex';
import pLimit from 'p-limit';
declare function Injectable(options?: unknown): ClassDecorator;
declare const Scope: { REQUEST: number };
declare function size(id: string): Promise<number>;
declare function load(id: string): Promise<string[]>;
const mutex = new Mutex();
const limit = pLimit(4);
let total = 0;
let names: string[] = [];
let byId: Record<string, number> = {};
let running = false;
let last = 0;

// ---- lost

export async function addSize(id: string) {
  total += await size(id);
//^^^^^ shared-state-across-await: `total` is read before the `await` and written from that value after it: what other calls wrote in between is lost.   💡 Wait before reading the old value
}
export async function addNames(id: string) {
  names = [...names, ...(await load(id))];
//^^^^^ shared-state-across-await: `names` is read before the `await` and written from that value after it: what other calls wrote in between is lost.
}
export async function addEntry(id: string) {
  byId = { ...byId, [id]: await size(id) };
//^^^^ shared-state-across-await: `byId` is read before the `await` and written from that value after it: what other calls wrote in between is lost.
}
export async function throughName(id: string) {
  const before = total;
  const more = await size(id);
  total = before + more;
//^^^^^ shared-state-across-await
}
export async function sumAll(ids: string[]) {
  let sum = 0;
  await Promise.all(
    ids.map(async (id) => {
      sum += await size(id);
   // ^^^ shared-state-across-await   💡 Wait before reading the old value
    }),
  );
  return sum;
}
export async function sumLimited(ids: string[]) {
  let sum = 0;
  await Promise.all(ids.map((id) => limit(async () => {
    sum += await size(id);
 // ^^^ shared-state-across-await   💡 Wait before reading the old value
  })));
  return sum;
}
export async function concatenated(id: string) {
  names = names.concat(await load(id));
//^^^^^ shared-state-across-await
}
@Injectable()
export class Meter {
  private used = 0;
  async add(id: string) {
    this.used = this.used + (await size(id));
 // ^^^^^^^^^ shared-state-across-await
  }
}
class Store {
  bytes = 0;
  async grow(id: string) {
    this.bytes += await size(id);
 // ^^^^^^^^^^ shared-state-across-await   💡 Wait before reading the old value
  }
}
export const store = new Store();

// ---- a guard that is set too late

export async function tick() {
  if (running) return;
  const n = await size('a');
  running = true;
//^^^^^^^ shared-state-across-await
  last = n;
  running = false;
}

// ---- nothing is lost

export async function waitFirst(id: string) {
  const more = await size(id);
  total += more; // ok: shared-state-across-await
}
export async function setOnly(id: string) {
  total = await size(id); // ok: shared-state-across-await
}
export async function readAfter(id: string) {
  const more = await size(id);
  names = [...names, String(more)]; // ok: shared-state-across-await
}
export async function ownName(ids: string[]) {
  let sum = 0;
  for (const id of ids) sum += await size(id); // ok: shared-state-across-await
  return sum;
}
export async function oneAfterTheOther(ids: string[]) {
  let sum = 0;
  const add = async (id: string) => {
    sum += await size(id); // ok: shared-state-across-await
  };
  for (const id of ids) await add(id);
  return sum;
}
export async function locked(id: string) {
  await mutex.runExclusive(async () => {
    total += await size(id); // ok: shared-state-across-await
  });
}
export async function guardFirst() {
  if (running) return;
  running = true; // ok: shared-state-across-await
  try {
    last = await size('a');
  } finally {
    running = false;
  }
}
export async function byArgument(id: string) {
  last = await size(String(last)); // ok: shared-state-across-await
}
export async function init() {
  total += await size('start'); // ok: shared-state-across-await
}
export class PerCall {
  private used = 0;
  async add(id: string) {
    this.used += await size(id); // ok: shared-state-across-await
  }
}
@Injectable({ scope: Scope.REQUEST })
export class PerRequest {
  private used = 0;
  async add(id: string) {
    this.used += await size(id); // ok: shared-state-across-await
  }
}
export async function otherCell(id: string) {
  const before = last;
  const more = await size(id);
  total = before + more; // ok: shared-state-across-await
}
export async function noWaitBetween(id: string) {
  await size(id);
  const before = total;
  total = before + 1; // ok: shared-state-across-await
}
export async function otherBranch(id: string, quick: boolean) {
  const before = total;
  if (quick) {
    await size(id);
    return;
  }
  total = before + 1; // ok: shared-state-across-await
}
export function counted() {
  total += 1; // ok: shared-state-across-await
}
let ready = false;
export async function ensure() {
  if (ready) return;
  await size('a');
  ready = true; // ok: shared-state-across-await
}
export async function sequentialReduce(ids: string[]) {
  let sum = 0;
  await ids.reduce(async (before, id) => {
    await before;
    sum += await size(id); // ok: shared-state-across-await
  }, Promise.resolve());
  return sum;
}
