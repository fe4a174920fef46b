/** nodemailer: transports and `sendMail`. */
import { definePack, type EffectSpec } from './contract.ts';

const send: EffectSpec = {
  kind: 'mail',
  op: 'send',
  timeout: {
    // Phase timers of minutes; together they end a call to a silent server.
    defaults: [{ range: '*', value: { connect: 120_000, headers: 30_000, idle: 600_000, total: 600_000 } }],
    instance: [
      { arg: 0, path: 'connectionTimeout', bounds: 'connect' },
      { arg: 0, path: 'greetingTimeout', bounds: 'headers' },
      { arg: 0, path: 'socketTimeout', bounds: 'total' },
    ],
  },
};

export const pack = definePack({
  id: 'nodemailer',
  packages: ['nodemailer'],
  assumedVersion: '10.6.1',
  types: {
    Transporter: {
      role: 'client',
      members: {
        sendMail: { call: { effect: send } },
        verify: { call: { promise: true } },
        close: { call: { promise: false } },
      },
    },
  },
  exports: {
    createTransport: { call: { returns: 'Transporter', promise: false } },
    'default.createTransport': { call: { returns: 'Transporter', promise: false } },
  },
  facts: [
    {
      topic: 'timeout.default',
      versions: '10.6.1',
      says: 'Connect 2 min, greeting 30 s, idle socket 10 min.',
      source: 'dist/esm/smtp-connection/index.js',
    },
    {
      topic: 'retry.default',
      versions: '10.6.1',
      says: 'sendMail is not repeated, and has no idempotency key: a repeated send is a second mail.',
      source: 'dist/esm/smtp-pool/index.js',
    },
  ],
});
