import pRetry from 'p-retry';

export async function fresh(amount: number) {
  await pRetry(() => fetch('https://pay.example.com/payouts', { method: 'POST', body: JSON.stringify({ amount }) }), { retries: 2 });
  //                 ^^^^^ retry-of-unsafe-effect: When its answer is lost, `fetch` is called again up to 2 times: what it creates exists twice, for it carries no key by which the other side can tell a repeat.
}
export async function named(partId: string, data: string) {
  const init = { method: 'POST', body: JSON.stringify({ data, id: partId }) };
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      return await fetch('https://parts.example.com/parts', init);
      //           ^^^^^ retry-of-unsafe-effect: When its answer is lost, `fetch` is called again up to 2 times with the same content: where the other side does not tell the repeat by something in it, what it creates exists twice.
    } catch (error) {
      await new Promise((resolve) => setTimeout(resolve, 100 * 2 ** attempt));
      if (attempt === 2) throw error;
    }
  }
}
export async function given(body: string) {
  await pRetry(() => fetch('https://pay.example.com/payouts', { method: 'POST', body }), { retries: 2 });
  //                 ^^^^^ retry-of-unsafe-effect: When its answer is lost, `fetch` is called again up to 2 times with the same content: where the other side does not tell the repeat by something in it, what it creates exists twice.
}
export async function batch(entries: { id: string }[]) {
  await pRetry(() => fetch('https://bus.example.com/publish', { method: 'POST', body: JSON.stringify({ entries }) }), { retries: 2 });
  //                 ^^^^^ retry-of-unsafe-effect(low)
}
