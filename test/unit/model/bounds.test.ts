/** How long a call can take: defaults, its own options, its client's, its signal, and what runs around it. */
import { strict as assert } from 'node:assert';
import { effectsOf } from '../../support/packProbe.ts';

/** The total bound of each call with an effect. */
function totals(code: string): string[] {
  return effectsOf(code).map((line) => /total=(\S+)/.exec(line)?.[1] ?? '-');
}

describe('bounds', () => {
  it('fetch: nothing, a signal that fires, one that is handed in, one that cannot be read', () => {
    assert.deepEqual(
      totals(`
await fetch(u);
await fetch(u, { signal: AbortSignal.timeout(3000) });
await fetch(u, { signal: AbortSignal.any([given, AbortSignal.timeout(10), AbortSignal.timeout(20)]) });
const c = new AbortController();
setTimeout(() => c.abort(), 50);
await fetch(u, { signal: c.signal });
const d = new AbortController();
await fetch(u, { signal: d.signal });
await fetch(u, { ...options() });
await fetch(u, init());
`),
      ['null', '3000', '10', 'set', 'null', '?', '?'],
    );
  });

  it('options of the client, beaten by those of the call', () => {
    assert.deepEqual(
      totals(`
import axios from 'axios';
const bounded = axios.create({ timeout: 2 * 1000 });
const open = axios.create({ baseURL: 'x' });
await bounded.get(u);
await bounded.get(u, { timeout: 0 });
await open.get(u);
await open.get(u, { timeout: 5 });
await axios.post(u, body, { timeout: limit() });
await axios.get(u);
`),
      ['2000', 'null', 'null', '5', 'set', 'null'],
    );
  });

  it('a default that is assigned to the client later', () => {
    assert.deepEqual(
      totals(`import axios from 'axios';\naxios.defaults.timeout = 700;\nawait axios.get(u);`),
      ['700'],
    );
  });

  it('what runs around it: a race, a wrapper with a timeout', () => {
    assert.deepEqual(
      totals(`
await Promise.race([fetch(u), late(5)]);
const withTimeout = (p, ms) => Promise.race([p, rejectAfter(ms)]);
await withTimeout(fetch(u), 100);
await withDeadline(() => fetch(u), 100);
await other(() => fetch(u));
`),
      ['set', 'set', 'set', 'null'],
    );
  });

  it('a client handed in without its options is not known', () => {
    assert.deepEqual(
      totals(
        `import type { AxiosInstance } from 'axios';\nexport const f = (http: AxiosInstance) => http.get('/x');`,
      ),
      ['?'],
    );
  });
});
