export async function both(sku: string) {
  const [price, stock] = await Promise.all([
    fetch(`https://price.example.com/${sku}`).then((res) => res.json()),
    // ok: unchecked-response-status
    fetch(`https://stock.example.com/${sku}`).then((res) => res.json()),
  ]);
  return { price, stock };
}

export async function apart(sku: string) {
  const price = await fetch(`https://price.example.com/${sku}`).then((res) => res.json());
  const stock = await fetch(`https://stock.example.com/${sku}`).then((res) => res.json());
  return { price, stock };
}

// A font of the site itself: whoever renders with it refuses what is none.
export async function font(base: string) {
  const res = await fetch(`${base}/fonts/inter.ttf`);
  if (!res.ok) throw new Error(`The other side answered ${res.status}`);
  return res.arrayBuffer();
}
export async function list(base: string) {
  const res = await fetch(`${base}/fonts/list`);
  if (!res.ok) throw new Error(`The other side answered ${res.status}`);
  return res.arrayBuffer();
}
