const base = process.env.INTERNAL_API;
const other = process.env.OTHER_API;

export async function lost(requestId: string, id: string) {
  await fetch(`${base}/orders/${id}`, { method: 'POST', headers: { 'x-request-id': requestId } });
  await fetch(`${base}/stock/${id}`, { headers: { accept: 'application/json', 'x-request-id': requestId } });
  await fetch(`${base}/bills/${id}`);
}

export async function literalHost(requestId: string) {
  await fetch('https://orders.internal/a', { headers: { traceparent: requestId } });
  await fetch('https://orders.internal/b', { method: 'POST' });
}

export async function inCallback(traceId: string, ids: string[]) {
  await fetch(`${base}/orders`, { headers: { 'X-Correlation-Id': traceId } });
  await Promise.all(ids.map(id => fetch(`${base}/stock/${id}`)));
}

// ---- silent

export async function all(requestId: string, id: string) {
  await fetch(`${base}/orders/${id}`, { headers: { 'x-request-id': requestId } }); // ok: lost-trace-context
  await fetch(`${base}/stock/${id}`, { headers: { 'X-Request-Id': requestId } }); // ok: lost-trace-context
}

export async function none(id: string) {
  await fetch(`${base}/orders/${id}`); // ok: lost-trace-context
  await fetch(`${base}/stock/${id}`, { headers: { accept: 'application/json' } }); // ok: lost-trace-context
}

export async function otherHost(requestId: string, id: string) {
  await fetch(`${base}/orders/${id}`, { headers: { 'x-request-id': requestId } });
  await fetch(`${other}/stock/${id}`); // ok: lost-trace-context
  await fetch('https://rates.example.com'); // ok: lost-trace-context
}

export async function unreadable(requestId: string, headers: Record<string, string>, init: RequestInit) {
  await fetch(`${base}/orders`, { headers: { 'x-request-id': requestId } });
  await fetch(`${base}/stock`, { headers }); // ok: lost-trace-context
  await fetch(`${base}/stock`, init); // ok: lost-trace-context
  await fetch(`${base}/stock`, { headers: { ...headers } }); // ok: lost-trace-context
}

export async function unknownHost(requestId: string, url: string) {
  await fetch(url, { headers: { 'x-request-id': requestId } });
  await fetch(url); // ok: lost-trace-context
}

export async function one(requestId: string) {
  await fetch(`${base}/orders`, { headers: { 'x-request-id': requestId } }); // ok: lost-trace-context
}

export async function two(id: string) {
  await fetch(`${base}/orders/${id}`); // ok: lost-trace-context
}

export async function otherHeader(requestId: string) {
  await fetch(`${base}/orders`, { headers: { 'x-tenant-id': requestId } });
  await fetch(`${base}/stock`); // ok: lost-trace-context
}
