/** Mongoose: models, documents, query chains and sessions. */
import { definePack, type EffectOp, type EffectSpec, type MemberSpec } from './contract.ts';

const FIRST = { arg: 0, path: '' } as const;
const SECOND = { arg: 1, path: '' } as const;

function on(
  op: EffectOp,
  options: number,
  returns: string | null,
  more: Partial<EffectSpec> = {},
): MemberSpec {
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
      lazy: true,
    },
  };
}
const FILTER: Partial<EffectSpec> = { filterAt: FIRST };
const CHANGE: Partial<EffectSpec> = { filterAt: FIRST, dataAt: SECOND };
const SELF: MemberSpec = { call: { returns: 'self', promise: false } };
const RUN: MemberSpec = { call: { promise: true } };
const ITEM: MemberSpec = { type: 'Document' };
/** What every query offers before it is awaited. */
const chain: Readonly<Record<string, MemberSpec>> = {
  session: { call: { returns: 'self', refines: 'handle', promise: false } },
  limit: { call: { returns: 'self', refines: 'limit', promise: false } },
  where: { call: { returns: 'self', refines: 'filter', promise: false } },
  maxTimeMS: { call: { returns: 'self', refines: 'timeout', promise: false } },
  sort: SELF,
  skip: SELF,
  lean: SELF,
  select: SELF,
  populate: SELF,
  exec: { call: { returns: 'self', promise: true } },
  orFail: SELF,
  cursor: SELF,
};
const startSession: MemberSpec = {
  call: { effect: { kind: 'connection', op: 'acquire' }, returns: 'Session', promise: true },
};
const transaction: MemberSpec = {
  call: { promise: true, callbacks: [{ arg: 0, role: 'transaction', params: ['Session'] }] },
};
const model: MemberSpec = { call: { returns: 'ModelStatic', promise: false } };

export const pack = definePack({
  id: 'mongoose',
  packages: ['mongoose', '@nestjs/mongoose'],
  assumedVersion: '9.12.1',
  types: {
    Mongoose: {
      role: 'client',
      members: {
        model,
        models: { type: 'Models' },
        connection: { type: 'Connection' },
        connect: { call: { effect: { kind: 'connection', op: 'connect' } } },
        createConnection: { call: { returns: 'Connection', promise: false } },
        startSession,
        disconnect: RUN,
        Types: { type: 'Names' },
        Schema: { type: 'Names' },
        Model: { construct: { type: 'Document', statics: 'ModelStatic' } },
      },
    },
    Names: {},
    Models: { rest: { type: 'ModelStatic' } },
    Connection: {
      role: 'client',
      members: {
        model,
        models: { type: 'Models' },
        startSession,
        transaction,
        withSession: { call: { promise: true, callbacks: [{ arg: 0, role: 'sync', params: ['Session'] }] } },
        close: RUN,
      },
    },
    Session: {
      role: 'transaction',
      release: ['endSession'],
      members: {
        withTransaction: transaction,
        startTransaction: { call: { effect: { kind: 'db', op: 'begin' }, promise: false } },
        commitTransaction: { call: { effect: { kind: 'db', op: 'commit' } } },
        abortTransaction: { call: { effect: { kind: 'db', op: 'rollback' } } },
        endSession: { call: { effect: { kind: 'connection', op: 'release' }, promise: true } },
      },
    },
    ModelStatic: {
      role: 'repository',
      construct: { type: 'Document' },
      members: {
        create: on('insert', 1, 'Document', { dataAt: FIRST }),
        insertOne: on('insert', 1, 'Document', { dataAt: FIRST }),
        insertMany: on('insert', 1, 'List', { dataAt: FIRST, many: true }),
        bulkWrite: on('write', 1, null, { many: true }),
        bulkSave: on('write', 1, null, { many: true }),
        updateOne: on('update', 2, 'Query', CHANGE),
        updateMany: on('update', 2, 'Query', { ...CHANGE, many: true }),
        replaceOne: on('update', 2, 'Query', CHANGE),
        findOneAndUpdate: on('update', 2, 'Document', CHANGE),
        findByIdAndUpdate: on('update', 2, 'Document', CHANGE),
        findOneAndReplace: on('update', 2, 'Document', CHANGE),
        findOneAndDelete: on('delete', 1, 'Document', FILTER),
        findByIdAndDelete: on('delete', 1, 'Document', FILTER),
        findByIdAndRemove: on('delete', 1, 'Document', FILTER),
        findOneAndRemove: on('delete', 1, 'Document', FILTER),
        deleteOne: on('delete', 1, 'Query', FILTER),
        deleteMany: on('delete', 1, 'Query', { ...FILTER, many: true }),
        find: on('read', 2, 'List', { ...FILTER, limitAt: [{ arg: 2, path: 'limit' }], many: true }),
        findOne: on('read', 2, 'Document', FILTER),
        findById: on('read', 2, 'Document', FILTER),
        exists: on('read', 1, 'Query', FILTER),
        countDocuments: on('read', 1, 'Query', FILTER),
        estimatedDocumentCount: on('read', 0, 'Query'),
        distinct: on('read', 2, 'Query'),
        aggregate: on('read', 1, 'Query'),
        startSession,
        db: { type: 'Connection' },
        hydrate: { call: { returns: 'Document', promise: false } },
      },
    },
    Query: { role: 'builder', members: chain },
    Document: {
      members: {
        ...chain,
        save: on('upsert', 0, 'self'),
        deleteOne: on('delete', 0, null),
        remove: on('delete', 0, null),
        updateOne: on('update', 1, null, { dataAt: FIRST }),
        $session: SELF,
        toObject: { call: { promise: false } },
        toJSON: { call: { promise: false } },
        set: SELF,
      },
    },
    List: { members: { ...chain, '*item': ITEM, '*': ITEM } },
  },
  exports: {
    default: { type: 'Mongoose' },
    model,
    models: { type: 'Models' },
    connection: { type: 'Connection' },
    startSession,
    createConnection: { call: { returns: 'Connection', promise: false } },
    Model: { construct: { type: 'Document', statics: 'ModelStatic' } },
  },
  typeNames: {
    Model: 'ModelStatic',
    ClientSession: 'Session',
    HydratedDocument: 'Document',
    mongoose: 'Mongoose',
    'Mongoose.Model': 'ModelStatic',
  },
  facts: [
    {
      topic: 'tx.handle',
      versions: '9.12.1',
      says: 'Each call names `{ session }` or chains `.session(s)`, unless `transactionAsyncLocalStorage` is on.',
      source: 'lib/connection.js, lib/model.js',
    },
    {
      topic: 'tx.api',
      versions: '9.12.1',
      says: '`connection.transaction(async session => …)`, or `startSession` with `withTransaction`.',
      source: 'lib/connection.js',
    },
    {
      topic: 'lost-update',
      versions: '9.12.1',
      says: '`optimisticConcurrency` is off: saving a changed document overwrites what came between.',
      source: 'lib/schema.js',
    },
    {
      topic: 'unique',
      versions: '9.12.1',
      says: '`unique` asks for an index; nothing checks it before the write.',
      source: 'lib/connection.js',
    },
  ],
});
