/** Supabase: tables over HTTP. Failures come back as `error`, they do not reject; there are no transactions. */
import { definePack, type EffectOp, type MemberSpec, type TimeoutSpec } from './contract.ts';

const timeout: TimeoutSpec = {
  defaults: [{ range: '*', value: { total: null } }],
  instance: [{ arg: 2, path: 'db.timeout', bounds: 'total' }],
};

const run = (op: EffectOp): MemberSpec => ({
  call: {
    effect: { kind: 'sdk', op, entity: 'receiver-type', timeout },
    returns: 'Filter',
    lazy: true,
    rejects: false,
  },
});
const SELF: MemberSpec = { call: { returns: 'self', promise: false } };

export const pack = definePack({
  id: 'supabase',
  packages: ['@supabase/supabase-js', '@supabase/postgrest-js'],
  assumedVersion: '2.109.0',
  types: {
    Client: {
      role: 'client',
      members: {
        from: { call: { returns: 'Table', promise: false } },
        schema: { call: { returns: 'self', promise: false } },
        rpc: {
          call: {
            effect: { kind: 'sdk', op: 'write', timeout },
            returns: 'Filter',
            lazy: true,
            rejects: false,
          },
        },
      },
    },
    Table: {
      members: {
        select: run('read'),
        insert: run('create'),
        update: run('update'),
        upsert: run('upsert'),
        delete: run('delete'),
      },
    },
    Filter: {
      role: 'builder',
      members: {
        limit: { call: { returns: 'self', refines: 'limit', promise: false } },
        range: { call: { returns: 'self', refines: 'limit', promise: false } },
        single: { call: { returns: 'self', refines: 'limit', promise: false } },
        maybeSingle: { call: { returns: 'self', refines: 'limit', promise: false } },
        abortSignal: { call: { returns: 'self', refines: 'signal', promise: false } },
      },
      rest: SELF,
    },
  },
  exports: { createClient: { call: { returns: 'Client', promise: false } } },
  typeNames: { SupabaseClient: 'Client' },
  facts: [
    {
      topic: 'timeout.default',
      versions: '2.109.0',
      says: 'None, unless `db.timeout` is set or the builder is given `.abortSignal()`.',
      source: '@supabase/postgrest-js dist/index.cjs',
    },
    {
      topic: 'errors',
      versions: '2.109.0',
      says: 'Failures are in `error` of the answer; only `.throwOnError()` makes them reject.',
      source: '@supabase/postgrest-js dist/index.cjs',
    },
  ],
});
