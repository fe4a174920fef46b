/** ClickHouse: the official client. An analytical store without transactions, so its calls are a provider's, not a database's. */
import { definePack, type EffectOp, type EffectSpec, type MemberSpec } from './contract.ts';

function call(op: EffectOp, more: Partial<EffectSpec> = {}): MemberSpec {
  return {
    call: {
      effect: {
        kind: 'sdk',
        op,
        timeout: {
          defaults: [{ range: '*', value: { total: 30_000 } }],
          instance: [{ arg: 0, path: 'request_timeout', bounds: 'total' }],
          signal: [{ arg: 0, path: 'abort_signal' }],
          fix: { style: 'signal', arg: 0, path: 'abort_signal' },
        },
        ...more,
      },
      returns: 'Answer',
    },
  };
}

export const pack = definePack({
  id: 'clickhouse',
  packages: ['@clickhouse/client', '@clickhouse/client-web'],
  assumedVersion: '1.23.1',
  types: {
    Client: {
      role: 'client',
      members: {
        query: call('read'),
        insert: call('create', { entity: { arg: 0, path: 'table' }, dataAt: { arg: 0, path: 'values' } }),
        command: call('write'),
        exec: call('write'),
        ping: call('read'),
        close: { call: { promise: true } },
      },
    },
    Answer: {
      role: 'response',
      members: {
        json: { call: { promise: true } },
        text: { call: { promise: true } },
        stream: { call: { promise: false } },
      },
    },
  },
  exports: { createClient: { call: { returns: 'Client', promise: false } } },
  typeNames: { ClickHouseClient: 'Client', NodeClickHouseClient: 'Client' },
  facts: [
    {
      topic: 'timeout.default',
      versions: '1.23.1',
      says: 'Every request ends after `request_timeout`, 30 s unless set; ten connections at most.',
      source: 'dist/common/config.js',
    },
  ],
});
