/** The MongoDB driver: clients, databases, collections and sessions. */
import { definePack, type EffectOp, type EffectSpec, type MemberSpec } from './contract.ts';

const FIRST = { arg: 0, path: '' } as const;
const SECOND = { arg: 1, path: '' } as const;

function on(op: EffectOp, options: number, more: Partial<EffectSpec> = {}, returns?: string): MemberSpec {
  return {
    call: {
      effect: {
        kind: 'db',
        op,
        entity: 'receiver-type',
        handleAt: [{ arg: options, path: 'session' }],
        ...more,
      },
      ...(returns ? { returns } : {}),
    },
  };
}
const FILTER: Partial<EffectSpec> = { filterAt: FIRST };
const CHANGE: Partial<EffectSpec> = { filterAt: FIRST, dataAt: SECOND };
const SELF: MemberSpec = { call: { returns: 'self', promise: false } };
const RUN: MemberSpec = { call: { promise: true } };

export const pack = definePack({
  id: 'mongodb',
  packages: ['mongodb'],
  assumedVersion: '7.9.0',
  types: {
    MongoClient: {
      role: 'client',
      members: {
        connect: { call: { effect: { kind: 'connection', op: 'connect' }, returns: 'self' } },
        db: { call: { returns: 'Db', resultEntity: 'receiver', promise: false } },
        startSession: {
          call: { effect: { kind: 'connection', op: 'acquire' }, returns: 'Session', promise: false },
        },
        withSession: {
          call: { promise: true, callbacks: [{ arg: 'last', role: 'sync', params: ['Session'] }] },
        },
        close: RUN,
      },
    },
    Session: {
      role: 'transaction',
      release: ['endSession'],
      members: {
        withTransaction: {
          call: { promise: true, callbacks: [{ arg: 0, role: 'transaction', params: ['Session'] }] },
        },
        startTransaction: { call: { effect: { kind: 'db', op: 'begin' }, promise: false } },
        commitTransaction: { call: { effect: { kind: 'db', op: 'commit' } } },
        abortTransaction: { call: { effect: { kind: 'db', op: 'rollback' } } },
        endSession: { call: { effect: { kind: 'connection', op: 'release' }, promise: true } },
      },
    },
    Db: {
      role: 'client',
      members: {
        collection: { call: { returns: 'Collection', promise: false } },
        command: { call: { effect: { kind: 'db', op: 'raw' } } },
      },
    },
    Collection: {
      role: 'repository',
      members: {
        insertOne: on('insert', 1, { dataAt: FIRST }),
        insertMany: on('insert', 1, { dataAt: FIRST, many: true }),
        updateOne: on('update', 2, CHANGE),
        updateMany: on('update', 2, { ...CHANGE, many: true }),
        replaceOne: on('update', 2, CHANGE),
        findOneAndUpdate: on('update', 2, CHANGE),
        findOneAndReplace: on('update', 2, CHANGE),
        findOneAndDelete: on('delete', 1, FILTER),
        deleteOne: on('delete', 1, FILTER),
        deleteMany: on('delete', 1, { ...FILTER, many: true }),
        bulkWrite: on('write', 1, { many: true }),
        findOne: on('read', 1, FILTER),
        find: {
          call: {
            effect: {
              kind: 'db',
              op: 'read',
              entity: 'receiver-type',
              filterAt: FIRST,
              limitAt: [{ arg: 1, path: 'limit' }],
              handleAt: [{ arg: 1, path: 'session' }],
              many: true,
            },
            returns: 'Cursor',
            lazy: true,
          },
        },
        aggregate: {
          call: {
            effect: { kind: 'db', op: 'read', entity: 'receiver-type' },
            returns: 'Cursor',
            lazy: true,
          },
        },
        countDocuments: on('read', 1, FILTER),
        estimatedDocumentCount: on('read', 0),
        distinct: on('read', 2),
        createIndex: RUN,
      },
    },
    Cursor: {
      role: 'builder',
      members: {
        limit: { call: { returns: 'self', refines: 'limit', promise: false } },
        toArray: RUN,
        next: RUN,
        close: RUN,
        forEach: { call: { promise: true, callbacks: [{ arg: 0, role: 'sync' }] } },
      },
      rest: SELF,
    },
  },
  exports: { MongoClient: { construct: { type: 'MongoClient' } } },
  typeNames: { ClientSession: 'Session' },
  facts: [
    {
      topic: 'tx.api',
      versions: '7.9.0',
      says: '`withTransaction` may run its callback several times, for up to 120 s.',
      source: 'lib/sessions.js',
    },
    {
      topic: 'tx.handle',
      versions: '7.9.0',
      says: 'An operation without `{ session }` is outside the transaction.',
      source: 'lib/sessions.js',
    },
    {
      topic: 'timeout.default',
      versions: '7.9.0',
      says: 'Server selection 30 s, connect 30 s, socket none, waiting for a pooled connection unbounded.',
      source: 'lib/connection_string.js',
    },
    {
      topic: 'retry.default',
      versions: '7.9.0',
      says: 'Single-document writes and reads are repeated once; many-document writes are not.',
      source: 'lib/connection_string.js',
    },
  ],
});
