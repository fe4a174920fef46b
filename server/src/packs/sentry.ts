/** Sentry for servers: captures count as leaving a trace for people. */
import { definePack } from './contract.ts';

const capture = {
  call: { effect: { kind: 'log' as const, op: 'emit' as const, bestEffort: true }, promise: false },
};
const sync = (params: readonly (string | null)[] = [null]) => ({
  call: { returns: 'callback', callbacks: [{ arg: 'last' as const, role: 'sync' as const, params }] },
});

export const pack = definePack({
  id: 'sentry',
  packages: ['@sentry/node', '@sentry/*'],
  assumedVersion: '10.27.0',
  types: {
    Scope: {
      members: { captureException: capture, captureMessage: capture, captureEvent: capture },
    },
  },
  exports: {
    captureException: capture,
    captureMessage: capture,
    captureEvent: capture,
    captureFeedback: capture,
    captureCheckIn: capture,
    addBreadcrumb: capture,
    withScope: sync(['Scope']),
    withIsolationScope: sync(['Scope']),
    startSpan: sync(),
    startSpanManual: sync(),
    withMonitor: { call: { returns: 'callback', callbacks: [{ arg: 1, role: 'sync' }] } },
    getCurrentScope: { call: { returns: 'Scope' } },
    getIsolationScope: { call: { returns: 'Scope' } },
    flush: { call: { promise: true, rejects: false } },
    close: { call: { promise: true, rejects: false } },
  },
  facts: [
    {
      topic: 'capture',
      versions: '>=7',
      says: 'captureException returns an event id at once; sending happens in the background and does not throw.',
      source: 'packages/core/src/exports.ts',
    },
  ],
});
