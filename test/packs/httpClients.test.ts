/** Packs of HTTP clients: instances by import, require and factory; methods; bounds by option, instance and version. */
import { strict as assert } from 'node:assert';
import { effectsOf } from '../support/packProbe.ts';

const lock = (name: string, version: string) => ({
  'package.json': JSON.stringify({ dependencies: { [name]: `^${version}` } }),
});

describe('packs: HTTP clients', () => {
  it('axios', () => {
    assert.deepEqual(
      effectsOf(`import axios from 'axios';
const api = axios.create({ baseURL: 'https://a.test', timeout: 3000 });
api.get('/x');
axios.post('https://b.test', {}, { timeout: 50 });
axios({ method: 'delete', url: 'https://c.test' });
axios.get('https://d.test', { Timeout: 1 });`),
      [
        'api.get: http/request GET total=3000',
        'axios.post: http/request POST total=50',
        'axios: http/request DELETE total=null',
        'axios.get: http/request GET total=null ignored=Timeout',
      ],
    );
  });
  it('axios: a default that is assigned holds for instances made of it too', () => {
    assert.deepEqual(
      effectsOf(`const axios = require('axios');
axios.defaults.timeout = 4000;
const other = axios.create();
axios.get('https://a.test');
other.get('https://a.test');`),
      ['axios.get: http/request GET total=4000', 'other.get: http/request GET total=4000'],
    );
  });
  it('axios: an instance of another file', () => {
    assert.deepEqual(
      effectsOf(
        `import { api } from './api.ts';\nclass A { private readonly http = api;\n go() { return this.http.put('/x', 1); } }`,
        {
          'src/api.ts': `import axios from 'axios';\nexport const api = axios.create({ timeout: 700 });`,
        },
      ),
      ['this.http.put: http/request PUT total=700'],
    );
  });
  it('got: phases, extend and the number of old versions', () => {
    const code = `import got from 'got';
const api = got.extend({ timeout: { request: 2000 } });
got.post('https://a.test', { json: {} });
got('https://a.test', { timeout: { response: 300 } });
api.get('x');
got('https://a.test', { timeout: 900 });`;
    assert.deepEqual(effectsOf(code), [
      'got.post: http/request POST total=null',
      'got: http/request GET total=null set=headers',
      'api.get: http/request GET total=2000',
      'got: http/request GET total=null',
    ]);
    assert.equal(effectsOf(code, lock('got', '11.8.0')).at(-1), 'got: http/request GET total=900');
  });
  it('ky has a default', () => {
    assert.deepEqual(
      effectsOf(`import ky from 'ky';
ky.get('https://a.test');
ky('https://a.test', { timeout: false });
ky.create({ timeout: 5 }).delete('x');`),
      [
        'ky.get: http/request GET total=10000',
        'ky: http/request GET total=null',
        'ky.create({timeout:5}).delete: http/request DELETE total=5',
      ],
    );
  });
  it('superagent: the chain bounds it', () => {
    assert.deepEqual(
      effectsOf(`import request from 'superagent';
await request.post('https://a.test').send({}).timeout(500);
await request.get('https://a.test').set('a', 'b');`),
      ['request.post: http/request POST total=set', 'request.get: http/request GET total=null'],
    );
  });
  it('undici: pools and phase timers', () => {
    assert.deepEqual(
      effectsOf(`import { Pool, request, fetch } from 'undici';
const pool = new Pool('https://a.test', { headersTimeout: 100 });
await pool.request({ path: '/', method: 'POST', signal: AbortSignal.timeout(20) });
await pool.request({ path: '/', method: 'GET' });
await request('https://a.test', { bodyTimeout: 10 });
await fetch('https://a.test');`),
      [
        'pool.request: http/request POST total=20 set=headers',
        'pool.request: http/request GET total=null set=headers',
        'request: http/request GET total=null set=idle',
        'fetch: http/request GET total=null',
      ],
    );
  });
  it('node-fetch: the timeout option by version', () => {
    const code = `import fetch from 'node-fetch';\nawait fetch('https://a.test', { timeout: 800 });`;
    assert.deepEqual(effectsOf(code, lock('node-fetch', '2.7.0')), ['fetch: http/request GET total=800']);
    assert.deepEqual(effectsOf(code, lock('node-fetch', '3.3.2')), [
      'fetch: http/request GET total=null ignored=timeout',
    ]);
  });
  it('node:http: a timer counts when its listener ends the request', () => {
    assert.deepEqual(
      effectsOf(`import https from 'node:https';
import http from 'http';
const a = https.request('https://a.test', { timeout: 1000 }, res => res.resume());
a.on('timeout', () => a.destroy(new Error('late')));
const b = https.request({ host: 'b.test', timeout: 1000 });
b.on('error', console.error);
const c = http.get('http://c.test');
c.setTimeout(500, () => { c.destroy(); });
const d = http.get('http://d.test', { signal: AbortSignal.timeout(5) });
const e = http.get('http://e.test', res => res.resume());
e.setTimeout(500, () => undefined);
http.get('http://f.test', res => res.resume());`),
      [
        'https.request: http/request GET total=set set=idle',
        'https.request: http/request GET total=null set=idle toothless=timeout',
        'http.get: http/request GET total=set',
        'http.get: http/request GET total=5',
        'http.get: http/request GET total=null toothless=timeout',
        'http.get: http/request GET total=null',
      ],
    );
  });
  it('names that are not the library', () => {
    assert.deepEqual(
      effectsOf(`import got from './got.ts';\ngot('x');`, {
        'src/got.ts': 'export default (x: string) => x;',
      }),
      [],
    );
    assert.deepEqual(effectsOf(`const ky = { get: (u: string) => u };\nky.get('x');`), []);
  });
});
