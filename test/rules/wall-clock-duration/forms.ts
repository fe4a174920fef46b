declare function work(): Promise<void>;
declare function record(ms: number): void;
declare function row(): Promise<{ start: number }>;

export async function plus() {
  const begun = +new Date();
  //            ^^^^^^^^^^^ wall-clock-duration
  await work();
  record(+new Date() - begun);
}
export async function byNumber() {
  const begun = new Date();
  await work();
  record(Number(new Date()) - Number(begun));
  //                          ^^^^^^^^^^^^^ wall-clock-duration
}
export async function byValue() {
  const begun = new Date();
  await work();
  record(Date.now() - begun.valueOf());
  //                  ^^^^^^^^^^^^^^^ wall-clock-duration
}
export async function inObject() {
  const timing = { start: Date.now() };
  //                      ^^^^^^^^^^ wall-clock-duration
  await work();
  record(Date.now() - timing.start);
}
export async function stored() {
  const kept = await row();
  record(Date.now() - kept.start); // ok: wall-clock-duration
}
function since(start: number) {
  return Date.now() - start;
}
export async function byFunction() {
  const begun = Date.now();
  //            ^^^^^^^^^^ wall-clock-duration
  await work();
  record(since(begun));
}
function age(start: number) {
  return Date.now() - start; // ok: wall-clock-duration
}
export async function ofRow() {
  const kept = await row();
  record(age(kept.start) + age(Date.now()));
}
export function exported(start: number) {
  return Date.now() - start; // ok: wall-clock-duration
}
void exported(Date.now());
