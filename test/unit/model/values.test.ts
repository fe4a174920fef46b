/** What an expression stands for: through imports, factories, classes, types, parameters and writes. */
import { strict as assert } from 'node:assert';
import { valuesOf } from './probe.ts';

const CASES: Readonly<Record<string, readonly [string, readonly string[]]>> = {
  'imports, default, namespace, require, dynamic': [
    `
import axios from 'axios';
import { Pool } from 'pg';
import pg from 'pg';
import * as all from 'pg';
const { Client } = require('pg');
probe(new Pool()); probe(new pg.Pool()); probe(new all.Pool()); probe(new Client()); probe(axios);
probe(new (await import('pg')).Pool());
`,
    ['pg.Pool', 'pg.Pool', 'pg.Pool', 'pg.Client', 'ext axios:default', 'pg.Pool'],
  ],
  'names, casts, logic, conditions, sequences, non-null': [
    `
import { Pool } from 'pg';
const pool = new Pool();
const other = pool as unknown as Db;
const maybe = globalThis.pool ?? new Pool();
probe(other); probe(maybe); probe(flag ? pool : null); probe(pool!); probe((0, pool)); probe(flag && pool);
`,
    ['pg.Pool', 'pg.Pool', 'pg.Pool', 'pg.Pool', 'pg.Pool', 'pg.Pool'],
  ],
  're-exports, star exports and renames across files': [
    `
//- /src/db.ts
import { Pool } from 'pg';
export const pool = new Pool();
export default pool;
//- /src/mid.ts
export { pool as database } from './db';
export { default as main } from './db';
//- /src/index.ts
export * from './mid';
export * as db from './db';
//- /src/main.ts
import { database, main, db } from './index';
import * as everything from './index';
probe(database); probe(main); probe(db.pool); probe(everything.database); probe(everything);
`,
    ['pg.Pool', 'pg.Pool', 'pg.Pool', 'pg.Pool', 'module src/index.ts'],
  ],
  'a star of a package beside a star of a file': [
    `
//- /src/db.ts
import { Pool } from 'pg';
export const pool = new Pool();
//- /src/index.ts
export * from 'drizzle-orm';
export * from './db';
//- /src/main.ts
import { pool } from './index';
probe(pool);
`,
    ['pg.Pool'],
  ],
  'CommonJS: objects, single names, whole modules': [
    `
//- /src/a.js
const { Pool } = require('pg');
const pool = new Pool();
module.exports = { pool, get late() { return pool; } };
//- /src/b.js
exports.make = () => new (require('pg').Pool)();
//- /src/c.js
const { Pool } = require('pg');
module.exports = new Pool();
//- /src/main.js
const { pool } = require('./a');
const a = require('./a');
const b = require('./b');
const c = require('./c');
probe(pool); probe(a.pool); probe(a.late); probe(b.make()); probe(c);
`,
    ['pg.Pool', 'pg.Pool', 'pg.Pool', 'pg.Pool', 'pg.Pool'],
  ],
  'factories: expression, block, async, memo, parameters given back': [
    `
import { Pool } from 'pg';
const make = () => new Pool();
function makeToo() { const p = new Pool(); return p; }
async function connect() { return new Pool(); }
let cached;
function get() { if (!cached) cached = new Pool(); return cached; }
const same = (x) => x;
probe(make()); probe(makeToo()); probe(await connect()); probe(get()); probe(same(make()));
`,
    ['pg.Pool', 'pg.Pool', 'pg.Pool', 'pg.Pool', 'pg.Pool'],
  ],
  'singleton helpers run the function they are given': [
    `
import { Pool } from 'pg';
const store = globalThis as any;
function singleton<T>(name: string, make: () => T): T {
  store.__s ??= {};
  store.__s[name] ??= make();
  return store.__s[name];
}
export const pool = singleton('pool', () => new Pool());
probe(pool);
`,
    ['pg.Pool'],
  ],
  'let with later assignment': [
    `
import { Pool } from 'pg';
let pool: any;
let none;
export function init() { pool = new Pool(); }
probe(pool); probe(none);
`,
    ['pg.Pool', 'unknown'],
  ],
  'destructuring, arrays, Promise.all': [
    `
import { Pool, Client } from 'pg';
const { db: { pool } } = { db: { pool: new Pool() } };
const [first, second] = [new Pool(), new Client()];
const [a, b] = await Promise.all([connect(), Promise.resolve(1)]);
async function connect() { return new Pool(); }
probe(pool); probe(second); probe(a);
`,
    ['pg.Pool', 'pg.Client', 'pg.Pool'],
  ],
  'object literals: members, spreads, getters, later ones win': [
    `
import { Pool, Client } from 'pg';
const base = { db: new Pool(), other: new Client() };
const deps = { ...base, db: new Client(), get lazy() { return new Pool(); } };
probe(deps.db); probe(deps.other); probe(deps.lazy); probe({ ...base }.db);
`,
    ['pg.Client', 'pg.Client', 'pg.Pool', 'pg.Pool'],
  ],
  'typed parameters, properties and generics': [
    `
import type { Pool, PoolClient } from 'pg';
import type { Repository } from 'typeorm';
type Db = Pool;
interface Deps { db: Pool; nested: { client: PoolClient } }
function f(pool: Pool, dep: Deps, alias: Db, maybe: Pool | undefined, { db }: Deps, repo: Repository<Order>, ready: Promise<Pool>) {
  probe(pool); probe(dep.db); probe(dep.nested.client); probe(alias); probe(maybe); probe(db); probe(repo); probe(await ready);
}
`,
    [
      'pg.Pool',
      'pg.Pool',
      'pg.PoolClient',
      'pg.Pool',
      'pg.Pool',
      'pg.Pool',
      'typeorm.Repository of Order',
      'pg.Pool',
    ],
  ],
  'types from other files': [
    `
//- /src/types.ts
import { Pool } from 'pg';
export interface Context { db: Pool }
export type { Pool as Database } from 'pg';
export const pool = new Pool();
export type Shared = typeof pool;
//- /src/main.ts
import type { Context, Database, Shared } from './types';
function f(ctx: Context, db: Database, s: Shared) { probe(ctx.db); probe(db); probe(s); }
`,
    ['pg.Pool', 'pg.Pool', 'pg.Pool'],
  ],
  'classes: constructor injection, fields, writes, getters, statics, inheritance': [
    `
import { Pool, Client } from 'pg';
class Base {
  protected readonly inherited = new Pool();
  helper() { return this.inherited; }
}
class Service extends Base {
  static shared = new Pool();
  private client!: Client;
  private made;
  constructor(private readonly pool: Pool, readonly given = new Client()) { super(); this.made = new Pool(); }
  get current() { return this.pool; }
  run() {
    probe(this.pool); probe(this.given); probe(this.client); probe(this.made); probe(this.current);
    probe(this.inherited); probe(this.helper()); probe(Service.shared); probe(super.helper());
  }
}
const s = new Service(pool);
probe(s); probe(s.current); probe(s.run);
`,
    [
      'pg.Pool',
      'pg.Client',
      'pg.Client',
      'pg.Pool',
      'pg.Pool',
      'pg.Pool',
      'pg.Pool',
      'pg.Pool',
      'pg.Pool',
      'instance Service',
      'pg.Pool',
      'fn run',
    ],
  ],
  'classes from other files, by injection of their type': [
    `
//- /src/repo.ts
import { Pool } from 'pg';
export class Repo { constructor(readonly pool: Pool) {} find() { return this.pool; } }
//- /src/main.ts
import { Repo } from './repo';
class Service {
  constructor(private repo: Repo) {}
  go() { probe(this.repo); probe(this.repo.find()); probe(this.repo.pool); }
}
`,
    ['instance Repo', 'pg.Pool', 'pg.Pool'],
  ],
  'callbacks get what the library or the wrapper hands them': [
    `
import { PrismaClient } from '@prisma/client';
import { Pool } from 'pg';
const prisma = new PrismaClient();
const pool = new Pool();
async function withClient(work) {
  const client = await pool.connect();
  try { return await work(client); } finally { client.release(); }
}
const inTx = (fn) => prisma.$transaction(fn);
prisma.$transaction(async (tx) => { probe(tx); });
withClient(async (c) => { probe(c); });
inTx(async (t) => { probe(t); });
`,
    ['prisma.TransactionClient', 'pg.PoolClient', 'prisma.TransactionClient'],
  ],
  'what cannot be known stays so': [
    `
import { thing } from './missing';
import { x } from 'some-package';
function f(p) { probe(p); probe(p.a.b); }
probe(thing); probe(x.y); probe(undeclared); probe(a[b]); probe(1 + 1);
probe(() => 1); probe(class Z {});
let n = 1; n = 2; probe(n);
const k = 5; probe(k);
`,
    [
      'param 0',
      'param 0.a.b',
      'ext ./missing:thing',
      'ext some-package:x.y',
      'global undeclared',
      'unknown',
      '1 + 1',
      'fn anonymous',
      'class Z',
      'unknown',
      '5',
    ],
  ],
  'local names hide globals and imports': [
    `
import { Pool } from 'pg';
const fetch = (u) => new Pool();
probe(fetch); probe(fetch('x'));
function f(Pool) { probe(new Pool()); }
`,
    ['fn fetch', 'pg.Pool', 'ret'],
  ],
};

describe('values', () => {
  for (const [name, [code, expected]] of Object.entries(CASES))
    it(name, () => assert.deepEqual(valuesOf(code), expected));

  it('does not hang on long chains or on names that lead to themselves', () => {
    const chain = Array.from({ length: 200 }, (_, i) => `const a${i + 1} = a${i};`).join('\n');
    assert.equal(valuesOf(`const a0 = f(); ${chain} probe(a200);`).length, 1);
    assert.deepEqual(
      valuesOf('const a = b; const b = a; probe(a); function r() { return r(); } probe(r());'),
      ['unknown', 'unknown'],
    );
  });
});
