import { strict as assert } from 'node:assert';
import { callEffects } from '../support/callEffects.ts';

describe('pack ioredis', () => {
  it('knows clients and clusters by import, require and type', () => {
    assert.deepEqual(
      callEffects(`import Redis, { Cluster } from 'ioredis';
const redis = new Redis(process.env.REDIS_URL);
const cluster = new Cluster([]);
await redis.set('k', 'v', 'PX', 100, 'NX');
await cluster.incr('n');
export async function f(r: Redis) { await r.lpush('l', '1'); }`),
      ['set → ioredis.Redis write', 'incr → ioredis.Redis increment', 'lpush → ioredis.Redis insert'],
    );
    assert.deepEqual(
      callEffects(`const Redis = require('ioredis');\nconst r = new Redis();\nr.publish('c', 'm');`),
      ['publish → ioredis.Redis publish'],
    );
  });
  it('counts a pipeline once', () => {
    assert.deepEqual(
      callEffects(
        `import { Redis } from 'ioredis';\nconst r = new Redis();\nawait r.pipeline().set('a', 1).expire('a', 5).exec();`,
      ),
      ['exec → ioredis.Pipeline write'],
    );
  });
  it('knows the hosted client that shares its commands', () => {
    assert.deepEqual(
      callEffects(
        `import { Redis } from '@upstash/redis';\nconst r = Redis.fromEnv();\nawait r.getset('a', 'b');`,
      ),
      ['getset → ioredis.Redis write'],
    );
  });
});
