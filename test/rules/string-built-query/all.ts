//- /src/search.ts
import express from 'express';
import { Pool } from 'pg';
import knex from 'knex';
import { PrismaClient } from '@prisma/client';
import { z } from 'zod';
import { byName } from './names';
const app = express();
const pool = new Pool();
const db = knex({ client: 'pg' });
const prisma = new PrismaClient();
const COLUMNS: Record<string, string> = { name: 'name', price: 'price' };

app.get('/a', async (req, res) => {
  res.json(await pool.query(`SELECT * FROM products WHERE name = '${req.query.name}'`));
  //                                                                ^^^^^^^^^^^^^^ string-built-query: `req.query.name` goes into the text of `pool.query` as it came with the request: whoever sends it writes the query.
  res.json(await pool.query('SELECT * FROM products WHERE name = \'' + req.query.name + '\''));
  //                                                                   ^^^^^^^^^^^^^^ string-built-query
  const order = req.query.sort;
  const sql = `SELECT * FROM products ORDER BY ${order}`;
  //                                             ^^^^^ string-built-query
  res.json(await pool.query(sql));
  res.json(await pool.query({ text: `SELECT * FROM ${req.query.table} LIMIT 5` }));
  //                                                 ^^^^^^^^^^^^^^^ string-built-query
});
app.get('/b', async (req, res) => {
  res.json(await db('products').whereRaw(`name = '${req.query.name}'`));
  //                                                ^^^^^^^^^^^^^^ string-built-query
  res.json(await db('products').orderByRaw(req.query.sort + ' desc'));
  //                                       ^^^^^^^^^^^^^^ string-built-query
  res.json(await prisma.$queryRawUnsafe(`SELECT * FROM products WHERE name = '${req.query.name}'`));
  //                                                                            ^^^^^^^^^^^^^^ string-built-query
});
app.get('/c', async (req, res) => {
  const { name } = z.object({ name: z.string().min(1) }).parse(req.query);
  res.json(await pool.query(`SELECT * FROM products WHERE name = '${name}'`));
  //                                                                ^^^^ string-built-query
  let where = "WHERE sold = false";
  if (req.query.shop) where += ` AND shop = '${req.query.shop}'`;
  //                                           ^^^^^^^^^^^^^^ string-built-query
  res.json(await pool.query(`SELECT * FROM products ${where}`));
  res.json(await byName(String(req.query.name)));
});

// Parameters, and templates that make them.
app.get('/d', async (req, res) => {
  res.json(await pool.query('SELECT * FROM products WHERE name = $1', [req.query.name])); // ok: string-built-query
  res.json(await prisma.$queryRaw`SELECT * FROM products WHERE name = ${req.query.name}`); // ok: string-built-query
  res.json(await db('products').whereRaw('name = ?', [String(req.query.name)])); // ok: string-built-query
  res.json(await db('products').where({ name: req.query.name })); // ok: string-built-query
});
// A number, one of a list, or escaped.
app.get('/e', async (req, res) => {
  res.json(await pool.query(`SELECT * FROM products LIMIT ${Number(req.query.limit)}`)); // ok: string-built-query
  const column = COLUMNS[String(req.query.sort)] ?? 'name';
  res.json(await pool.query(`SELECT * FROM products ORDER BY ${column}`)); // ok: string-built-query
  const way = req.query.way === 'desc' ? 'DESC' : 'ASC';
  res.json(await pool.query(`SELECT * FROM products ORDER BY name ${way}`)); // ok: string-built-query
  const sort = String(req.query.sort);
  if (!['name', 'price'].includes(sort)) return res.sendStatus(400);
  res.json(await pool.query(`SELECT * FROM products ORDER BY ${sort}`)); // ok: string-built-query
});
app.get('/f', async (req, res) => {
  const input = z.object({ sort: z.enum(['name', 'price']), id: z.string().uuid() }).parse(req.query);
  res.json(await pool.query(`SELECT * FROM products WHERE id = '${input.id}' ORDER BY ${input.sort}`)); // ok: string-built-query
  const name = String(req.query.name);
  res.json(await pool.query(`SELECT * FROM products WHERE name = ${escapeLiteral(name)}`)); // ok: string-built-query
});
// What this program wrote itself.
const TABLE = 'products';
export async function all(table: string) {
  await pool.query(`SELECT * FROM ${table} LIMIT 5`); // ok: string-built-query
  return pool.query(`SELECT * FROM ${TABLE} LIMIT 5`); // ok: string-built-query
}
declare function escapeLiteral(text: string): string;
//- /src/names.ts
import { Pool } from 'pg';
const pool = new Pool();
export async function byName(name: string) {
  return pool.query(`SELECT * FROM products WHERE name = '${name}'`);
  //                                                        ^^^^ string-built-query
}
