/** Packs of policies: what they do with the function they are given. */
import { strict as assert } from 'node:assert';
import { rolesOf } from '../support/packProbe.ts';

describe('packs: policies', () => {
  it('retries', () => {
    assert.deepEqual(
      rolesOf(`import pRetry from 'p-retry';
import retry from 'async-retry';
import { backOff } from 'exponential-backoff';
import { operation } from 'retry';
pRetry(() => 1);
retry(() => 1);
backOff(() => 1);
operation({}).attempt(() => 1);`),
      ['pRetry: retry', 'retry: retry', 'backOff: retry', 'operation({}).attempt: retry'],
    );
  });
  it('limits', () => {
    assert.deepEqual(
      rolesOf(`import pLimit from 'p-limit';
import pMap from 'p-map';
import PQueue from 'p-queue';
import Bottleneck from 'bottleneck';
const limit = pLimit(3);
limit(() => 1);
pMap([], () => 1);
new PQueue().add(() => 1);
new Bottleneck().schedule(() => 1);`),
      ['limit: limit', 'pMap: limit', 'new PQueue().add: limit', 'new Bottleneck().schedule: limit'],
    );
  });
  it('cockatiel and opossum', () => {
    assert.deepEqual(
      rolesOf(`import { retry, timeout, handleAll, wrap } from 'cockatiel';
import CircuitBreaker from 'opossum';
retry(handleAll, {}).execute(() => 1);
timeout(100).execute(() => 1);
wrap(retry(handleAll), timeout(1)).execute(() => 1);
new CircuitBreaker(() => 1, {});`),
      [
        'retry(handleAll, {}).execute: retry',
        'timeout(100).execute: timeout',
        'wrap(retry(handleAll), timeout(1)).execute: timeout',
        'CircuitBreaker: timeout',
      ],
    );
  });
  it("a retry of one's own", () => {
    assert.deepEqual(
      rolesOf(`async function again(fn: () => Promise<void>) { for (let i = 0; i < 3; i++) { try { return await fn(); } catch { /* again */ } } }
again(async () => {});`).map((x) => x.replace('sync+', '')),
      ['again: retry'],
    );
  });
});
