import { EventEmitter } from 'node:events';
import { createServer } from 'node:http';
import http from 'node:http';
import { Pool } from 'pg';

const pool = new Pool();
const bus = new EventEmitter();
async function save(id: string) {
  await pool.query('INSERT INTO seen (id) VALUES ($1)', [id]);
}

export class Feed extends EventEmitter {
  start() {
    this.on('item', async (id: string) => {
      //            ^^^^^^^^^^^^^^^^^^^^^ async-callback-crash
      await save(id);
    });
  }
}

export function start() {
  bus.on('login', async (id: string) => {
    //            ^^^^^^^^^^^^^^^^^^^^^ async-callback-crash: When `pool.query` rejects here, no handler takes the rejection: `bus.on` ignores the promise of its callback.
    await save(id);
  });
  bus.once('logout', save);
  //                 ^^^^ async-callback-crash
  bus.on('caught', async (id: string) => { // ok: async-callback-crash
    try {
      await save(id);
    } catch (error) {
      console.error(error);
    }
  });
  bus.on('sync', (id: string) => console.log(id)); // ok: async-callback-crash
  bus.on('handled', (id: string) => void save(id).catch(error => console.error(error))); // ok: async-callback-crash
  bus.on('idle', async () => console.log('idle')); // ok: async-callback-crash
}

// A bus that may wait for its listeners, as far as this file tells.
export function other(hooks: any) {
  hooks.on('login', async (id: string) => { // ok: async-callback-crash
    await save(id);
  });
}

export function serve() {
  createServer(async (req, res) => {
    //         ^^^^^^^^^^^^^^^^^^^ async-callback-crash
    await save(String(req.url));
    res.end();
  });
  http.createServer(async (req, res) => {
    //              ^^^^^^^^^^^^^^^^^^^ async-callback-crash
    await save(String(req.url));
    res.end();
  });
}
