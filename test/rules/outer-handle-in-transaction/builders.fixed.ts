//- /src/knex.ts
import knex from 'knex';
const db = knex({ client: 'pg' });
export async function escape(id: string) {
  await db.transaction(async (trx) => {
    await trx('orders').insert({ id });
    await trx('lines').insert({ orderId: id });
    await db('marks').insert({ id }).transacting(trx); // ok: outer-handle-in-transaction
    await db('marks').transacting(trx).insert({ id }); // ok: outer-handle-in-transaction
    await trx.raw('select 1'); // ok: outer-handle-in-transaction
  });
}
//- /src/drizzle.ts
import { drizzle } from 'drizzle-orm/node-postgres';
import { orders, lines } from './schema';
const db = drizzle('postgres://x');
export async function escape(id: string) {
  await db.transaction(async (tx) => {
    await tx.insert(orders).values({ id });
    await tx.insert(lines).values({ orderId: id });
    const left = await tx.select().from(lines); // ok: outer-handle-in-transaction
    return left;
  });
}
//- /src/typeorm.ts
import { DataSource, Repository, EntityManager } from 'typeorm';
import { InjectRepository } from '@nestjs/typeorm';
import { Injectable } from '@nestjs/common';
class Order {}
class Line {}
@Injectable()
export class Orders {
  constructor(
    private readonly source: DataSource,
    @InjectRepository(Line) private readonly lines: Repository<Line>,
  ) {}
  async escape() {
    await this.source.transaction(async (manager) => {
      await manager.save(Order, {});
      await manager.withRepository(this.lines).save({});
      await manager.getRepository(Line).save({}); // ok: outer-handle-in-transaction
      await manager.withRepository(this.lines).save({}); // ok: outer-handle-in-transaction
      const repo = manager.getRepository(Line);
      await repo.save({}); // ok: outer-handle-in-transaction
    });
  }
  async runner() {
    const runner = this.source.createQueryRunner();
    await runner.startTransaction();
    try {
      await runner.manager.save(Order, {});
      await runner.manager.withRepository(this.lines).save({});
      await runner.commitTransaction();
    } finally {
      await runner.release();
    }
  }
}
//- /src/mikro.ts
import type { EntityManager } from '@mikro-orm/core';
export async function redirected(em: EntityManager) {
  await em.transactional(async () => {
    await em.nativeUpdate('User', { id: 1 }, {}); // ok: outer-handle-in-transaction
  });
}
//- /src/postgres.ts
import postgres from 'postgres';
const sql = postgres('x');
export async function escape(id: string) {
  await sql.begin(async (tx) => {
    await tx`insert into a (id) values (${id})`;
    await tx`insert into b (id) values (${id})`;
  });
  await sql.begin(async (sql) => {
    await sql`insert into a (id) values (${id})`; // ok: outer-handle-in-transaction
  });
}
