/** The shape that clients of language-model providers share: resources at any depth, ten minutes and two repeats a call. */
import type { EffectOp, EffectSpec, MemberSpec, TypeSpec } from '../contract.ts';

function effect(op: EffectOp, options: number): EffectSpec {
  return {
    kind: 'sdk',
    op,
    // A generation that runs twice costs twice and corrupts nothing.
    idempotent: true,
    timeout: {
      defaults: [{ range: '*', value: { total: 600_000 } }],
      instance: [{ arg: 0, path: 'timeout', bounds: 'total' }],
      call: [{ arg: options, path: 'timeout', bounds: 'total' }],
      signal: [{ arg: options, path: 'signal' }],
      fix: { style: 'option', arg: options, path: 'timeout' },
    },
    retry: {
      attempts: [{ range: '*', value: 3 }],
      attemptsOption: [{ arg: options, path: 'maxRetries', counts: 'retries' }],
      backoff: 'exponential',
      jitter: true,
      methods: null,
    },
  };
}

const one = (op: EffectOp, options: number): MemberSpec => ({
  call: { effect: effect(op, options), returns: 'Answer' },
});

export const modelClientTypes: Readonly<Record<string, TypeSpec>> = {
  Client: {
    role: 'client',
    members: { withOptions: { call: { returns: 'self' } } },
    rest: { type: 'Resource' },
  },
  Resource: {
    members: {
      create: one('create', 1),
      parse: one('create', 1),
      stream: { call: { effect: effect('create', 1), promise: false } },
      retrieve: one('read', 1),
      list: one('read', 1),
      generate: one('create', 1),
      edit: one('create', 1),
      countTokens: one('read', 1),
      update: one('update', 2),
      del: one('delete', 1),
      delete: one('delete', 1),
      cancel: one('update', 1),
      content: one('read', 1),
    },
    rest: { type: 'Resource' },
  },
  Answer: { role: 'response' },
};
