//- /package.json
{ "name": "x", "dependencies": { "express": "^4.21.0" } }
//- /src/fixture.ts
import express from 'express';
import { Pool } from 'pg';
import { wrap } from './wrap.ts';

const app = express();
const router = express.Router();
const pool = new Pool();

async function save(id: string) {
  await pool.query('INSERT INTO seen (id) VALUES ($1)', [id]);
}
async function named(req: express.Request, res: express.Response) {
  await save(req.params.id);
  res.end();
}

export function mount() {
  app.get('/a/:id', async (req, res) => {
    //              ^^^^^^^^^^^^^^^^^^^ async-callback-crash: When `pool.query` rejects here, the request is never answered: Express 4 ignores the promise of its handler.
    await save(req.params.id);
    res.end();
  });
  router.post('/b/:id', named);
  //                    ^^^^^ async-callback-crash
  router.use(async (req, res, next) => {
    //       ^^^^^^^^^^^^^^^^^^^^^^^^^ async-callback-crash
    await save('x');
    next();
  });
  app.get('/c', async (req, res, next) => { // ok: async-callback-crash
    try {
      await save('x');
      res.end();
    } catch (error) {
      next(error);
    }
  });
  app.get('/d', wrap(async (req, res) => { // ok: async-callback-crash
    await save('x');
    res.end();
  }));
  app.get('/e', (req, res, next) => { // ok: async-callback-crash
    save('x').then(() => res.end(), next);
  });
  app.get('/f', async (req, res) => { // ok: async-callback-crash
    res.end();
  });
}
//- /src/wrap.ts
import type { RequestHandler } from 'express';
export const wrap = (handler: RequestHandler): RequestHandler => (req, res, next) => {
  Promise.resolve(handler(req, res, next)).catch(next);
};
