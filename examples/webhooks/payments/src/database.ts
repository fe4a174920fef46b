import knex, { type Knex } from 'knex';

/** PostgreSQL at `url`, else an SQLite file at `path`. Every wait for a connection has an end. */
export function openDatabase(url: string | undefined, path: string): Knex {
  return url
    ? knex({
        client: 'pg',
        connection: { connectionString: url, connectionTimeoutMillis: 2000, query_timeout: 5000 },
        pool: { min: 0, max: 10 },
        acquireConnectionTimeout: 2000,
      })
    : knex({
        client: 'better-sqlite3',
        connection: { filename: path },
        useNullAsDefault: true,
        acquireConnectionTimeout: 2000,
      });
}

export async function createTables(db: Knex): Promise<void> {
  if (await db.schema.hasTable('orders')) return;
  await db.schema.createTable('orders', (t) => {
    t.string('id').primary();
    t.string('status').notNullable();
  });
  await db.schema.createTable('processed_events', (t) => {
    t.string('event_id').primary();
  });
  await db.schema.createTable('fulfilments', (t) => {
    t.string('id').primary();
    t.string('order_id').notNullable();
    t.string('sent_at');
  });
}
