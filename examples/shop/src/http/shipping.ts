import { getJson } from './client.ts';

const CARRIER = process.env.CARRIER_URL ?? 'https://carrier.example';

function toQuote(value: unknown): { cents: number } {
  const cents = (value as { cents?: unknown } | null)?.cents;
  if (typeof cents !== 'number') throw new TypeError('the carrier sent no price');
  return { cents };
}

/** Bounded by the wrapper it goes through. */
export function quoteShipping(zip: string): Promise<{ cents: number }> {
  return getJson(`${CARRIER}/quotes?zip=${encodeURIComponent(zip)}`, toQuote);
}

/** Goes around the wrapper: no bound, and a refusal by the carrier looks like a label. */
export async function orderLabel(orderId: string): Promise<{ url: string }> {
  const response = await fetch(`${CARRIER}/labels`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ orderId }),
  });
  return (await response.json()) as { url: string };
}
