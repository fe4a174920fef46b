/** Firestore, through firebase-admin or Google's own client. */
import { definePack, type EffectOp, type EffectSpec, type MemberSpec } from './contract.ts';

const timeout = { defaults: [{ range: '*', value: { total: 60_000 } }] };

function on(op: EffectOp, more: Partial<EffectSpec> = {}): MemberSpec {
  return { call: { effect: { kind: 'db', op, entity: 'receiver-type', timeout, ...more } } };
}
const SELF: MemberSpec = { call: { returns: 'self', promise: false } };
const DOC: MemberSpec = { call: { returns: 'Doc', resultEntity: 'receiver', promise: false } };
const COLLECTION: MemberSpec = { call: { returns: 'Collection', promise: false } };
/** Within a transaction or a batch nothing is sent before the commit; reads are. */
const within = (op: EffectOp): MemberSpec => ({
  call: { effect: { kind: 'db', op }, returns: 'self', promise: false },
});

export const pack = definePack({
  id: 'firestore',
  packages: ['@google-cloud/firestore', 'firebase-admin/firestore', 'firebase-admin'],
  assumedVersion: '7.11.6',
  types: {
    Firestore: {
      role: 'client',
      members: {
        collection: COLLECTION,
        collectionGroup: COLLECTION,
        doc: { call: { returns: 'Doc', promise: false } },
        batch: { call: { returns: 'Batch', promise: false } },
        bulkWriter: { call: { returns: 'Batch', promise: false } },
        getAll: on('read', { many: true }),
        runTransaction: {
          call: {
            returns: 'callback',
            promise: true,
            callbacks: [{ arg: 0, role: 'transaction', params: ['Transaction'] }],
          },
        },
      },
    },
    Collection: {
      members: {
        doc: DOC,
        add: on('insert', { dataAt: { arg: 0, path: '' } }),
        get: on('read', { many: true }),
        count: { call: { returns: 'Query', promise: false } },
        limit: { call: { returns: 'Query', resultEntity: 'receiver', refines: 'limit', promise: false } },
        where: { call: { returns: 'Query', resultEntity: 'receiver', refines: 'filter', promise: false } },
        orderBy: { call: { returns: 'Query', resultEntity: 'receiver', promise: false } },
        select: { call: { returns: 'Query', resultEntity: 'receiver', promise: false } },
      },
    },
    Query: {
      role: 'builder',
      members: {
        get: on('read', { many: true }),
        limit: { call: { returns: 'self', refines: 'limit', promise: false } },
        where: { call: { returns: 'self', refines: 'filter', promise: false } },
      },
      rest: SELF,
    },
    Doc: {
      members: {
        get: on('read'),
        set: on('upsert', { dataAt: { arg: 0, path: '' } }),
        create: on('insert', { dataAt: { arg: 0, path: '' } }),
        update: on('update', { dataAt: { arg: 0, path: '' } }),
        delete: on('delete'),
        collection: COLLECTION,
      },
    },
    Batch: {
      members: {
        set: within('upsert'),
        create: within('insert'),
        update: within('update'),
        delete: within('delete'),
        commit: { call: { effect: { kind: 'db', op: 'commit', timeout } } },
        close: { call: { effect: { kind: 'db', op: 'commit', timeout } } },
      },
    },
    Transaction: {
      role: 'transaction',
      members: {
        get: { call: { effect: { kind: 'db', op: 'read', timeout } } },
        getAll: { call: { effect: { kind: 'db', op: 'read', timeout, many: true } } },
        set: within('upsert'),
        create: within('insert'),
        update: within('update'),
        delete: within('delete'),
      },
    },
  },
  exports: {
    getFirestore: { call: { returns: 'Firestore', promise: false } },
    firestore: { call: { returns: 'Firestore', promise: false } },
    'default.firestore': { call: { returns: 'Firestore', promise: false } },
    Firestore: { construct: { type: 'Firestore' } },
  },
  typeNames: { DocumentReference: 'Doc', CollectionReference: 'Collection', WriteBatch: 'Batch' },
  facts: [
    {
      topic: 'timeout.default',
      versions: '7.11.6',
      says: 'A call gives up after 60 s, a query after 5 min.',
      source: 'build/src/v1/firestore_client_config.json',
    },
    {
      topic: 'tx.api',
      versions: '7.11.6',
      says: '`runTransaction` runs its function again when what it read has changed, five times at most; writes go out with the commit.',
      source: 'build/src/transaction.js',
    },
  ],
});
