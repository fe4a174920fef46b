declare function work(): Promise<void>;
declare function record(ms: number): void;
declare const job: { createdAt: Date; expiresAt: number };
export async function plain() {
  const start = Date.now();
  //            ^^^^^^^^^^ wall-clock-duration: When the system clock is set, `Date.now() - start` jumps with it: the wall clock measures this duration.   💡 Measure with performance.now()
  await work();
  record(Date.now() - start);
}
export async function both() {
  const start = Date.now();
  //            ^^^^^^^^^^ wall-clock-duration
  await work();
  const end = Date.now();
  record(end - start);
}
export async function dates() {
  const start = new Date();
  await work();
  record(new Date().getTime() - start.getTime());
  //                            ^^^^^^^^^^^^^^^ wall-clock-duration
}
export async function mixed() {
  const start = Date.now();
  //            ^^^^^^^^^^ wall-clock-duration: `end - start` subtracts readings of two different clocks: the result is the time since 1970 and no duration.
  await work();
  const end = performance.now();
  record(end - start);
}
export async function deadline() {
  const begun = Date.now();
  //            ^^^^^^^^^^ wall-clock-duration
  while (Date.now() - begun < 5000) await work();
}
export function hooks(app: { on(event: string, fn: (req: { startTime: number }) => void): void }) {
  app.on('request', req => {
    req.startTime = Date.now();
    //              ^^^^^^^^^^ wall-clock-duration
  });
  app.on('response', req => record(Date.now() - req.startTime));
}
export async function twice() {
  const start = Date.now();
  //            ^^^^^^^^^^ wall-clock-duration
  await work();
  record(Date.now() - start);
  await work();
  record(Date.now() - start); // ok: wall-clock-duration
}
export async function steady() {
  const start = performance.now();
  await work();
  record(performance.now() - start); // ok: wall-clock-duration
}
export function age() {
  return Date.now() - job.createdAt.getTime(); // ok: wall-clock-duration
}
export function left() {
  return job.expiresAt - Date.now(); // ok: wall-clock-duration
}
export function since(startedAt: number) {
  return Date.now() - startedAt; // ok: wall-clock-duration
}
export function dayAgo() {
  return Date.now() - 24 * 3600 * 1000; // ok: wall-clock-duration
}
export function stored(row: { startTime: string }) {
  return Date.now() - new Date(row.startTime).getTime(); // ok: wall-clock-duration
}
export function parsed(text: string) {
  const start = new Date(text);
  return Date.now() - start.getTime(); // ok: wall-clock-duration
}
let last = Date.now();
export function resetElsewhere(value: number) {
  last = value;
  return Date.now() - last; // ok: wall-clock-duration
}
export function other(clock: { now(): number }) {
  const start = clock.now();
  return clock.now() - start; // ok: wall-clock-duration
}
export function sum(a: number) {
  return Date.now() + a; // ok: wall-clock-duration
}
