/** TypeORM: data sources, managers, repositories, query runners and query builders. */
import { definePack, type CallSpec, type EffectOp, type EffectSpec, type MemberSpec } from './contract.ts';

const FIRST = { arg: 0, path: '' } as const;
const SECOND = { arg: 1, path: '' } as const;
const WHERE0 = { arg: 0, path: 'where' } as const;
const TAKE0 = [{ arg: 0, path: 'take' }] as const;
const TAKE1 = [{ arg: 1, path: 'take' }] as const;

function repo(op: EffectOp, more: Partial<EffectSpec> = {}, returns?: string): MemberSpec {
  return {
    call: { effect: { kind: 'db', op, entity: 'receiver-type', ...more }, ...(returns ? { returns } : {}) },
  };
}
function em(op: EffectOp, more: Partial<EffectSpec> = {}): MemberSpec {
  return { call: { effect: { kind: 'db', op, entity: FIRST, ...more } } };
}
function refine(refines: NonNullable<CallSpec['refines']>): MemberSpec {
  return { call: { returns: 'self', refines, promise: false } };
}
const PLAIN: MemberSpec = { call: { promise: false } };
const SELF: MemberSpec = { call: { returns: 'self', promise: false } };
const LOCK0 = [{ arg: 0, path: 'lock' }] as const;
const LOCK1 = [{ arg: 1, path: 'lock' }] as const;
const repositoryOf: MemberSpec = { call: { returns: 'Repository', promise: false } };
const builder: MemberSpec = { call: { returns: 'Builder', promise: false } };
const transaction: MemberSpec = {
  call: { promise: true, callbacks: [{ arg: 'last', role: 'transaction', params: ['TransactionManager'] }] },
};
const sql: MemberSpec = { call: { effect: { kind: 'db', op: 'raw', sqlAt: 0 } } };
const execute = (op: EffectOp, more: Partial<EffectSpec> = {}): MemberSpec => ({
  call: { effect: { kind: 'db', op, entity: 'receiver-type', ...more } },
});
const rows: MemberSpec = execute('read', { many: true });

