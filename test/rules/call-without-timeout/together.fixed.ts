export async function once(id: string) {
  const first = await fetch(`https://a.example.com/${id}`, { signal: AbortSignal.timeout(10000) });
  const second = await fetch(`https://a.example.com/${id}/more`, { signal: AbortSignal.timeout(10000) }); // ok: call-without-timeout
  const third = await fetch(`https://b.example.com/${id}`, { signal: AbortSignal.timeout(10000) });
  return [first, second, third];
}

export async function started(urls: [string, string]) {
  return Promise.all([fetch(urls[0], { signal: AbortSignal.timeout(10000) }), fetch(urls[1], { signal: AbortSignal.timeout(10000) })]);
}

export async function one(url: string) {
  await fetch(url, { signal: AbortSignal.timeout(10000) });
  await fetch(url, { signal: AbortSignal.timeout(10000) });
}
