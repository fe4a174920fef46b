/** MikroORM: the entity manager as unit of work, repositories and transactions. */
import { definePack, type EffectOp, type EffectSpec, type MemberSpec } from './contract.ts';

const FIRST = { arg: 0, path: '' } as const;
const SECOND = { arg: 1, path: '' } as const;

function on(op: EffectOp, more: Partial<EffectSpec> = {}): MemberSpec {
  return { call: { effect: { kind: 'db', op, entity: FIRST, ...more } } };
}
function repo(op: EffectOp, more: Partial<EffectSpec> = {}): MemberSpec {
  return { call: { effect: { kind: 'db', op, entity: 'receiver-type', ...more } } };
}
const PLAIN: MemberSpec = { call: { promise: false } };

export const pack = definePack({
  id: 'mikroOrm',
  packages: ['@mikro-orm/core', '@mikro-orm/*'],
  assumedVersion: '7.2.5',
  types: {
    MikroORM: {
      role: 'client',
      members: { em: { type: 'EntityManager' }, close: { call: { promise: true } } },
    },
    EntityManager: {
      role: 'client',
      members: {
        transactional: {
          call: {
            promise: true,
            callbacks: [{ arg: 0, role: 'transaction', params: ['TransactionManager'] }],
          },
        },
        begin: { call: { effect: { kind: 'db', op: 'begin' } } },
        commit: { call: { effect: { kind: 'db', op: 'commit' } } },
        rollback: { call: { effect: { kind: 'db', op: 'rollback' } } },
        fork: { call: { returns: 'self', promise: false } },
        getRepository: { call: { returns: 'Repository', promise: false } },
        // What is persisted waits for `flush`, which runs in a transaction of its own.
        persist: { call: { returns: 'self', promise: false } },
        remove: { call: { returns: 'self', promise: false } },
        flush: { call: { effect: { kind: 'db', op: 'write' } } },
        persistAndFlush: { call: { effect: { kind: 'db', op: 'write' } } },
        removeAndFlush: { call: { effect: { kind: 'db', op: 'delete' } } },
        insert: on('insert', { dataAt: SECOND }),
        insertMany: on('insert', { dataAt: SECOND, many: true }),
        upsert: on('upsert', { dataAt: SECOND }),
        nativeInsert: on('insert', { dataAt: SECOND }),
        nativeUpdate: on('update', { filterAt: SECOND, many: true }),
        nativeDelete: on('delete', { filterAt: SECOND, many: true }),
        find: on('read', {
          filterAt: SECOND,
          limitAt: [{ arg: 2, path: 'limit' }],
          lockAt: [{ arg: 2, path: 'lockMode' }],
          many: true,
        }),
        findOne: on('read', { filterAt: SECOND, lockAt: [{ arg: 2, path: 'lockMode' }] }),
        findOneOrFail: on('read', {
          filterAt: SECOND,
          throwsWhenEmpty: true,
          lockAt: [{ arg: 2, path: 'lockMode' }],
        }),
        findAll: on('read', { limitAt: [{ arg: 1, path: 'limit' }], many: true }),
        count: on('read', { filterAt: SECOND }),
        lock: { call: { promise: true } },
        create: PLAIN,
        assign: PLAIN,
        execute: { call: { effect: { kind: 'db', op: 'raw', sqlAt: 0 } } },
        getConnection: { call: { returns: 'Driver', promise: false } },
      },
    },
    TransactionManager: { extends: 'EntityManager', role: 'transaction' },
    Driver: { members: { execute: { call: { effect: { kind: 'db', op: 'raw', sqlAt: 0 } } } } },
    Repository: {
      role: 'repository',
      members: {
        insert: repo('insert', { dataAt: FIRST }),
        upsert: repo('upsert', { dataAt: FIRST }),
        nativeUpdate: repo('update', { filterAt: FIRST, many: true }),
        nativeDelete: repo('delete', { filterAt: FIRST, many: true }),
        find: repo('read', { filterAt: FIRST, limitAt: [{ arg: 1, path: 'limit' }], many: true }),
        findAll: repo('read', { limitAt: [{ arg: 0, path: 'limit' }], many: true }),
        findOne: repo('read', { filterAt: FIRST }),
        findOneOrFail: repo('read', { filterAt: FIRST, throwsWhenEmpty: true }),
        count: repo('read', { filterAt: FIRST }),
        create: PLAIN,
        getEntityManager: { call: { returns: 'EntityManager', promise: false } },
      },
    },
  },
  exports: {
    MikroORM: { construct: { type: 'MikroORM' } },
    EntityManager: { construct: { type: 'EntityManager' } },
    SqlEntityManager: { construct: { type: 'EntityManager' } },
    EntityRepository: { construct: { type: 'Repository' } },
  },
  typeNames: { SqlEntityManager: 'EntityManager', EntityRepository: 'Repository' },
  facts: [
    {
      topic: 'tx.handle',
      versions: '7.2.5',
      says: 'Inside `transactional` the outer manager is redirected by async context, so calls on it still take part.',
      source: 'core/EntityManager.js',
    },
    {
      topic: 'tx.flush',
      versions: '7.2.5',
      says: '`flush` writes everything that was persisted in one transaction.',
      source: 'core/unit-of-work',
    },
  ],
});
