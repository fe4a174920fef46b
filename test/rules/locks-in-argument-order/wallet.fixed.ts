import type { Pool, PoolClient } from 'pg';

async function inTransaction<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}
async function purse(client: PoolClient, owner: string) {
  const { rows } = await client.query('SELECT owner, coins FROM purses WHERE owner = $1 FOR UPDATE', [owner]);
  if (rows.length === 0) throw new Error('no purse');
  return rows[0];
}
export function give(pool: Pool, giver: string, taker: string, coins: number) {
  return inTransaction(pool, async client => {
    const [firstKey, secondKey] = giver < taker ? [giver, taker] : [taker, giver];
    const first = await purse(client, firstKey);
    const second = await purse(client, secondKey);
    const source = firstKey === giver ? first : second;
    const target = firstKey === giver ? second : first;
    if (source.coins < coins) throw new Error('too little');
    await client.query('UPDATE purses SET coins = coins - $1 WHERE owner = $2', [coins, source.owner]);
    await client.query('UPDATE purses SET coins = coins + $1 WHERE owner = $2', [coins, target.owner]); // ok: locks-in-argument-order
  });
}
export function spend(pool: Pool, owner: string, coins: number) {
  return inTransaction(pool, async client => {
    const own = await purse(client, owner); // ok: locks-in-argument-order
    if (own.coins < coins) throw new Error('too little');
    await client.query('UPDATE purses SET coins = coins - $1 WHERE owner = $2', [coins, owner]); // ok: locks-in-argument-order
  });
}
export function giveSorted(pool: Pool, giver: string, taker: string, coins: number) {
  return inTransaction(pool, async client => {
    const [low, high] = [giver, taker].sort();
    await purse(client, low ?? giver);
    await purse(client, high ?? taker); // ok: locks-in-argument-order
    await client.query('UPDATE purses SET coins = coins - $1 WHERE owner = $2', [coins, giver]);
    await client.query('UPDATE purses SET coins = coins + $1 WHERE owner = $2', [coins, taker]);
  });
}
export function giveCompared(pool: Pool, giver: string, taker: string) {
  return inTransaction(pool, async client => {
    if (giver < taker) {
      await purse(client, giver);
      await purse(client, taker); // ok: locks-in-argument-order
    } else {
      await purse(client, taker);
      await purse(client, giver); // ok: locks-in-argument-order
    }
  });
}
export function giveAtOnce(pool: Pool, giver: string, taker: string) {
  return inTransaction(pool, async client => {
    await client.query('SELECT owner FROM purses WHERE owner IN ($1, $2) ORDER BY owner FOR UPDATE', [giver, taker]); // ok: locks-in-argument-order
    await client.query('UPDATE purses SET coins = coins - 1 WHERE owner = $1', [giver]);
    await client.query('UPDATE purses SET coins = coins + 1 WHERE owner = $1', [taker]); // ok: locks-in-argument-order
  });
}
