//- /src/fixture.ts
import { Pool } from 'pg';
import { createClient } from 'redis';
import { watch } from './watch.ts';

export const bare = new Pool();
//                      ^^^^ emitter-without-error-listener: When pg loses its connection, the `error` event of `bare` is thrown outside every call: nothing here listens for it.   💡 Add an error listener that logs

const cache = createClient();
//            ^^^^^^^^^^^^ emitter-without-error-listener
export const get = (key: string) => cache.get(key);

export class CacheAdapter {
  private client;
  constructor(url: string) {
    this.client = createClient({ url });
    //            ^^^^^^^^^^^^ emitter-without-error-listener
  }
  connect() {
    return this.client.connect();
  }
}

const onlyConnect = new Pool();
//                      ^^^^ emitter-without-error-listener
onlyConnect.on('connect', () => console.log('up'));

export const heard = new Pool(); // ok: emitter-without-error-listener
heard.on('error', error => console.error(error));

export const chained = createClient().on('error', error => console.error(error)); // ok: emitter-without-error-listener

const chainedLater = createClient(); // ok: emitter-without-error-listener
chainedLater.on('ready', () => console.log('up')).on('error', error => console.error(error));

const watched = new Pool(); // ok: emitter-without-error-listener
watch(watched);

export function make() {
  const made = new Pool(); // ok: emitter-without-error-listener
  return made;
}
export const makeInline = () => new Pool(); // ok: emitter-without-error-listener

const named = createClient(); // ok: emitter-without-error-listener
for (const event of ['error', 'end']) named.on(event, () => console.log(event));

export class Heard {
  private client;
  constructor() {
    this.client = createClient(); // ok: emitter-without-error-listener
    this.client.on('error', error => console.error(error));
  }
}
export async function checkout() {
  const client = await heard.connect(); // ok: emitter-without-error-listener
  client.release();
}
class OwnPool {}
export const own = new OwnPool(); // ok: emitter-without-error-listener
//- /src/watch.ts
export function watch(emitter: { on(e: string, f: (x: unknown) => void): unknown }) {
  emitter.on('error', console.error);
}
