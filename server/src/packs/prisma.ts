/** Prisma Client: the client with its delegates, raw queries, and both forms of `$transaction`. */
import { definePack, type CallSpec, type EffectOp, type EffectSpec, type MemberSpec } from './contract.ts';

const WHERE = { arg: 0, path: 'where' } as const;
const DATA = { arg: 0, path: 'data' } as const;
const TAKE = [{ arg: 0, path: 'take' }] as const;

function on(op: EffectOp, more: Partial<EffectSpec> = {}): MemberSpec {
  return { call: { effect: { kind: 'db', op, entity: 'receiver-member', ...more } } };
}
function sql(tag: boolean): MemberSpec {
  const call: CallSpec = { effect: { kind: 'db', op: 'raw', sqlAt: 0 } };
  return tag ? { call, tag: { effect: { kind: 'db', op: 'raw', sqlAt: 'tag' } } } : { call };
}
const PROMISE: MemberSpec = { call: { promise: true } };

export const pack = definePack({
  id: 'prisma',
  packages: ['@prisma/client', '.prisma/client', '@prisma/client/*', '@prisma/*'],
  paths: [
    '(?:^|/)generated/',
    '(?:^|/)prisma/client(?:/|$)',
    '(?:^|/)prisma-client(?:/|$)',
    '(?:^|/)\\.prisma/',
  ],
  assumedVersion: '7.10.0',
  types: {
    PrismaClient: {
      role: 'client',
      members: {
        $transaction: {
          call: {
            promise: true,
            callbacks: [
              {
                arg: 0,
                role: 'transaction',
                params: ['TransactionClient'],
                limit: {
                  defaults: [{ range: '*', value: 5000 }],
                  call: { arg: 1, path: 'timeout' },
                  instance: { arg: 0, path: 'transactionOptions.timeout', range: '>=5.10.0' },
                  error: 'P2028',
                  library: 'Prisma',
                },
              },
            ],
          },
        },
        $extends: { call: { returns: 'self', promise: false } },
        $queryRaw: sql(true),
        $executeRaw: sql(true),
        $queryRawUnsafe: sql(false),
        $executeRawUnsafe: sql(false),
        $queryRawTyped: { call: { effect: { kind: 'db', op: 'raw' } } },
        $connect: PROMISE,
        $disconnect: PROMISE,
        $on: { call: { callbacks: [{ arg: 1, role: 'listener' }], promise: false } },
        $use: { call: { promise: false } },
      },
      rest: { type: 'Delegate' },
    },
    TransactionClient: { extends: 'PrismaClient', role: 'transaction' },
    Delegate: {
      role: 'repository',
      members: {
        create: on('insert', { dataAt: DATA }),
        createMany: on('insert', { dataAt: DATA, many: true }),
        createManyAndReturn: on('insert', { dataAt: DATA, many: true }),
        update: on('update', { filterAt: WHERE, dataAt: DATA, throwsWhenEmpty: true }),
        updateMany: on('update', { filterAt: WHERE, dataAt: DATA, many: true }),
        updateManyAndReturn: on('update', { filterAt: WHERE, dataAt: DATA, many: true }),
        upsert: on('upsert', { filterAt: WHERE, dataAt: { arg: 0, path: 'create' } }),
        delete: on('delete', { filterAt: WHERE, throwsWhenEmpty: true }),
        deleteMany: on('delete', { filterAt: WHERE, many: true }),
        findUnique: on('read', { filterAt: WHERE }),
        findUniqueOrThrow: on('read', { filterAt: WHERE, throwsWhenEmpty: true }),
        findFirst: on('read', { filterAt: WHERE }),
        findFirstOrThrow: on('read', { filterAt: WHERE, throwsWhenEmpty: true }),
        findMany: on('read', { filterAt: WHERE, limitAt: TAKE, many: true }),
        count: on('read', { filterAt: WHERE }),
        aggregate: on('read', { filterAt: WHERE }),
        groupBy: on('read', { filterAt: WHERE }),
      },
    },
  },
  exports: {
    PrismaClient: { construct: { type: 'PrismaClient' } },
    'Prisma.sql': { tag: {} },
    'Prisma.join': { call: {} },
    'Prisma.raw': { call: {} },
  },
  typeNames: {
    'Prisma.TransactionClient': 'TransactionClient',
    'Prisma.DefaultPrismaClient': 'PrismaClient',
  },
  facts: [
    {
      topic: 'timeout.default',
      versions: '7.10.0',
      says: 'An interactive transaction waits 2 s for a connection and is rolled back after 5 s; single queries have no client-side bound.',
      source: '@prisma/client runtime, transactionOptions defaults',
    },
    {
      topic: 'timeout.scope',
      versions: '7.10.0',
      says: 'The timeout rolls back but does not stop the callback: its next statement, or the commit, is refused with P2028, and the outer promise settles when the callback does.',
      source: '@prisma/client-engine-runtime transaction manager; prisma/orm#17245',
    },
    {
      topic: 'tx.handle',
      versions: '7.10.0',
      says: 'Only calls on the callback parameter take part; the outer client takes another connection.',
      source: 'prisma/orm#12277',
    },
    {
      topic: 'n+1',
      versions: '7.10.0',
      says: 'findUnique calls made in one tick are joined into one query.',
      source: 'runtime, batching of findUnique',
    },
  ],
});
