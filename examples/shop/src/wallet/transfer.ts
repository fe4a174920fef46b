import type { PoolClient } from 'pg';
import { pool } from '../clients.ts';

async function inTransaction<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
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

async function lockWallet(client: PoolClient, id: string): Promise<number> {
  const { rows } = await client.query('SELECT cents FROM wallets WHERE id = $1 FOR UPDATE', [id]);
  if (rows.length === 0) throw new Error(`no wallet ${id}`);
  return rows[0].cents;
}

async function add(client: PoolClient, id: string, cents: number): Promise<void> {
  await client.query('UPDATE wallets SET cents = cents + $1 WHERE id = $2', [cents, id]);
}

/** Two people who pay each other at the same moment can wait for each other here. */
export async function transfer(from: string, to: string, cents: number): Promise<void> {
  await inTransaction(async (client) => {
    const balance = await lockWallet(client, from);
    await lockWallet(client, to);
    if (balance < cents) throw new Error('not enough money');
    await add(client, from, -cents);
    await add(client, to, cents);
  });
}

/** Locks in one order for everybody, whoever pays whom. */
export async function transferInOrder(from: string, to: string, cents: number): Promise<void> {
  await inTransaction(async (client) => {
    const balances = new Map<string, number>();
    for (const id of [from, to].sort()) balances.set(id, await lockWallet(client, id));
    if ((balances.get(from) ?? 0) < cents) throw new Error('not enough money');
    await add(client, from, -cents);
    await add(client, to, cents);
  });
}

/** One lock only: nobody to wait for in a circle. */
export async function withdraw(id: string, cents: number): Promise<void> {
  await inTransaction(async (client) => {
    if ((await lockWallet(client, id)) < cents) throw new Error('not enough money');
    await add(client, id, -cents);
  });
}
