/** stripe: resources of the client, and webhook events that it verifies. */
import {
  definePack,
  type EffectOp,
  type EffectSpec,
  type IdempotencySpec,
  type MemberSpec,
} from './contract.ts';

/** The key is an option of the last argument, whose place depends on whether an id comes first. */
function key(arg: number): IdempotencySpec {
  return { at: { arg, path: 'idempotencyKey' }, automatic: true, property: 'idempotencyKey' };
}

function effect(op: EffectOp, options: number): EffectSpec {
  return {
    kind: 'sdk',
    op,
    entity: 'receiver-member',
    timeout: {
      // The timer is one of idleness; it still ends a call to a silent peer, which is what a request waits for.
      defaults: [{ range: '*', value: { idle: 80_000, total: 80_000 } }],
      instance: [{ arg: 1, path: 'timeout', bounds: 'total' }],
      call: [{ arg: options, path: 'timeout', bounds: 'total' }],
    },
    retry: {
      attempts: [
        { range: '>=13', value: 3 },
        { range: '*', value: 1 },
      ],
      backoff: 'exponential',
      jitter: true,
      methods: null,
    },
    ...(op === 'read' ? {} : { idempotency: key(options) }),
  };
}

const one = (op: EffectOp, options: number, returns = 'Object'): MemberSpec => ({
  call: { effect: effect(op, options), returns },
});

/** What every resource offers; the first argument is an id but for `create`, `list` and `search`. */
const common: Record<string, MemberSpec> = {
  create: one('create', 1),
  retrieve: one('read', 2),
  list: { call: { effect: effect('read', 1), returns: 'List' } },
  search: { call: { effect: effect('read', 1), returns: 'List' } },
  update: one('update', 2),
  del: one('delete', 1),
  cancel: one('update', 2),
};
const money: Record<string, MemberSpec> = {
  ...common,
  create: one('charge', 1),
  confirm: one('charge', 2),
  capture: one('charge', 2),
  pay: one('charge', 2),
};

export const pack = definePack({
  id: 'stripe',
  packages: ['stripe'],
  assumedVersion: '23.1.0',
  types: {
    Stripe: {
      role: 'client',
      members: {
        charges: { type: 'Money' },
        paymentIntents: { type: 'Money' },
        transfers: { type: 'Money' },
        payouts: { type: 'Money' },
        refunds: { type: 'Money' },
        topups: { type: 'Money' },
        invoices: { type: 'Invoices' },
        webhooks: { type: 'Webhooks' },
        checkout: { type: 'Group' },
        billingPortal: { type: 'Group' },
        billing: { type: 'Group' },
        issuing: { type: 'Group' },
        terminal: { type: 'Group' },
        identity: { type: 'Group' },
        tax: { type: 'Group' },
        treasury: { type: 'Group' },
        reporting: { type: 'Group' },
        entitlements: { type: 'Group' },
        financialConnections: { type: 'Group' },
        testHelpers: { type: 'Group' },
        v2: { type: 'Group' },
      },
      rest: { type: 'Resource' },
    },
    Group: { rest: { type: 'Resource' } },
    Resource: { members: common, rest: { call: { effect: effect('write', 2), returns: 'Object' } } },
    Money: { members: money, rest: { call: { effect: effect('write', 2), returns: 'Object' } } },
    Invoices: {
      members: { ...common, pay: one('charge', 2) },
      rest: { call: { effect: effect('write', 2), returns: 'Object' } },
    },
    Webhooks: {
      members: {
        constructEvent: { call: { returns: 'Event', promise: false } },
        constructEventAsync: { call: { returns: 'Event', promise: true } },
        generateTestHeaderString: { call: { promise: false } },
      },
    },
    /** A verified event; throws when the signature is wrong or older than five minutes. */
    Event: { role: 'message' },
    Object: {},
    List: { role: 'response' },
  },
  exports: {
    default: { call: { returns: 'Stripe' }, construct: { type: 'Stripe' } },
    Stripe: { call: { returns: 'Stripe' }, construct: { type: 'Stripe' } },
  },
  facts: [
    {
      topic: 'timeout.default',
      versions: '23.1.0',
      says: '80 s per attempt, counted while the socket is idle; no AbortSignal option.',
      source: 'cjs/stripe.core.js, cjs/utils.js',
    },
    {
      topic: 'retry.default',
      versions: '23.1.0',
      says: 'Two retries on 409, 5xx and connection errors, 0.5 s doubling with half jitter.',
      source: 'cjs/platform/PlatformFunctions.js, cjs/RequestSender.js',
    },
    {
      topic: 'idempotency',
      versions: '23.1.0',
      says: 'Each POST gets a generated key that its own retries share; a caller that repeats the call gets a new one unless it gives `idempotencyKey`.',
      source: 'cjs/RequestSender.js',
    },
    {
      topic: 'webhook',
      versions: '23.1.0',
      says: '`constructEvent(rawBody, header, secret)` verifies the unparsed body with a tolerance of 300 s.',
      source: 'cjs/Webhooks.js',
    },
  ],
});
