/** Reading SQL as far as words tell. */
import { strict as assert } from 'node:assert';
import { looksLikeSql, readSql, type SqlInfo } from '../../../server/src/model/sql.ts';

const FLAGS = [
  'where',
  'forUpdate',
  'skipLocked',
  'noWait',
  'onConflict',
  'returning',
  'limit',
  'orderBy',
  'relative',
  'aggregate',
] as const;
const show = (i: SqlInfo): string =>
  [i.verb, i.table ?? '-', ...FLAGS.filter((f) => i[f]), ...(i.advisory ? [i.advisory] : [])].join(' ');

const STATEMENTS: readonly (readonly [string, string])[] = [
  ['SELECT * FROM users', 'select users'],
  ['select id from "Orders" where id = $1 limit 1', 'select orders where limit'],
  ['SELECT * FROM public.orders WHERE id = $1 FOR UPDATE', 'select public.orders where forUpdate'],
  [
    'SELECT id FROM jobs WHERE state = $1 ORDER BY id LIMIT 10 FOR UPDATE SKIP LOCKED',
    'select jobs where forUpdate skipLocked limit orderBy',
  ],
  ['SELECT 1 FROM t WHERE a FOR NO KEY UPDATE NOWAIT', 'select t where forUpdate noWait'],
  ['SELECT count(*) FROM seats WHERE show = $1', 'select seats where aggregate'],
  ["SELECT 'for update' AS text FROM notes", 'select notes'],
  ['-- newest first\nSELECT * FROM log ORDER BY at DESC', 'select log orderBy'],
  ['/* a */ SELECT a /* where */ FROM b', 'select b'],
  ['(SELECT a FROM b) UNION (SELECT a FROM c)', 'select b'],
  ['INSERT INTO users (a) VALUES ($1)', 'insert users'],
  [
    'INSERT INTO users (a) VALUES ($1) ON CONFLICT (a) DO NOTHING RETURNING id',
    'insert users onConflict returning',
  ],
  ['INSERT INTO t (a) VALUES (?) ON DUPLICATE KEY UPDATE a = VALUES(a)', 'insert t onConflict'],
  ['INSERT OR IGNORE INTO t VALUES (1)', 'insert t onConflict'],
  ['REPLACE INTO t VALUES (1)', 'insert t onConflict'],
  ['UPDATE users SET name = $1 WHERE id = $2', 'update users where'],
  [
    'UPDATE accounts SET balance = balance - $1 WHERE id = $2 AND balance >= $1 RETURNING balance',
    'update accounts where returning relative',
  ],
  ['UPDATE t SET n = COALESCE(n, 0) + 1', 'update t relative'],
  ['UPDATE ONLY `t` SET `n` = `n` + 1', 'update t relative'],
  ["UPDATE t SET data = jsonb_set(data, '{a}', $1)", 'update t relative'],
  ['UPDATE t SET a = $1, b = $2', 'update t'],
  ['DELETE FROM sessions WHERE expires < now()', 'delete sessions where'],
  ['BEGIN', 'begin -'],
  ['START TRANSACTION ISOLATION LEVEL SERIALIZABLE', 'begin -'],
  ['COMMIT;', 'commit -'],
  ['ROLLBACK', 'rollback -'],
  ['ROLLBACK TO SAVEPOINT a', 'savepoint -'],
  ['SAVEPOINT a', 'savepoint -'],
  ["SET LOCAL statement_timeout = '5s'", 'set-local -'],
  ['LOCK TABLE seats IN EXCLUSIVE MODE', 'lock seats'],
  ['WITH x AS (SELECT 1) SELECT * FROM x', 'select x'],
  [
    'WITH next AS (SELECT id FROM jobs LIMIT 1 FOR UPDATE SKIP LOCKED) UPDATE jobs SET taken = true FROM next WHERE jobs.id = next.id RETURNING jobs.*',
    'update jobs where forUpdate skipLocked returning limit',
  ],
  ['WITH gone AS (DELETE FROM a RETURNING *) INSERT INTO b SELECT * FROM gone', 'insert b returning'],
  ['SELECT pg_advisory_lock($1)', 'select - session'],
  ['SELECT pg_try_advisory_xact_lock($1)', 'select - xact'],
  ["SELECT GET_LOCK('x', 5)", 'select - session'],
  ['CREATE TABLE a (b int)', 'ddl -'],
  ['ALTER TABLE a ADD c int', 'ddl -'],
  ['SELECT * FROM $? WHERE id = $?', 'select - where'],
];

describe('sql', () => {
  for (const [text, expected] of STATEMENTS)
    it(text.slice(0, 70).replace(/\n/g, ' '), () => {
      assert.ok(looksLikeSql(text), 'is taken for SQL');
      assert.equal(show(readSql(text)), expected);
    });

  it('the condition is kept without its strings', () => {
    assert.equal(
      readSql("UPDATE t SET a = 1 WHERE b = 'x' AND version = $1").whereText.trim(),
      "b = '' and version = $1",
    );
    assert.equal(readSql('UPDATE t SET a = 1').whereText, '');
  });

  it('prose, event names and URLs are no SQL', () => {
    for (const text of [
      'select',
      'update',
      'update available',
      'delete',
      'delete user',
      'begin the day',
      'insert coin',
      'with love',
      'set x',
      '/select/from',
      'drop',
      'commit to it',
      'commit',
      'explain',
      'rollback plan',
      '',
    ])
      assert.equal(looksLikeSql(text), text === 'commit', text);
  });
});
