/** @anthropic-ai/sdk: the client and its resources, at any depth (`client.a.b.create`). */
import { definePack, type EffectOp, type EffectSpec, type MemberSpec } from './contract.ts';

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

export const pack = definePack({
  id: 'anthropic',
  packages: ['@anthropic-ai/sdk'],
  assumedVersion: '1.14.0',
  types: {
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
  },
  exports: {
    default: { construct: { type: 'Client' } },
    Anthropic: { construct: { type: 'Client' } },
    AnthropicBedrock: { construct: { type: 'Client' } },
  },
  facts: [
    {
      topic: 'timeout.default',
      versions: '1.14.0',
      says: 'Ten minutes per attempt; the timer ends when the headers arrive.',
      source: 'client.js',
    },
    {
      topic: 'retry.default',
      versions: '1.14.0',
      says: 'Two retries of any method on connection errors, 408, 409, 429 and 5xx, growing with jitter; Retry-After is honoured.',
      source: 'client.js',
    },
    { topic: 'idempotency', versions: '1.14.0', says: 'Retried requests carry no key.', source: 'client.js' },
  ],
});
