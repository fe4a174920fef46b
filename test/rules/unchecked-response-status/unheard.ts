export async function notify(url: string, order: { id: string }) {
  await fetch(url, { method: 'POST', body: JSON.stringify(order) });
  //    ^^^^^ unchecked-response-status: When the other side answers 4xx or 5xx, nothing here knows: the answer is awaited and not looked at.
  return true;
}
export async function rename(id: string, name: string) {
  try {
    await fetch(`https://names.example.com/${id}`, { method: 'PUT', body: name });
    //    ^^^^^ unchecked-response-status
  } catch (error) {
    throw new Error('not renamed', { cause: error });
  }
}

export async function tested(url: string) {
  const res = await fetch(url, { method: 'POST' }); // ok: unchecked-response-status
  if (!res.ok) throw new Error(`refused with ${res.status}`);
}
export async function read(url: string) {
  await fetch(url); // ok: unchecked-response-status
}
export async function trackSignup(url: string) {
  await fetch(url, { method: 'POST' }); // ok: unchecked-response-status
}
export async function tell() {
  await fetch('https://metrics.example.com/v1', { method: 'POST' }); // ok: unchecked-response-status
}
export async function lastWord(url: string, work: () => Promise<void>) {
  try {
    await work();
  } catch (error) {
    await fetch(url, { method: 'POST', body: String(error) }); // ok: unchecked-response-status
    throw error;
  }
}
export async function handedOn(url: string) {
  return await fetch(url, { method: 'POST' }); // ok: unchecked-response-status
}
export async function anyMethod(url: string, method: string) {
  await fetch(url, { method }); // ok: unchecked-response-status
}