export const pack = definePack({
  id: 'typeorm',
  packages: ['typeorm', '@nestjs/typeorm'],
  assumedVersion: '1.1.1',
  types: {
    DataSource: {
      role: 'client',
      members: {
        transaction,
        query: sql,
        manager: { type: 'EntityManager' },
        getRepository: repositoryOf,
        getTreeRepository: repositoryOf,
        createQueryRunner: {
          call: { effect: { kind: 'connection', op: 'acquire' }, returns: 'QueryRunner', promise: false },
        },
        createQueryBuilder: builder,
        createEntityManager: { call: { returns: 'EntityManager', promise: false } },
        initialize: { call: { promise: true, returns: 'self' } },
        destroy: { call: { promise: true } },
      },
    },
    EntityManager: {
      role: 'client',
      members: {
        transaction,
        query: sql,
        getRepository: repositoryOf,
        getTreeRepository: repositoryOf,
        withRepository: { call: { returns: 'Repository', promise: false } },
        getCustomRepository: repositoryOf,
        createQueryBuilder: builder,
        queryRunner: { type: 'QueryRunner' },
        connection: { type: 'DataSource' },
        dataSource: { type: 'DataSource' },
        create: PLAIN,
        merge: PLAIN,
        preload: em('read'),
        save: em('upsert', { dataAt: FIRST }),
        insert: em('insert', { dataAt: SECOND }),
        update: em('update', { filterAt: SECOND, dataAt: { arg: 2, path: '' }, many: true }),
        upsert: em('upsert', { dataAt: SECOND }),
        delete: em('delete', { filterAt: SECOND, many: true }),
        remove: em('delete'),
        softDelete: em('update', { filterAt: SECOND, many: true }),
        softRemove: em('update'),
        recover: em('update'),
        restore: em('update', { filterAt: SECOND, many: true }),
        increment: em('increment', { filterAt: SECOND }),
        decrement: em('increment', { filterAt: SECOND }),
        find: em('read', { filterAt: { arg: 1, path: 'where' }, limitAt: TAKE1, lockAt: LOCK1, many: true }),
        findBy: em('read', { filterAt: SECOND, many: true }),
        findAndCount: em('read', { filterAt: { arg: 1, path: 'where' }, limitAt: TAKE1, many: true }),
        findOne: em('read', { filterAt: { arg: 1, path: 'where' }, lockAt: LOCK1 }),
        findOneBy: em('read', { filterAt: SECOND }),
        findOneOrFail: em('read', { filterAt: { arg: 1, path: 'where' }, throwsWhenEmpty: true }),
        findOneByOrFail: em('read', { filterAt: SECOND, throwsWhenEmpty: true }),
        count: em('read'),
        countBy: em('read'),
        exists: em('read'),
        existsBy: em('read'),
      },
    },
    TransactionManager: { extends: 'EntityManager', role: 'transaction' },
    Repository: {
      role: 'repository',
      members: {
        manager: { type: 'EntityManager' },
        createQueryBuilder: builder,
        query: sql,
        extend: SELF,
        create: PLAIN,
        merge: PLAIN,
        preload: repo('read'),
        save: repo('upsert', { dataAt: FIRST }),
        insert: repo('insert', { dataAt: FIRST }),
        update: repo('update', { filterAt: FIRST, dataAt: SECOND, many: true }),
        upsert: repo('upsert', { dataAt: FIRST }),
        delete: repo('delete', { filterAt: FIRST, many: true }),
        remove: repo('delete'),
        softDelete: repo('update', { filterAt: FIRST, many: true }),
        softRemove: repo('update'),
        recover: repo('update'),
        restore: repo('update', { filterAt: FIRST, many: true }),
        clear: repo('delete', { many: true }),
        increment: repo('increment', { filterAt: FIRST }),
        decrement: repo('increment', { filterAt: FIRST }),
        find: repo('read', { filterAt: WHERE0, limitAt: TAKE0, lockAt: LOCK0, many: true }),
        findBy: repo('read', { filterAt: FIRST, many: true }),
        findAndCount: repo('read', { filterAt: WHERE0, limitAt: TAKE0, many: true }),
        findAndCountBy: repo('read', { filterAt: FIRST, many: true }),
        findOne: repo('read', { filterAt: WHERE0, lockAt: LOCK0 }),
        findOneBy: repo('read', { filterAt: FIRST }),
        findOneOrFail: repo('read', { filterAt: WHERE0, throwsWhenEmpty: true }),
        findOneByOrFail: repo('read', { filterAt: FIRST, throwsWhenEmpty: true }),
        count: repo('read'),
        countBy: repo('read'),
        exist: repo('read'),
        exists: repo('read'),
        existsBy: repo('read'),
        sum: repo('read'),
      },
    },
    QueryRunner: {
      role: 'connection',
      release: ['release'],
      members: {
        connect: { call: { effect: { kind: 'connection', op: 'connect' } } },
        startTransaction: { call: { effect: { kind: 'db', op: 'begin' } } },
        commitTransaction: { call: { effect: { kind: 'db', op: 'commit' } } },
        rollbackTransaction: { call: { effect: { kind: 'db', op: 'rollback' } } },
        release: { call: { effect: { kind: 'connection', op: 'release' }, promise: true } },
        query: sql,
        manager: { type: 'TransactionManager' },
        connection: { type: 'DataSource' },
        dataSource: { type: 'DataSource' },
      },
    },
    Builder: {
      role: 'builder',
      members: {
        insert: { call: { returns: 'InsertBuilder', promise: false } },
        update: { call: { returns: 'UpdateBuilder', promise: false } },
        delete: { call: { returns: 'DeleteBuilder', promise: false } },
        softDelete: { call: { returns: 'UpdateBuilder', promise: false } },
        where: refine('filter'),
        andWhere: refine('filter'),
        orWhere: refine('filter'),
        whereInIds: refine('filter'),
        limit: refine('limit'),
        take: refine('limit'),
        setLock: refine('lock'),
        setOnLocked: refine('skip-locked'),
        getMany: rows,
        getManyAndCount: rows,
        getRawMany: rows,
        getRawAndEntities: rows,
        getOne: execute('read'),
        getOneOrFail: execute('read', { throwsWhenEmpty: true }),
        getRawOne: execute('read'),
        getCount: execute('read'),
        getExists: execute('read'),
        execute: execute('raw'),
        stream: rows,
      },
      rest: SELF,
    },
    InsertBuilder: {
      extends: 'Builder',
      members: {
        values: refine('values'),
        orUpdate: refine('upsert'),
        orIgnore: refine('upsert'),
        into: SELF,
        execute: execute('insert'),
      },
    },
    UpdateBuilder: {
      extends: 'Builder',
      members: { set: refine('values'), execute: execute('update', { many: true }) },
    },
    DeleteBuilder: { extends: 'Builder', members: { execute: execute('delete', { many: true }) } },
    // Active record: what `class X extends BaseEntity` offers.
    Entity: {
      members: {
        save: repo('upsert'),
        remove: repo('delete'),
        softRemove: repo('update'),
        reload: repo('read'),
      },
    },
    EntityStatic: { extends: 'Repository' },
  },
  exports: {
    DataSource: { construct: { type: 'DataSource' } },
    Repository: { construct: { type: 'Repository' } },
    EntityManager: { construct: { type: 'EntityManager' } },
    BaseEntity: { construct: { type: 'Entity', statics: 'EntityStatic' } },
    createConnection: { call: { returns: 'DataSource', promise: true } },
    getConnection: { call: { returns: 'DataSource', promise: false } },
    getManager: { call: { returns: 'EntityManager', promise: false } },
    getRepository: repositoryOf,
    getCustomRepository: repositoryOf,
  },
  typeNames: {
    Connection: 'DataSource',
    TreeRepository: 'Repository',
    MongoRepository: 'Repository',
    SelectQueryBuilder: 'Builder',
  },
  facts: [
    {
      topic: 'tx.handle',
      versions: '1.1.1',
      says: 'Only the manager that is handed to the callback, and repositories taken from it, take part; injected repositories do not.',
      source: 'entity-manager/EntityManager.js; typeorm/typeorm#4168',
    },
    {
      topic: 'leak.api',
      versions: '1.1.1',
      says: 'A query runner keeps its connection until `release()`; it is async disposable.',
      source: 'query-runner/QueryRunner.d.ts',
    },
    {
      topic: 'lock.api',
      versions: '1.1.1',
      says: '`lock` in find options and `setLock` need a transaction.',
      source: 'find-options/FindOneOptions.d.ts',
    },
    {
      topic: 'timeout.default',
      versions: '1.1.1',
      says: 'None; `maxQueryExecutionTime` only logs.',
      source: 'data-source/BaseDataSourceOptions.d.ts',
    },
  ],
});
