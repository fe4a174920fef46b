/** Kysely: typed SQL chains and `transaction().execute`. */
import { definePack, type CallSpec, type EffectOp, type MemberSpec } from './contract.ts';

const TABLE = { arg: 0, path: '' } as const;

function open(op: EffectOp, many = false): MemberSpec {
  return {
    call: {
      effect: { kind: 'db', op, entity: TABLE, ...(many ? { many } : {}) },
      returns: 'Chain',
      lazy: true,
    },
  };
}
function refine(refines: NonNullable<CallSpec['refines']>): MemberSpec {
  return { call: { returns: 'self', refines, promise: false } };
}
const SELF: MemberSpec = { call: { returns: 'self', promise: false } };
const RUN: MemberSpec = { call: { promise: true } };

export const pack = definePack({
  id: 'kysely',
  packages: ['kysely', 'kysely/*'],
  assumedVersion: '0.28.0',
  types: {
    Kysely: {
      role: 'client',
      members: {
        selectFrom: open('read', true),
        insertInto: open('insert'),
        replaceInto: open('upsert'),
        updateTable: open('update', true),
        deleteFrom: open('delete', true),
        mergeInto: open('upsert'),
        with: SELF,
        withSchema: SELF,
        withPlugin: SELF,
        transaction: { call: { returns: 'TransactionBuilder', promise: false } },
        startTransaction: { call: { returns: 'ControlledBuilder', promise: false } },
        connection: { call: { returns: 'ConnectionBuilder', promise: false } },
        executeQuery: { call: { effect: { kind: 'db', op: 'raw' } } },
        destroy: RUN,
      },
    },
    Transaction: { extends: 'Kysely', role: 'transaction' },
    ControlledTransaction: {
      extends: 'Kysely',
      role: 'transaction',
      release: ['commit', 'rollback'],
      members: {
        commit: { call: { returns: 'ControlledEnd', promise: false } },
        rollback: { call: { returns: 'ControlledEnd', promise: false } },
      },
    },
    ControlledEnd: { members: { execute: RUN } },
    ControlledBuilder: {
      members: { execute: { call: { promise: true, returns: 'ControlledTransaction' } } },
      rest: SELF,
    },
    TransactionBuilder: {
      members: {
        execute: {
          call: { promise: true, callbacks: [{ arg: 0, role: 'transaction', params: ['Transaction'] }] },
        },
      },
      rest: SELF,
    },
    ConnectionBuilder: {
      members: {
        execute: { call: { promise: true, callbacks: [{ arg: 0, role: 'sync', params: ['Kysely'] }] } },
      },
    },
    Chain: {
      role: 'builder',
      members: {
        where: refine('filter'),
        whereRef: refine('filter'),
        limit: refine('limit'),
        forUpdate: refine('lock'),
        skipLocked: refine('skip-locked'),
        values: refine('values'),
        set: refine('values'),
        onConflict: refine('upsert'),
        onDuplicateKeyUpdate: refine('upsert'),
        returning: refine('returning'),
        returningAll: refine('returning'),
        executeTakeFirst: RUN,
        executeTakeFirstOrThrow: RUN,
        execute: RUN,
        stream: RUN,
      },
      rest: SELF,
    },
    SqlText: { members: { execute: RUN } },
  },
  exports: { Kysely: { construct: { type: 'Kysely' } }, sql: { tag: {}, call: {} } },
  facts: [
    {
      topic: 'tx.api',
      versions: '0.28.0',
      says: '`db.transaction().execute(async trx => …)` commits or rolls back by itself; chains on `db` inside are outside it.',
      source: 'src/kysely.ts',
    },
  ],
});
