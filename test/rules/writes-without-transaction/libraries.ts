//- /src/drizzle.ts
import { drizzle } from 'drizzle-orm/node-postgres';
import { eq } from 'drizzle-orm';
import { orders, lines } from './schema';
const db = drizzle('postgres://x');
export async function place(customer: string, sku: string) {
  const [order] = await db.insert(orders).values({ customer }).returning();
  //                    ^^^^^^^^^ writes-without-transaction   💡 Wrap in a transaction
  await db.insert(lines).values({ sku, orderId: order!.id });
}
export async function remove(orderId: string) {
  await db.delete(lines).where(eq(lines.orderId, orderId));
  //    ^^^^^^^^^ writes-without-transaction
  await db.delete(orders).where(eq(orders.id, orderId));
}
//- /src/knex.ts
import knex from 'knex';
const db = knex({ client: 'pg' });
export async function place(customer: string, sku: string) {
  const [orderId] = await db('orders').insert({ customer });
  //                      ^^^^^^^^^^^^^^^^^^^ writes-without-transaction   💡 Wrap in a transaction
  await db('lines').insert({ sku, order_id: orderId });
}
//- /src/typeorm.ts
import { DataSource, Repository } from 'typeorm';
import { InjectRepository } from '@nestjs/typeorm';
import { Transactional } from 'nest-transact';
class Order {}
class Line {}
export class Orders {
  constructor(
    private readonly source: DataSource,
    @InjectRepository(Order) private readonly orders: Repository<Order>,
    @InjectRepository(Line) private readonly lines: Repository<Line>,
  ) {}
  async place(sku: string) {
    const order = await this.orders.save({ sku });
    //                  ^^^^^^^^^^^^^^^^ writes-without-transaction   💡 Wrap in a transaction
    await this.lines.save({ order });
    return order;
  }
  @Transactional()
  async decorated(sku: string) {
    const order = await this.orders.save({ sku }); // ok: writes-without-transaction
    await this.lines.save({ order });
  }
}
//- /src/sequelize.ts
import { Model, Sequelize } from 'sequelize';
const sequelize = new Sequelize('postgres://x');
class Order extends Model {}
class Line extends Model {}
export async function place(sku: string) {
  const order = await Order.create({ sku });
  //                  ^^^^^^^^^^^^ writes-without-transaction   💡 Wrap in a transaction
  await Line.create({ orderId: order.id });
}
export async function inOptions(sku: string) {
  await sequelize.transaction(async (transaction) => {
    const order = await Order.create({ sku }, { transaction }); // ok: writes-without-transaction
    await Line.create({ orderId: order.id }, { transaction });
  });
}
//- /src/mongoose.ts
import mongoose from 'mongoose';
const Order = mongoose.model('Order', {} as never);
const Line = mongoose.model('Line', {} as never);
export async function remove(orderId: string) {
  await Line.deleteMany({ orderId });
  //    ^^^^^^^^^^^^^^^ writes-without-transaction   💡 Wrap in a transaction
  await Order.findByIdAndDelete(orderId);
}
//- /src/pg.ts
import { Pool } from 'pg';
const pool = new Pool();
export async function remove(orderId: string) {
  await pool.query('DELETE FROM lines WHERE order_id = $1', [orderId]);
  //    ^^^^^^^^^^ writes-without-transaction   💡 Wrap in a transaction
  await pool.query('DELETE FROM orders WHERE id = $1', [orderId]);
}
export async function oneConnection(orderId: string) {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('DELETE FROM lines WHERE order_id = $1', [orderId]); // ok: writes-without-transaction
    await client.query('DELETE FROM orders WHERE id = $1', [orderId]);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}
export async function oneStatement(orderId: string) {
  await pool.query('WITH gone AS (DELETE FROM lines WHERE order_id = $1) DELETE FROM orders WHERE id = $1', [orderId]); // ok: writes-without-transaction
}
//- /src/postgres.ts
import postgres from 'postgres';
const sql = postgres('x');
export async function move(fromId: string, toId: string, ledgerId: string) {
  await sql`update entries set ledger = ${ledgerId} where account_id = ${fromId}`;
  //    ^^^ writes-without-transaction   💡 Wrap in a transaction
  await sql`insert into moves (ledger, target) values (${ledgerId}, ${toId})`;
}
//- /src/context.ts
import { DataSource, type Repository } from 'typeorm';
class Order {}
class Line {}
class Connection {
  constructor(private readonly source: DataSource) {}
  repository<T>(ctx: { manager?: unknown }, entity: T): Repository<T> {
    void ctx;
    return this.source.getRepository(entity as never);
  }
}
export class Orders {
  constructor(private readonly connection: Connection) {}
  async place(ctx: object) {
    const order = await this.connection.repository(ctx, Order).save({}); // ok: writes-without-transaction
    await this.connection.repository(ctx, Line).save({ order });
  }
}
//- /src/chained.ts
import pgPromise from 'pg-promise';
const pgp = pgPromise();
const db = pgp('postgres://x');
export function place(orderId: string, sku: string) {
  return db.none('INSERT INTO orders(id) VALUES ($1)', [orderId])
    //   ^^^^^^^ writes-without-transaction
    .then(() => db.none('INSERT INTO lines(order_id, sku) VALUES ($1, $2)', [orderId, sku]))
    .catch((error) => {
      throw new Error('not placed', { cause: error });
    });
}
export function together(orderId: string, sku: string) {
  return db.tx((t) =>
    t
      .none('INSERT INTO orders(id) VALUES ($1)', [orderId]) // ok: writes-without-transaction
      .then(() => t.none('INSERT INTO lines(order_id, sku) VALUES ($1, $2)', [orderId, sku])),
  );
}
export function livesWithIt(orderId: string, sku: string) {
  return db
    .none('INSERT INTO orders(id) VALUES ($1)', [orderId]) // ok: writes-without-transaction
    .then(() => db.none('INSERT INTO lines(order_id, sku) VALUES ($1, $2)', [orderId, sku]))
    .catch(() => null);
}

function makeSheet(sheet: string) {
  const text = `CREATE TABLE $1:name (id text)`;
  return db.none(text, [sheet]);
}
export async function addSheet(sheet: string) {
  await makeSheet(sheet);
  //    ^^^^^^^^^ writes-without-transaction
  await db.none('INSERT INTO sheets(name) VALUES ($1)', [sheet]);
}
export async function addOther(sheet: string, other: string) {
  await makeSheet(sheet); // ok: writes-without-transaction
  await db.none('INSERT INTO sheets(name) VALUES ($1)', [other]);
}
export async function prepare(sheet: string) {
  await db.none('CREATE TABLE sheets (name text)', [sheet]); // ok: writes-without-transaction
  await db.none('INSERT INTO sheets(name) VALUES ($1)', [sheet]);
}
