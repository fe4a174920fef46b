/** twilio: `client.messages.create` and the resources around it. */
import { definePack, type EffectOp, type EffectSpec, type MemberSpec } from './contract.ts';

function effect(op: EffectOp): EffectSpec {
  return {
    kind: 'sdk',
    op,
    timeout: {
      defaults: [{ range: '*', value: { total: 30_000 } }],
      instance: [{ arg: 2, path: 'timeout', bounds: 'total' }],
    },
  };
}
const call = (op: EffectOp): MemberSpec => ({ call: { effect: effect(op) } });
const sending: Record<string, MemberSpec> = {
  create: call('send'),
  list: call('read'),
  fetch: call('read'),
  update: call('update'),
  remove: call('delete'),
};

export const pack = definePack({
  id: 'twilio',
  packages: ['twilio'],
  assumedVersion: '6.3.1',
  types: {
    Twilio: {
      role: 'client',
      members: { messages: { type: 'Sending' }, calls: { type: 'Sending' } },
      rest: { type: 'Resource' },
    },
    Sending: { members: sending, call: { returns: 'Sending' } },
    Resource: {
      members: { ...sending, create: call('create') },
      rest: { type: 'Resource' },
      call: { returns: 'Resource' },
    },
  },
  exports: {
    default: { call: { returns: 'Twilio' }, construct: { type: 'Twilio' } },
    Twilio: { construct: { type: 'Twilio' } },
  },
  facts: [
    { topic: 'timeout.default', versions: '6.3.1', says: '30 s.', source: 'lib/base/RequestClient.js' },
    {
      topic: 'retry.default',
      versions: '6.3.1',
      says: 'Off; `autoRetry` repeats 429 only.',
      source: 'lib/base/RequestClient.js',
    },
  ],
});
