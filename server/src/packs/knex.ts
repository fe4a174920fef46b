/** Knex: the callable client, its builders, and transactions in both forms. */
import { definePack, type CallSpec, type EffectOp, type EffectSpec, type MemberSpec } from './contract.ts';

const TABLE = { arg: 0, path: '' } as const;

function build(op: EffectOp, more: Partial<EffectSpec> = {}): MemberSpec {
  return { call: { effect: { kind: 'db', op, entity: 'receiver-type', ...more }, returns: 'self' } };
}
function refine(refines: NonNullable<CallSpec['refines']>): MemberSpec {
  return { call: { returns: 'self', refines, promise: false } };
}
const SELF: MemberSpec = { call: { returns: 'self', promise: false } };
const RUN: MemberSpec = { call: { promise: true } };
const FILTER = refine('filter');
const open: CallSpec = {
  effect: { kind: 'db', op: 'read', entity: TABLE, many: true },
  returns: 'Builder',
  lazy: true,
};
const OPEN: MemberSpec = { call: open };
const FREE: MemberSpec = { call: { returns: 'Builder', resultEntity: 'receiver', promise: false } };

export const pack = definePack({
  id: 'knex',
  packages: ['knex'],
  assumedVersion: '3.3.0',
  types: {
    Knex: {
      role: 'client',
      call: open,
      members: {
        table: OPEN,
        from: OPEN,
        into: OPEN,
        select: FREE,
        insert: { call: { effect: { kind: 'db', op: 'insert', dataAt: TABLE }, returns: 'Builder' } },
        queryBuilder: FREE,
        with: FREE,
        withSchema: { call: { returns: 'Builder', resultEntity: 'receiver', promise: false } },
        raw: { call: { effect: { kind: 'db', op: 'raw', sqlAt: 0 }, returns: 'Raw' } },
        batchInsert: {
          call: { effect: { kind: 'db', op: 'insert', entity: TABLE, many: true }, returns: 'Builder' },
        },
        transaction: {
          call: {
            promise: true,
            returns: 'Transaction',
            callbacks: [{ arg: 0, role: 'transaction', params: ['Transaction'] }],
          },
        },
        transactionProvider: { call: { promise: false } },
        schema: { type: 'Schema' },
        fn: { type: 'Functions' },
        destroy: RUN,
        ref: { call: { promise: false } },
        on: { call: { callbacks: [{ arg: 1, role: 'listener' }], promise: false } },
      },
    },
    Transaction: {
      extends: 'Knex',
      role: 'transaction',
      release: ['commit', 'rollback'],
      members: {
        commit: { call: { effect: { kind: 'db', op: 'commit' } } },
        rollback: { call: { effect: { kind: 'db', op: 'rollback' } } },
        isCompleted: { call: { promise: false } },
        savepoint: {
          call: { promise: true, callbacks: [{ arg: 0, role: 'transaction', params: ['Transaction'] }] },
        },
      },
    },
    Schema: { rest: { call: { promise: true } } },
    Functions: {},
    Raw: { role: 'builder', members: { transacting: refine('handle'), then: RUN, catch: RUN }, rest: SELF },
    Builder: {
      role: 'builder',
      members: {
        insert: build('insert', { dataAt: TABLE }),
        update: build('update', { dataAt: TABLE, many: true }),
        upsert: build('upsert', { dataAt: TABLE }),
        delete: build('delete', { many: true }),
        del: build('delete', { many: true }),
        truncate: build('delete', { many: true }),
        increment: build('increment'),
        decrement: build('increment'),
        from: {
          call: {
            effect: { kind: 'db', op: 'read', entity: TABLE, many: true },
            returns: 'Builder',
            resultEntity: 'argument',
            lazy: true,
          },
        },
        into: { call: { returns: 'Builder', resultEntity: 'argument', promise: false } },
        first: refine('limit'),
        limit: refine('limit'),
        count: SELF,
        where: FILTER,
        andWhere: FILTER,
        orWhere: FILTER,
        whereIn: FILTER,
        whereNotIn: FILTER,
        whereNull: FILTER,
        whereNotNull: FILTER,
        whereNot: FILTER,
        whereRaw: FILTER,
        whereExists: FILTER,
        whereNotExists: FILTER,
        whereBetween: FILTER,
        whereLike: FILTER,
        whereILike: FILTER,
        whereJsonPath: FILTER,
        andWhereRaw: FILTER,
        forUpdate: refine('lock'),
        forShare: refine('lock'),
        forNoKeyUpdate: refine('lock'),
        skipLocked: refine('skip-locked'),
        noWait: SELF,
        onConflict: refine('upsert'),
        returning: refine('returning'),
        transacting: refine('handle'),
        timeout: refine('timeout'),
        then: RUN,
        catch: RUN,
        finally: RUN,
        stream: RUN,
      },
      rest: SELF,
    },
  },
  exports: {
    default: { call: { returns: 'Knex', promise: false } },
    knex: { call: { returns: 'Knex', promise: false } },
  },
  typeNames: { 'Knex.Transaction': 'Transaction', 'Knex.QueryBuilder': 'Builder', QueryBuilder: 'Builder' },
  facts: [
    {
      topic: 'tx.api',
      versions: '3.3.0',
      says: '`knex.transaction(async trx => …)` commits or rolls back by itself; `await knex.transaction()` leaves both to the caller.',
      source: 'lib/execution/transaction.js',
    },
    {
      topic: 'tx.handle',
      versions: '3.3.0',
      says: 'The transaction is a query builder; a chain on the outer client joins with `.transacting(trx)` only.',
      source: 'lib/builder-interface-augmenter.js',
    },
    {
      topic: 'pool.default',
      versions: '3.3.0',
      says: 'Between 2 and 10 connections; waiting for one ends after 60 s.',
      source: 'lib/client.js',
    },
    {
      topic: 'timeout.default',
      versions: '3.3.0',
      says: 'Queries are unbounded; `.timeout(ms)` without `cancel` leaves the statement running.',
      source: 'lib/query/querybuilder.js',
    },
  ],
});
