//- /src/fixture.ts
export async function once(id: string) {
  const first = await fetch(`https://a.example.com/${id}`);
  //                  ^^^^^ call-without-timeout: If `a.example.com` hangs, this call hangs with it: nothing bounds its total time (and 1 more like it here).   💡 Add an AbortSignal timeout at all 2 places
  const second = await fetch(`https://a.example.com/${id}/more`); // ok: call-without-timeout
  const third = await fetch(`https://b.example.com/${id}`);
  //                  ^^^^^ call-without-timeout
  return [first, second, third];
}

export async function started(urls: [string, string]) {
  return Promise.all([fetch(urls[0]), fetch(urls[1])]);
  //                  ^^^^^ call-without-timeout
}

export async function one(url: string) {
  await fetch(url);
  //    ^^^^^ call-without-timeout
  await fetch(url);
  //    ^^^^^ call-without-timeout
}
