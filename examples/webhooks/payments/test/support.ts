import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import express from 'express';
import type { Knex } from 'knex';
import { createTables, openDatabase } from '../src/database.ts';
import { payments } from '../src/payments.ts';
import { signatureOf } from '../src/signature.ts';

export const SECRET = 'only for tests';

export interface Service {
  readonly db: Knex;
  deliver(event: object, signature?: string): Promise<number>;
}

/** PostgreSQL where `DATABASE_URL` names one, else a file of its own. */
export async function withDatabase(use: (db: Knex) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'payments-'));
  const db = openDatabase(process.env['DATABASE_URL'], path.join(folder, 'payments.db'));
  try {
    await createTables(db);
    for (const table of ['orders', 'processed_events', 'fulfilments']) await db(table).delete();
    await use(db);
  } finally {
    await db.destroy();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A running service with one open order, `o1`. */
export async function withService(use: (service: Service) => Promise<void>): Promise<void> {
  await withDatabase(async (db) => {
    await db('orders').insert({ id: 'o1', status: 'open' });
    await serving(express().use(payments(db, SECRET)), async (address) => {
      const deliver: Service['deliver'] = async (event, signature) => {
        const body = JSON.stringify(event);
        const response = await fetch(`${address}/webhooks/payments`, {
          method: 'POST',
          headers: { 'x-signature': signature ?? signatureOf(Buffer.from(body), SECRET) },
          body,
          signal: AbortSignal.timeout(10_000),
        });
        return response.status;
      };
      await use({ db, deliver });
    });
  });
}

export async function serving(answer: RequestListener, use: (address: string) => Promise<void>): Promise<void> {
  const server: Server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** How many orders are to be fulfilled. */
export async function fulfilments(db: Knex): Promise<number> {
  const [row] = await db('fulfilments').count({ n: '*' });
  return Number(row?.n);
}
