import { strict as assert } from 'node:assert';
import { callEffects } from '../support/callEffects.ts';
import { effectsOf, rolesOf } from '../support/packProbe.ts';

const manifest = (versions: Readonly<Record<string, string>>): Record<string, string> => ({
  'package.json': JSON.stringify({ name: 'app', dependencies: versions }),
});

describe('pack clickhouse', () => {
  it('knows the client, its bound and where the table is named', () => {
    const code = `import { createClient } from '@clickhouse/client';
const ch = createClient({ url });
const slow = createClient({ url, request_timeout: 300_000 });
await ch.insert({ table: 'Visits', values });
await slow.query({ query: 'SELECT 1' });`;
    assert.deepEqual(callEffects(code), [
      'insert → clickhouse.Client create visits',
      'query → clickhouse.Client read',
    ]);
    assert.deepEqual(effectsOf(code), [
      'ch.insert: sdk/create total=30000',
      'slow.query: sdk/read total=300000',
    ]);
  });
});

describe('packs elasticsearch and opensearch', () => {
  const code = (from: string): string => `import { Client } from '${from}';
const es = new Client({ node });
await es.search({ index: 'goods' });
await es.index({ index: 'goods', document }, { requestTimeout: 2000 });
await es.indices.refresh({ index: 'goods' });`;
  it('have no bound of their own from Elasticsearch 9 on, and one before and in OpenSearch', () => {
    assert.deepEqual(
      effectsOf(code('@elastic/elasticsearch'), manifest({ '@elastic/elasticsearch': '^9.1.0' })),
      [
        'es.search: sdk/read total=null',
        'es.index: sdk/upsert total=2000',
        'es.indices.refresh: sdk/write total=null',
      ],
    );
    assert.equal(
      effectsOf(code('@elastic/elasticsearch'), manifest({ '@elastic/elasticsearch': '^8.15.0' }))[0],
      'es.search: sdk/read total=30000',
    );
    assert.equal(effectsOf(code('@opensearch-project/opensearch'))[0], 'es.search: sdk/read total=30000');
  });
});

describe('pack supabase', () => {
  it('takes the last call that does something, and a signal in the chain for its bound', () => {
    assert.deepEqual(
      effectsOf(`import { createClient } from '@supabase/supabase-js';
const db = createClient(url, key);
await db.from('guests').select('id').eq('event', id);
await db.from('guests').insert(guest).abortSignal(AbortSignal.timeout(500));`),
      ["db.from('guests').select: sdk/read total=null", "db.from('guests').insert: sdk/create total=set"],
    );
  });
});

describe('pack firestore', () => {
  it('knows documents by every way to the client, and what is within a transaction', () => {
    assert.deepEqual(
      callEffects(`import { getFirestore } from 'firebase-admin/firestore';
const db = getFirestore();
await db.collection('seats').doc(id).update({ taken: true });
await db.runTransaction(async (tx) => { const seat = await tx.get(ref); tx.set(ref, { taken: true }); });`),
      [
        'update → firestore.Doc update seats',
        'get → firestore.Transaction read',
        'set → firestore.Transaction upsert',
      ],
    );
    assert.deepEqual(
      callEffects(`import * as admin from 'firebase-admin';\nawait admin.firestore().doc('a/b').get();`),
      ['get → firestore.Doc read a/b'],
    );
    assert.deepEqual(
      rolesOf(`import { Firestore } from '@google-cloud/firestore';
const db = new Firestore();
db.runTransaction(async (tx) => {});`),
      ['db.runTransaction: transaction'],
    );
  });
});

describe('pack grpc', () => {
  it('has no bound without a deadline, and claims none where metadata may be the options', () => {
    assert.deepEqual(
      effectsOf(`import * as grpc from '@grpc/grpc-js';
const proto = grpc.loadPackageDefinition(definition);
const rates = new proto.rates.v1.Rates(address, credentials);
rates.getRate(request, (error, rate) => {});
rates.getRate(request, { deadline: 2000 }, (error, rate) => {});
rates.getRate(request, new grpc.Metadata(), { deadline: 2000 }, (error, rate) => {});
rates.close();`).map((line) => line.replace(/^rates\.getRate: /, '')),
      ['rpc/request total=null', 'rpc/request total=2000', 'rpc/request total=?'],
    );
  });
});

describe('pack nestAxios', () => {
  it('knows the method through an injected service, and claims no bound', () => {
    assert.deepEqual(
      effectsOf(`import { HttpService } from '@nestjs/axios';
export class Rates { constructor(private readonly http: HttpService) {}
  load() { return this.http.post('/rates', {}); } }`).map((line) => line.split(' total')[0]),
      ['this.http.post: http/request POST'],
    );
  });
});

describe('packs inngest and trigger.dev', () => {
  it('know what is kept once it is done', () => {
    assert.deepEqual(
      rolesOf(`import { Inngest } from 'inngest';
const inngest = new Inngest({ id: 'shop' });
export const f = inngest.createFunction({ id: 'x' }, { event: 'y' }, async ({ event, step }) => {
  await step.run('charge', async () => pay(event.data));
});`),
      ['inngest.createFunction: consumer', 'step.run: step'],
    );
    assert.deepEqual(
      rolesOf(`import { task } from '@trigger.dev/sdk';
export const send = task({ id: 'send', run: async (payload) => {} });`),
      ['task: consumer'],
    );
  });
  it('know what starts one', () => {
    assert.deepEqual(
      callEffects(`import { Inngest } from 'inngest';
import { task, tasks } from '@trigger.dev/sdk/v3';
const inngest = new Inngest({ id: 'shop' });
const send = task({ id: 'send', run: async () => {} });
await inngest.send({ name: 'paid', data });
await send.trigger({ id: 1 });
await tasks.trigger('send', { id: 1 }, { idempotencyKey: 'k' });`),
      [
        'send → inngest.Client publish',
        'trigger → triggerDev.Task publish',
        'trigger → triggerDev.Tasks publish',
      ],
    );
  });
});

describe('pack qstash', () => {
  it('publishes, straight or through a queue', () => {
    assert.deepEqual(
      callEffects(`import { Client } from '@upstash/qstash';
const q = new Client({ token });
await q.publishJSON({ url, body });
await q.queue({ queueName: 'mails' }).enqueueJSON({ url, body });`),
      ['publishJSON → qstash.Client publish', 'enqueueJSON → qstash.Queue publish'],
    );
  });
});

describe('pack lruCache', () => {
  it('does nothing outside of the process', () => {
    assert.deepEqual(
      callEffects(
        `import { LRUCache } from 'lru-cache';\nconst c = new LRUCache({ max: 5 });\nc.set('a', 1);`,
      ),
      [],
    );
  });
});
