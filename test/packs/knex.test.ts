import { strict as assert } from 'node:assert';
import { callEffects } from '../support/callEffects.ts';

describe('pack knex', () => {
  it('takes the table from the call and the operation from the chain', () => {
    assert.deepEqual(
      callEffects(`const knex = require('knex')({ client: 'pg' });
await knex('users').where({ id: 1 }).update({ a: 1 });
await knex('users').insert({ a: 1 });
await knex('users').insert({ a: 1 }).onConflict('a').ignore();
const rows = await knex('users').where({ id: 1 });
await knex.raw('delete from a where b = 1');
await knex('users').where('id', 1).increment('n', 1);`),
      [
        'update → knex.Builder update users',
        'insert → knex.Builder insert users',
        'insert → knex.Builder upsert users',
        'knex → knex.Knex read users',
        'raw → knex.Knex delete a',
        'increment → knex.Builder increment users',
      ],
    );
  });
  it('follows transactions in both forms and typed handles', () => {
    assert.deepEqual(
      callEffects(`import knex, { Knex } from 'knex';
const db = knex({ client: 'pg' });
await db.transaction(async trx => { await trx('a').insert({}); });
const t = await db.transaction();
await t('b').del();
await t.commit();
export async function f(trx: Knex.Transaction) { await trx('c').insert({}); }`),
      [
        'insert → knex.Builder insert a',
        'del → knex.Builder delete b',
        'commit → knex.Transaction commit',
        'insert → knex.Builder insert c',
      ],
    );
  });
});
