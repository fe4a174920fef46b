import { strict as assert } from 'node:assert';
import { applyEdits } from '../../../server/src/base/textEdit.ts';
import { INVERSES } from '../../../server/src/proof/removals.ts';
import { createAnalysis } from '../../../server/src/service/analysisService.ts';
import { ruleInfos } from '../../../server/src/service/registry.ts';
import { MECHANISMS } from '../../support/mechanisms.ts';
import { memoryHost, ROOT } from '../../support/memoryHost.ts';

interface Wish {
  readonly rule?: string;
  readonly at?: string;
  readonly how?: string;
}

const DEPENDENCIES = {
  axios: '1.7.0',
  knex: '3.1.0',
  typeorm: '0.3.20',
  kysely: '0.27.0',
  sequelize: '6.37.0',
  '@prisma/client': '5.20.0',
  'drizzle-orm': '0.36.0',
  'p-map': '7.0.0',
  pg: '8.13.0',
  stripe: '17.0.0',
  superagent: '9.0.0',
  zod: '3.23.0',
  ioredis: '5.4.0',
};

/** The texts that the ways to remove leave of the file, the first first. */
function without(source: string, { rule, at, how }: Wish, symbol = 'unit', file = 'src/a.ts'): string[] {
  const host = memoryHost({ 'package.json': JSON.stringify({ dependencies: DEPENDENCIES }), [file]: source });
  const analysis = createAnalysis({ root: ROOT, host });
  const unit = analysis.unitOf(file, symbol);
  assert.ok(unit, 'the unit is found');
  const removals = analysis.view(unit).removals?.({
    ...(rule === undefined ? {} : { rule }),
    ...(at === undefined ? {} : { at }),
    ...(how === undefined ? {} : { how }),
  });
  return (removals ?? []).map(({ edits }) => {
    assert.deepEqual(
      edits.map((edit) => edit.file),
      [file],
    );
    const text = applyEdits(source, edits[0]!.edits);
    const after = createAnalysis({ root: ROOT, host: memoryHost({ [file]: text }) });
    const errors = after.check([file]).problems.filter(({ code }) => code === 'syntax-error');
    assert.deepEqual(errors, [], text);
    return text;
  });
}

/** The body of `unit` on one line, after the first removal. */
function body(head: string, statements: string, wish: Wish): string {
  const source = `${head}\nexport async function unit(id: string, input: any) {\n${statements}\n}\n`;
  const [text] = without(source, wish);
  assert.ok(text !== undefined, 'an inverse finds something');
  return text
    .slice(text.indexOf('input: any) {\n') + 14, text.lastIndexOf('\n}'))
    .replace(/\s+/g, ' ')
    .trim();
}

