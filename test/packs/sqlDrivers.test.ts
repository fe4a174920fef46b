import { strict as assert } from 'node:assert';
import { callEffects } from '../support/callEffects.ts';

describe('packs postgresJs, mysql2, sqlite, kysely and mikroOrm', () => {
  it('postgres: tag, begin and reserve', () => {
    assert.deepEqual(
      callEffects(`import postgres from 'postgres';
const sql = postgres('x');
await sql\`insert into a \${sql(row)}\`;
await sql.begin(async tx => { await tx\`update b set c = 1\`; });
const r = await sql.reserve();
r.release();`),
      [
        'sql → postgresJs.Sql insert a',
        'tx → postgresJs.TransactionSql update b',
        'reserve → postgresJs.Sql acquire',
        'release → postgresJs.ReservedSql release',
      ],
    );
  });
  it('mysql2: pools and connections', () => {
    assert.deepEqual(
      callEffects(`import mysql from 'mysql2/promise';
const pool = mysql.createPool({});
const c = await pool.getConnection();
await c.beginTransaction();
await c.execute('UPDATE a SET b = 1');
await c.commit();
c.release();`),
      [
        'getConnection → mysql2.Pool acquire',
        'beginTransaction → mysql2.PoolConnection begin',
        'execute → mysql2.PoolConnection update a',
        'commit → mysql2.PoolConnection commit',
        'release → mysql2.PoolConnection release',
      ],
    );
  });
  it('kysely: chains and the transaction parameter', () => {
    assert.deepEqual(
      callEffects(`import { Kysely } from 'kysely';
const db = new Kysely<DB>({});
await db.insertInto('a').values({}).execute();
await db.transaction().setIsolationLevel('serializable').execute(async trx => { await trx.updateTable('b').set({}).where('id', '=', 1).execute(); });`),
      ['insertInto → kysely.Kysely insert a', 'updateTable → kysely.Transaction update b'],
    );
  });
  it('mikro-orm: the manager and its transaction', () => {
    assert.deepEqual(
      callEffects(`import { MikroORM, EntityManager } from '@mikro-orm/postgresql';
export async function f(em: EntityManager) { await em.transactional(async tx => { await tx.nativeUpdate(User, { id: 1 }, {}); }); await em.flush(); }`),
      ['nativeUpdate → mikroOrm.TransactionManager update user', 'flush → mikroOrm.EntityManager write'],
    );
  });
  it('sqlite: prepared statements', () => {
    assert.deepEqual(
      callEffects(`import Database from 'better-sqlite3';
const db = new Database('x');
db.prepare('select 1').get();
db.exec('delete from a');`),
      ['get → sqlite.Statement read', 'exec → sqlite.Database delete a'],
    );
  });
});
