/** Drizzle ORM: databases of every driver, their query chains, and `transaction`. */
import { definePack, type CallSpec, type EffectOp, type EffectSpec, type MemberSpec } from './contract.ts';

const TABLE = { arg: 0, path: '' } as const;

function chainOf(op: EffectOp, returns: string, more: Partial<EffectSpec> = {}): MemberSpec {
  return { call: { effect: { kind: 'db', op, entity: TABLE, ...more }, returns, lazy: true } };
}
function refine(refines: NonNullable<CallSpec['refines']>): MemberSpec {
  return { call: { returns: 'self', refines, promise: false } };
}
const SELF: MemberSpec = { call: { returns: 'self', promise: false } };
const RUN: MemberSpec = { call: { promise: true } };
const START: MemberSpec = { call: { returns: 'Select', promise: false } };

export const pack = definePack({
  id: 'drizzle',
  packages: ['drizzle-orm', 'drizzle-orm/*'],
  assumedVersion: '0.45.4',
  types: {
    Database: {
      role: 'client',
      members: {
        select: START,
        selectDistinct: START,
        selectDistinctOn: START,
        insert: chainOf('insert', 'Insert'),
        update: chainOf('update', 'Update', { many: true }),
        delete: chainOf('delete', 'Delete', { many: true }),
        execute: { call: { effect: { kind: 'db', op: 'raw', sqlAt: 0 } } },
        run: { call: { effect: { kind: 'db', op: 'raw', sqlAt: 0 } } },
        all: { call: { effect: { kind: 'db', op: 'raw', sqlAt: 0 } } },
        get: { call: { effect: { kind: 'db', op: 'raw', sqlAt: 0 } } },
        $count: { call: { effect: { kind: 'db', op: 'read', entity: TABLE } } },
        $with: { call: { returns: 'With', promise: false } },
        with: SELF,
        query: { type: 'Query' },
        transaction: {
          call: { promise: true, callbacks: [{ arg: 0, role: 'transaction', params: ['Transaction'] }] },
        },
        batch: { call: { promise: true, callbacks: [{ arg: 0, role: 'transaction' }] } },
        $client: { type: 'Driver' },
      },
    },
    Transaction: {
      extends: 'Database',
      role: 'transaction',
      members: { rollback: { call: { effect: { kind: 'db', op: 'rollback' }, promise: false } } },
    },
    With: { members: { as: { call: { promise: false } } } },
    Driver: {},
    Query: { rest: { type: 'QueryTable' } },
    QueryTable: {
      role: 'repository',
      members: {
        findMany: {
          call: {
            effect: {
              kind: 'db',
              op: 'read',
              entity: 'receiver-member',
              filterAt: { arg: 0, path: 'where' },
              limitAt: [{ arg: 0, path: 'limit' }],
              many: true,
            },
          },
        },
        findFirst: {
          call: {
            effect: {
              kind: 'db',
              op: 'read',
              entity: 'receiver-member',
              filterAt: { arg: 0, path: 'where' },
            },
          },
        },
      },
    },
    Chain: {
      role: 'builder',
      members: {
        where: refine('filter'),
        having: refine('filter'),
        limit: refine('limit'),
        for: refine('lock'),
        returning: refine('returning'),
        values: refine('values'),
        set: refine('values'),
        onConflictDoNothing: refine('upsert'),
        onConflictDoUpdate: refine('upsert'),
        onDuplicateKeyUpdate: refine('upsert'),
        execute: RUN,
        then: RUN,
        catch: RUN,
        finally: RUN,
        run: RUN,
        all: RUN,
        get: RUN,
      },
      rest: SELF,
    },
    Select: {
      extends: 'Chain',
      members: { from: chainOf('read', 'Read', { many: true }) },
    },
    Read: { extends: 'Chain' },
    Insert: { extends: 'Chain', members: { select: SELF } },
    Update: { extends: 'Chain' },
    Delete: { extends: 'Chain' },
  },
  exports: {
    drizzle: { call: { returns: 'Database', promise: false } },
    sql: { tag: {}, call: {} },
  },
  typeNames: {
    NodePgDatabase: 'Database',
    PostgresJsDatabase: 'Database',
    PgDatabase: 'Database',
    PgAsyncDatabase: 'Database',
    NeonDatabase: 'Database',
    NeonHttpDatabase: 'Database',
    VercelPgDatabase: 'Database',
    PgliteDatabase: 'Database',
    MySql2Database: 'Database',
    MySqlDatabase: 'Database',
    PlanetScaleDatabase: 'Database',
    SingleStoreDriverDatabase: 'Database',
    BetterSQLite3Database: 'Database',
    LibSQLDatabase: 'Database',
    DrizzleD1Database: 'Database',
    BaseSQLiteDatabase: 'Database',
    BunSQLiteDatabase: 'Database',
    PgTransaction: 'Transaction',
    NodePgTransaction: 'Transaction',
    PostgresJsTransaction: 'Transaction',
    MySqlTransaction: 'Transaction',
    MySql2Transaction: 'Transaction',
    SQLiteTransaction: 'Transaction',
  },
  facts: [
    {
      topic: 'tx.api',
      versions: '0.45.4',
      says: '`db.transaction(async tx => …)`; a transaction inside one is a savepoint; `tx.rollback()` throws.',
      source: 'pg-core/db.d.ts, errors.d.ts',
    },
    {
      topic: 'tx.sync',
      versions: '0.45.4',
      says: 'With better-sqlite3 the callback is synchronous; an async one commits before its writes.',
      source: 'better-sqlite3/session.js',
    },
    {
      topic: 'timeout.default',
      versions: '0.45.4',
      says: 'None of its own: what the driver bounds holds.',
      source: 'node-postgres/session.js',
    },
    {
      topic: 'bounds',
      versions: '0.45.4',
      says: 'A select has no implicit limit.',
      source: 'pg-core/query-builders/select.d.ts',
    },
  ],
});
