//- /src/fixture.ts
export async function both(sku: string) {
  const [price, stock] = await Promise.all([
    fetch(`https://price.example.com/${sku}`).then((res) => res.json()),
    //                                                      ^^^^^^^^ unchecked-response-status: When `price.example.com` answers 4xx or 5xx, its error body is read as if it were the answer: nothing looks at the status (and 1 more like it here).
    // ok: unchecked-response-status
    fetch(`https://stock.example.com/${sku}`).then((res) => res.json()),
  ]);
  return { price, stock };
}

export async function apart(sku: string) {
  const price = await fetch(`https://price.example.com/${sku}`).then((res) => res.json());
  //                                                                          ^^^^^^^^ unchecked-response-status
  const stock = await fetch(`https://stock.example.com/${sku}`).then((res) => res.json());
  //                                                                          ^^^^^^^^ unchecked-response-status
  return { price, stock };
}

// A font of the site itself: whoever renders with it refuses what is none.
export async function font(base: string) {
  const res = await fetch(`${base}/fonts/inter.ttf`);
  return res.arrayBuffer();
  //     ^^^^^^^^^^^^^^^ unchecked-response-status(low)
}
export async function list(base: string) {
  const res = await fetch(`${base}/fonts/list`);
  return res.arrayBuffer();
  //     ^^^^^^^^^^^^^^^ unchecked-response-status(high)
}
