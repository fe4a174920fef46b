declare function work(): Promise<string>;
declare function workWith(signal: AbortSignal): Promise<string>;
const LIMIT = 5000;

export const plain = () => Promise.race([work(), new Promise((_, reject) => setTimeout(() => reject(new Error('late')), LIMIT))]);
//                         ^^^^^^^^^^^^ abandoned-work: When the timer wins, the work it raced goes on unseen; when the work wins, a timer of 5 s stays behind.
function expire(ms: number) {
  return new Promise<never>((_, reject) => setTimeout(() => reject(new Error('late')), ms));
}
export async function byHelper() {
  return Promise.race([work(), expire(3000)]);
  //     ^^^^^^^^^^^^ abandoned-work
}
export async function byName() {
  const late = new Promise<null>(resolve => setTimeout(() => resolve(null), 2500));
  return Promise.race([work(), late]);
  //     ^^^^^^^^^^^^ abandoned-work
}
export async function unread(ms: number) {
  return Promise.race([expire(ms), work()]);
  //     ^^^^^^^^^^^^ abandoned-work: When the timer wins, the work it raced goes on unseen; when the work wins, a timer stays behind.
}
export async function cleared() {
  let timer: NodeJS.Timeout | undefined;
  try {
    return await Promise.race([work(), new Promise((_, reject) => (timer = setTimeout(reject, LIMIT)))]); // ok: abandoned-work
  } finally {
    clearTimeout(timer);
  }
}
export async function aborted() {
  const controller = new AbortController();
  const late = new Promise<never>((_, reject) =>
    setTimeout(() => {
      controller.abort();
      reject(new Error('late'));
    }, LIMIT),
  );
  return Promise.race([workWith(controller.signal), late]); // ok: abandoned-work
}
export async function unreffed() {
  return Promise.race([work(), new Promise((_, reject) => setTimeout(reject, LIMIT).unref())]); // ok: abandoned-work
}
export async function signal() {
  return workWith(AbortSignal.timeout(LIMIT)); // ok: abandoned-work
}
export async function first() {
  return Promise.race([work(), work()]); // ok: abandoned-work
}
export async function timersOnly() {
  return Promise.race([expire(1), expire(2)]); // ok: abandoned-work
}
export async function list(jobs: Promise<string>[]) {
  return Promise.race(jobs); // ok: abandoned-work
}
export async function event(socket: { once(name: string, fn: () => void): void }) {
  return Promise.race([work(), new Promise<void>(resolve => socket.once('close', resolve))]); // ok: abandoned-work
}
export async function any() {
  return Promise.any([work(), expire(5)]); // ok: abandoned-work
}
export async function own(Promise: { race(x: unknown[]): unknown }) {
  return Promise.race([work(), expire(5000)]); // ok: abandoned-work
}
export async function destroys(stream: { destroy(): void }) {
  try {
    return await Promise.race([work(), expire(5000)]); // ok: abandoned-work
  } finally {
    stream.destroy();
  }
}
export async function short() {
  return Promise.race([work(), expire(50)]); // ok: abandoned-work
}
export async function closing(client: { quit(): Promise<void> }) {
  return Promise.race([client.quit(), expire(5000)]); // ok: abandoned-work
}
