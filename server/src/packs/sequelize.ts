/** Sequelize (and its TypeScript wrapper): models, instances, raw queries and both forms of `transaction`. */
import { definePack, type EffectOp, type EffectSpec, type MemberSpec } from './contract.ts';

const FIRST = { arg: 0, path: '' } as const;

function at(arg: number): Pick<EffectSpec, 'handleAt' | 'lockAt'> {
  return { handleAt: [{ arg, path: 'transaction' }], lockAt: [{ arg, path: 'lock' }] };
}
function on(
  op: EffectOp,
  options: number,
  returns: string | null,
  more: Partial<EffectSpec> = {},
): MemberSpec {
  return {
    call: {
      effect: { kind: 'db', op, entity: 'receiver-type', ...at(options), ...more },
      ...(returns ? { returns } : {}),
    },
  };
}
const where = (arg: number): Partial<EffectSpec> => ({ filterAt: { arg, path: 'where' } });
const limit = (arg: number): Partial<EffectSpec> => ({ limitAt: [{ arg, path: 'limit' }] });
const PLAIN: MemberSpec = { call: { promise: false } };
const ITEM: MemberSpec = { type: 'Model' };
const SAME_STATIC: MemberSpec = { call: { returns: 'self', promise: false } };

export const pack = definePack({
  id: 'sequelize',
  packages: ['sequelize', 'sequelize-typescript', '@sequelize/core', '@nestjs/sequelize'],
  assumedVersion: '6.37.8',
  types: {
    Sequelize: {
      role: 'client',
      members: {
        transaction: {
          call: {
            promise: true,
            returns: 'Transaction',
            callbacks: [{ arg: 'last', role: 'transaction', params: ['Transaction'] }],
          },
        },
        query: { call: { effect: { kind: 'db', op: 'raw', sqlAt: 0, ...at(1) } } },
        define: { call: { returns: 'ModelStatic', promise: false } },
        model: { call: { returns: 'ModelStatic', promise: false } },
        models: { type: 'Models' },
        authenticate: { call: { promise: true } },
        sync: { call: { promise: true } },
        close: { call: { promise: true } },
      },
    },
    Models: { rest: { type: 'ModelByName' } },
    ModelByName: { extends: 'ModelStatic' },
    Transaction: {
      role: 'transaction',
      release: ['commit', 'rollback'],
      members: {
        commit: { call: { effect: { kind: 'db', op: 'commit' } } },
        rollback: { call: { effect: { kind: 'db', op: 'rollback' } } },
        afterCommit: { call: { promise: false, callbacks: [{ arg: 0, role: 'after-commit' }] } },
      },
    },
    ModelStatic: {
      role: 'repository',
      construct: { type: 'Model' },
      members: {
        create: on('insert', 1, 'Model', { dataAt: FIRST }),
        bulkCreate: on('insert', 1, 'Models', { dataAt: FIRST, many: true }),
        update: on('update', 1, null, { dataAt: FIRST, ...where(1), many: true }),
        upsert: on('upsert', 1, null, { dataAt: FIRST }),
        destroy: on('delete', 0, null, { ...where(0), many: true }),
        truncate: on('delete', 0, null, { many: true }),
        restore: on('update', 0, null, { ...where(0), many: true }),
        increment: on('increment', 1, null, where(1)),
        decrement: on('increment', 1, null, where(1)),
        findAll: on('read', 0, 'ModelList', { ...where(0), ...limit(0), many: true }),
        findAndCountAll: on('read', 0, 'Page', { ...where(0), ...limit(0), many: true }),
        findOne: on('read', 0, 'Model', where(0)),
        findByPk: on('read', 1, 'Model'),
        findOrCreate: {
          call: {
            effect: { kind: 'db', op: 'upsert', entity: 'receiver-type', ...at(0), ...where(0) },
            returnsItems: ['Model', null],
          },
        },
        findOrBuild: {
          call: {
            effect: { kind: 'db', op: 'read', entity: 'receiver-type', ...at(0) },
            returnsItems: ['Model', null],
          },
        },
        findCreateFind: {
          call: {
            effect: { kind: 'db', op: 'upsert', entity: 'receiver-type', ...at(0) },
            returnsItems: ['Model', null],
          },
        },
        count: on('read', 0, null, where(0)),
        sum: on('read', 1, null),
        max: on('read', 1, null),
        min: on('read', 1, null),
        build: { call: { returns: 'Model', promise: false } },
        scope: SAME_STATIC,
        unscoped: SAME_STATIC,
        schema: SAME_STATIC,
        sequelize: { type: 'Sequelize' },
        init: PLAIN,
        hasMany: PLAIN,
        belongsTo: PLAIN,
        addHook: PLAIN,
      },
    },
    Model: {
      members: {
        save: on('upsert', 0, 'self'),
        update: on('update', 1, 'self', { dataAt: FIRST }),
        destroy: on('delete', 0, null),
        restore: on('update', 0, null),
        increment: on('increment', 1, null),
        decrement: on('increment', 1, null),
        reload: on('read', 0, 'self'),
        set: { call: { returns: 'self', promise: false } },
        get: PLAIN,
        toJSON: PLAIN,
        changed: PLAIN,
        sequelize: { type: 'Sequelize' },
      },
    },
    ModelList: { members: { '*item': ITEM, '*': ITEM } },
    Page: { members: { rows: { type: 'ModelList' } } },
  },
  exports: {
    Sequelize: { construct: { type: 'Sequelize' } },
    default: { construct: { type: 'Sequelize' } },
    Model: { construct: { type: 'Model', statics: 'ModelStatic' } },
  },
  typeNames: { ModelStatic: 'ModelStatic', ModelCtor: 'ModelStatic' },
  facts: [
    {
      topic: 'tx.handle',
      versions: '6.37.8',
      says: 'Each call names `{ transaction }` unless CLS is on; one that does not runs on another connection.',
      source: 'lib/sequelize.js; sequelize/sequelize#11995',
    },
    {
      topic: 'pool.default',
      versions: '6.37.8',
      says: 'At most 5 connections; waiting for one ends after 60 s.',
      source: 'lib/dialects/abstract/connection-manager.js',
    },
    {
      topic: 'tx.after-commit',
      versions: '6.37.8',
      says: '`transaction.afterCommit(fn)` runs once the commit is through.',
      source: 'lib/transaction.js',
    },
    {
      topic: 'upsert',
      versions: '6.37.8',
      says: '`findOrCreate` opens its own transaction and falls back on the unique violation.',
      source: 'lib/model.js',
    },
  ],
});