describe('taking a mechanism out', () => {
  it('finds something for every sample, and what is left still parses', () => {
    for (const { name, source, ...wish } of MECHANISMS) {
      const texts = without(source, wish, 'unit', `src/${name}.js`);
      assert.ok(texts.length > 0, name);
      for (const text of texts) assert.notEqual(text, source, name);
    }
  });

  it('is asked by rules that there are', () => {
    const known = new Set(ruleInfos.map(({ id }) => id));
    for (const { id, rules } of INVERSES)
      for (const rule of rules) assert.ok(known.has(rule), `${id}: ${rule}`);
  });

  it('time limits: options side by side, of the client, chained, positional', () => {
    const limit = (head: string, statements: string, at: string): string =>
      body(head, statements, { rule: 'call-without-timeout', at });
    assert.equal(
      limit(
        `import axios from 'axios';`,
        'return axios.get(id, { timeout: 100, signal: AbortSignal.timeout(50) });',
        'axios.get',
      ),
      'return axios.get(id, { });',
    );
    assert.equal(
      limit(
        `import axios from 'axios';`,
        'return axios.get(id, { headers: {}, timeout: 100, });',
        'axios.get',
      ),
      'return axios.get(id, { headers: {}, });',
    );
    const [client] = without(
      `import axios from 'axios';
const http = axios.create({ baseURL: 'https://a.example', timeout: 100 });
export async function unit() {
  return http.get('/x');
}
`,
      { rule: 'call-without-timeout', at: 'http.get' },
    );
    assert.match(client!, /axios\.create\(\{ baseURL: 'https:\/\/a\.example' \}\)/);
    assert.equal(
      limit(
        `import request from 'superagent';`,
        'return request.get(id).timeout(100).retry(2);',
        'request.get',
      ),
      'return request.get(id).retry(2);',
    );
    assert.equal(
      limit('', 'const opts = { signal: AbortSignal.timeout(50) };\nreturn fetch(id, opts);', 'fetch'),
      'const opts = { }; return fetch(id, opts);',
    );
  });

  it('transactions: each library gets its plain client back', () => {
    const plain = (head: string, statements: string, at?: string): string =>
      body(head, statements, { rule: 'writes-without-transaction', ...(at === undefined ? {} : { at }) });
    assert.equal(
      plain(
        `import knexFactory from 'knex';\nconst knex = knexFactory({});`,
        `await knex.transaction(async (trx) => { await trx('a').insert({ id }); });`,
      ),
      `await (async (trx) => { await trx('a').insert({ id }); })(knex);`,
    );
    assert.equal(
      plain(
        `import { DataSource } from 'typeorm';\nconst source = new DataSource({} as any);`,
        `await source.transaction(async (m) => { await m.insert('a', { id }); });`,
      ),
      `await (async (m) => { await m.insert('a', { id }); })(source.manager);`,
    );
    assert.equal(
      plain(
        `import { Kysely } from 'kysely';\nconst db = new Kysely<any>({} as any);`,
        `await db.transaction().execute(async (trx) => { await trx.insertInto('a').values({ id }).execute(); });`,
      ),
      `await (async (trx) => { await trx.insertInto('a').values({ id }).execute(); })(db);`,
    );
    assert.equal(
      plain(
        `import { Sequelize } from 'sequelize';\nconst db = new Sequelize('x');`,
        `await db.transaction(async (t) => { await input.create({ id }, { transaction: t }); });`,
        'input.create',
      ),
      `await (async (t) => { await input.create({ id }, { transaction: t }); })(undefined);`,
    );
    assert.equal(
      plain(
        `import { PrismaClient } from '@prisma/client';\nconst prisma = new PrismaClient();`,
        `await prisma.$transaction([prisma.a.create({ data: { id } }), prisma.b.create({ data: { id } })]);`,
        'prisma.a.create',
      ),
      `await Promise.all([prisma.a.create({ data: { id } }), prisma.b.create({ data: { id } })]);`,
    );
  });

  it('leaves the work itself where one of the places that a row names is the claim', () => {
    assert.equal(
      body(
        `import knex from 'knex';\nconst db = knex({ client: 'pg' });`,
        `const mine = await db('seen').insert({ id }).onConflict('id').ignore().returning('id');
         if (mine.length === 0) return;
         await db('shipments').insert({ id: input.order });`,
        { rule: 'redelivery-without-dedup', at: 'db().insert' },
      ),
      "const mine = await db('seen').insert({ id }).onConflict('id').ignore().returning('id'); {} await db('shipments').insert({ id: input.order });",
    );
  });

  it('claims and locks in SQL and builders', () => {
    const pool = `import { Pool } from 'pg';\nconst pool = new Pool();`;
    assert.equal(
      body(pool, `await pool.query('INSERT INTO seen (id) VALUES ($1) ON CONFLICT DO NOTHING', [id]);`, {
        rule: 'redelivery-without-dedup',
        at: 'pool.query',
      }),
      `await pool.query('INSERT INTO seen (id) VALUES ($1)', [id]);`,
    );
    assert.equal(
      body(
        pool,
        `const r = await pool.query('INSERT INTO seen (id) VALUES ($1) ON CONFLICT DO NOTHING', [id]);\nif (r.rowCount === 0) return;\nawait input(id);`,
        { rule: 'redelivery-without-dedup', at: 'pool.query' },
      ),
      `const r = await pool.query('INSERT INTO seen (id) VALUES ($1) ON CONFLICT DO NOTHING', [id]); {} await input(id);`,
    );
    assert.equal(
      body(
        pool,
        `const c = await pool.connect();\nawait c.query('SELECT n FROM a WHERE id = $1 FOR UPDATE', [id]);\nawait c.query('UPDATE a SET n = $1', [input]);`,
        { rule: 'read-modify-write', at: 'c.query#2' },
      ),
      `const c = await pool.connect(); await c.query('SELECT n FROM a WHERE id = $1', [id]); await c.query('UPDATE a SET n = $1', [input]);`,
    );
    assert.equal(
      body(
        `import Redis from 'ioredis';\nconst redis = new Redis();`,
        `const fresh = await redis.set(id, '1', 'EX', 60, 'NX');\nif (fresh === null) return;\nawait input(id);`,
        { rule: 'redelivery-without-dedup', at: 'redis.set' },
      ),
      `const fresh = await redis.set(id, '1', 'EX', 60, 'NX'); {} await input(id);`,
    );
  });

  it('limits, schemas and signatures', () => {
    assert.equal(
      body(`import pMap from 'p-map';`, 'return pMap(input, async (x) => fetch(x), { concurrency: 3 });', {
        rule: 'unbounded-concurrency',
        at: 'fetch',
      }),
      'return pMap(input, async (x) => fetch(x), { });',
    );
    assert.equal(
      body(`import { z } from 'zod';\nconst schema = z.object({});`, 'return schema.parse(input);', {
        at: 'schema.parse',
        how: 'checked by a schema',
      }),
      'return (input);',
    );
    assert.equal(
      body(
        `import Stripe from 'stripe';\nconst stripe = new Stripe('sk');`,
        `const event = stripe.webhooks.constructEvent(input.body, id, 'whsec');\nreturn event.type;`,
        { rule: 'unverified-webhook', how: 'signature verified' },
      ),
      `const event = JSON.parse(String(input.body)); return event.type;`,
    );
  });

  it('upper bounds, and another mechanism than the one that the rule has in mind', () => {
    const pool = `import { Pool } from 'pg';\nconst pool = new Pool();`;
    assert.equal(
      body(pool, `return pool.query('SELECT 1 LIMIT $1', [Math.min(input, 100)]);`, {
        rule: 'request-controlled-size',
        at: 'pool.query',
      }),
      `return pool.query('SELECT 1 LIMIT $1', [(input)]);`,
    );
    assert.equal(
      body(pool, `if (input > 5) return null;\nreturn pool.query(id);`, {
        rule: 'call-without-timeout',
        at: 'input > 5',
        how: 'refused by a guard',
      }),
      `{} return pool.query(id);`,
    );
  });

  it('says nothing where there is nothing to take out', () => {
    const source = 'export async function unit(id: string) {\n  return fetch(id);\n}\n';
    assert.deepEqual(without(source, { rule: 'call-without-timeout', at: 'fetch' }), []);
    assert.deepEqual(without(source, { at: 'gone.call', how: 'a time limit' }), []);
    assert.deepEqual(without(source, { at: 'fetch', how: 'somehow' }), []);
  });
});
