/** The shape that the clients of Elasticsearch and OpenSearch share. */
import type { EffectOp, EffectSpec, MemberSpec, TimeoutSpec, TypeSpec } from '../contract.ts';

/** `defaults` is what holds where nobody sets `requestTimeout`. */
export function searchClientTypes(defaults: TimeoutSpec['defaults']): Readonly<Record<string, TypeSpec>> {
  const timeout: TimeoutSpec = {
    defaults,
    instance: [{ arg: 0, path: 'requestTimeout', bounds: 'total' }],
    call: [{ arg: 1, path: 'requestTimeout', bounds: 'total' }],
    signal: [{ arg: 1, path: 'signal' }],
    clientFix: { arg: 0, property: 'requestTimeout: $ms' },
    fix: { style: 'option', arg: 1, path: 'requestTimeout' },
  };
  const one = (op: EffectOp, more: Partial<EffectSpec> = {}): MemberSpec => ({
    call: {
      effect: {
        kind: 'sdk',
        op,
        timeout,
        entity: { arg: 0, path: 'index' },
        retry: { attempts: [{ range: '*', value: 4 }], backoff: 'none', jitter: false, methods: null },
        ...more,
      },
      returns: 'Answer',
    },
  });
  return {
    Client: {
      role: 'client',
      members: {
        search: one('read'),
        msearch: one('read'),
        get: one('read'),
        mget: one('read'),
        exists: one('read'),
        count: one('read'),
        // A document with an id of its own is set; the caller's choice, which the text does not always show.
        index: one('upsert'),
        create: one('create', { idempotent: true }),
        update: one('update'),
        delete: one('delete'),
        bulk: one('write', { many: true }),
        updateByQuery: one('update', { many: true }),
        deleteByQuery: one('delete', { many: true }),
        reindex: one('write', { many: true }),
        ping: one('read'),
        info: one('read'),
        close: { call: { promise: true } },
      },
      rest: { type: 'Area' },
    },
    /** `client.indices`, `client.cluster` and the like. */
    Area: { rest: one('write', { idempotent: true }) },
    Answer: { role: 'response' },
  };
}
