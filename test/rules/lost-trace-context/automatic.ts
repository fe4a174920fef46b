//- /package.json
{ "dependencies": { "@opentelemetry/sdk-node": "0.50.0" } }
//- /src/traced.ts
const base = process.env.INTERNAL_API;

export async function traced(requestId: string, id: string) {
  await fetch(`${base}/orders/${id}`, { headers: { 'x-request-id': requestId } });
  await fetch(`${base}/stock/${id}`); // ok: lost-trace-context
}
