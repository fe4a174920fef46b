export async function plain(url: string) {
  return fetch(url, { signal: AbortSignal.timeout(10000) });
}
export async function post(body: unknown) {
  return fetch('https://api.example.com/v1/orders', {
    method: 'POST',
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(10000),
  });
}
export async function ignoredKey(url: string) {
  return fetch(url, { signal: AbortSignal.timeout(10000) } as RequestInit);
}
export async function bySignal(url: string) {
  return fetch(url, { signal: AbortSignal.timeout(500) }); // ok: call-without-timeout
}
export async function shorthand(url: string, signal: AbortSignal) {
  return fetch(url, { signal }); // ok: call-without-timeout
}
export async function any(url: string, signal: AbortSignal) {
  return fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(500)]) }); // ok: call-without-timeout
}
export async function controller(url: string) {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), 1000);
  try {
    return await fetch(url, { signal: controller.signal }); // ok: call-without-timeout
  } finally {
    clearTimeout(timer);
  }
}
export async function raced(url: string) {
  return Promise.race([fetch(url), expire(1000)]); // ok: call-without-timeout
}
export function passOn(url: string, init: RequestInit) {
  return fetch(url, init); // ok: call-without-timeout
}
export function spreadOn(url: string, init: RequestInit) {
  return fetch(url, { ...init, method: 'POST' }); // ok: call-without-timeout
}
function expire(ms: number): Promise<never> {
  return new Promise((_, reject) => setTimeout(() => reject(new Error('late')), ms));
}
export async function own() {
  const fetch = (url: string) => url;
  return fetch('https://example.com'); // ok: call-without-timeout
}
