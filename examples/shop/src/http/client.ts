export class UpstreamError extends Error {
  constructor(
    readonly status: number,
    url: string,
  ) {
    super(`${url} answered ${status}`);
  }
}

/** Every outbound JSON request goes through here: it gives up after five seconds and refuses bad answers. */
export async function getJson<T>(url: string, parse: (value: unknown) => T): Promise<T> {
  const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
  if (!response.ok) throw new UpstreamError(response.status, url);
  return parse(await response.json());
}
