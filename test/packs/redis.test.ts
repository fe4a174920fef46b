import { strict as assert } from 'node:assert';
import { callEffects } from '../support/callEffects.ts';

describe('pack redis', () => {
  it('knows commands in every spelling', () => {
    assert.deepEqual(
      callEffects(`import { createClient } from 'redis';
const client = createClient({ url: 'redis://cache' });
await client.get('a');
await client.setNX('a', '1');
await client.set('a', '1', { NX: true, PX: 100 });
await client.hIncrBy('h', 'n', 1);
await client.EXPIRE('a', 1);
await client.xAck('s', 'g', 'id');`),
      [
        'get → redis.Client read',
        'setNX → redis.Client write',
        'set → redis.Client write',
        'hIncrBy → redis.Client increment',
        'EXPIRE → redis.Client update',
        'xAck → redis.Client ack',
      ],
    );
  });
  it('counts a transaction once, at exec', () => {
    assert.deepEqual(
      callEffects(`const { createClient } = require('redis');
const client = createClient();
client.multi().incr('n').expire('n', 60).exec();`),
      ['exec → redis.Multi write'],
    );
  });
  it('follows awaited connects, typed parameters and pools', () => {
    assert.deepEqual(
      callEffects(`import { createClient, createClientPool, type RedisClientType } from 'redis';
const ready = await createClient().connect();
await ready.del('a');
export class Store { constructor(private readonly client: RedisClientType) {} n() { return this.client.incr('n'); } }
const pool = createClientPool();
await pool.execute(async c => { await c.lPush('l', 'x'); });`),
      [
        'connect → redis.Client connect',
        'del → redis.Client delete',
        'incr → redis.Client increment',
        'lPush → redis.Client insert',
      ],
    );
  });
  it('says nothing of other clients', () => {
    assert.deepEqual(
      callEffects(`import { createClient } from './own';\nconst c = createClient();\nawait c.get('a');`),
      [],
    );
  });
});
