import { Pool } from 'pg';

export class Ledger {
  private static instance: Pool | null = null;
  static get(): Pool | null {
    if (Ledger.instance) return Ledger.instance;
    Ledger.instance = process.env.PGHOST
      ? new Pool({ host: process.env.PGHOST })
      : null;
    Ledger.instance.on('error', (error: unknown) => console.error('Ledger.instance lost its connection', error));
    return Ledger.instance;
  }
}
let pool: Pool | null = null;
export function database() {
  if (!pool) {
    pool = new Pool({ max: 5 });
    pool.on('error', (error: unknown) => console.error('pool lost its connection', error));
  }
  return pool;
}

export class Quiet {
  private static instance: Pool | null = null;
  static get(): Pool | null {
    if (Quiet.instance) return Quiet.instance;
    Quiet.instance = process.env.PGHOST ? new Pool() : null; // ok: emitter-without-error-listener
    Quiet.instance?.on('error', (error) => console.error(error));
    return Quiet.instance;
  }
}
let watched: Pool | null = null;
export function watchedDatabase() {
  if (!watched) {
    watched = new Pool({ max: 5 }); // ok: emitter-without-error-listener
    watched.on('error', console.error);
  }
  return watched;
}
export function fresh() {
  const made = new Pool({ max: 1 }); // ok: emitter-without-error-listener
  return made;
}
let handed: Pool | null = null;
declare function watch(pool: Pool): void;
export function handedOn() {
  if (!handed) {
    handed = new Pool({ max: 5 }); // ok: emitter-without-error-listener
    watch(handed);
  }
  return handed;
}

async function runOn(db: { client: Pool }) {
  await db.client.query('SELECT 1');
}
function listenTo(client: Pool) {
  client.on('error', console.error);
}
export async function onlyUsed(url: string) {
  const client = new Pool({ connectionString: url });
  client.on('error', (error: unknown) => console.error('client lost its connection', error));
  await runOn({ client });
  await client.end();
}
export async function listenedTo(url: string) {
  const client = new Pool({ connectionString: url }); // ok: emitter-without-error-listener
  listenTo(client);
  await client.end();
}
