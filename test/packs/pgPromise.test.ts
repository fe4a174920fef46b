import { strict as assert } from 'node:assert';
import { callEffects } from '../support/callEffects.ts';

describe('pack pg-promise', () => {
  it('reads statements from their text, on the database and on the handle of a transaction', () => {
    assert.deepEqual(
      callEffects(`const pgp = require('pg-promise')();
const db = pgp('postgres://x');
await db.none('INSERT INTO orders(id) VALUES ($1)', [1]);
const row = await db.oneOrNone('SELECT id FROM orders WHERE id = $1', [1]);
await db.tx(async t => { await t.none('DELETE FROM lines WHERE id = $1', [1]); });`),
      [
        'none → pgPromise.Database insert orders',
        'oneOrNone → pgPromise.Database read orders',
        'none → pgPromise.TransactionContext delete lines',
      ],
    );
  });
});
