/** Routes of verb routers: Express, Fastify, Koa, Hono and their shape; what only looks like a route is none. */
import { strict as assert } from 'node:assert';
import { handlersOf, unitsIn, unitsOf } from './unitsOf.ts';

describe('units: verb routers', () => {
  it('Express: verbs, middleware before the handler, wrapped and named handlers', () => {
    assert.deepEqual(
      unitsOf(`
import express, { Router } from 'express';
import { asyncHandler } from './wrap';
const app = express();
const router = Router();
app.get('/health', (req, res) => res.send('ok'));
app.post('/orders', auth, validate(schema), async (req, res) => { await save(req.body); });
router.put('/orders/:id', asyncHandler(async (req, res) => {}));
router.delete('/orders/:id', remove);
async function remove(req, res) {}
app.use('/api', router);
app.all('/legacy/*', async (req, res) => {});
`),
      [
        'http GET /health',
        'http POST /orders',
        'http PUT /orders/:id',
        'http DELETE /orders/:id',
        'http ANY /legacy/*',
      ],
    );
  });

  it('Express: chained routes, arrays of paths, routers made elsewhere, require', () => {
    assert.deepEqual(
      unitsOf(`
//- /src/routes.js
const express = require('express');
const router = express.Router();
router.route('/carts/:id').get(async (req, res) => {}).post(async (req, res) => {}).delete(drop);
function drop(req, res) {}
router.get(['/a', '/b'], async (req, res) => {});
module.exports = router;
//- /src/more.js
const routes = require('./routes');
routes.patch('/late', async (req, res) => {});
`),
      [
        'http GET /carts/:id',
        'http POST /carts/:id',
        'http DELETE /carts/:id',
        'http GET /a',
        'http PATCH /late',
      ],
    );
  });

  it('Express: handlers by reference from other files, as class members, bound and from factories', () => {
    assert.deepEqual(
      handlersOf(`
//- /src/handlers.ts
export const listUsers = async (req, res) => { res.json([]); };
export class Users {
  async show(req, res) { res.json({}); }
  edit = async (req, res) => { res.json({}); };
}
export function makeRemove(db) {
  return async (req, res) => { await db.remove(req.params.id); };
}
//- /src/main.ts
import { Router } from 'express';
import * as handlers from './handlers';
import { listUsers, Users, makeRemove } from './handlers';
const router = Router();
const users = new Users();
router.get('/users', listUsers);
router.get('/users/all', handlers.listUsers);
router.get('/users/:id', users.show.bind(users));
router.put('/users/:id', users.edit);
router.delete('/users/:id', makeRemove(db));
`),
      [
        'http GET /users → async (req, res) => { res.json([]); };',
        'http GET /users/all → async (req, res) => { res.json([]); };',
        'http GET /users/:id → async show(req, res) { res.json({}); }',
        'http PUT /users/:id → async (req, res) => { res.json({}); };',
        'http DELETE /users/:id → async (req, res) => { await db.remove(req.params.id); };',
      ],
    );
  });

  it('Express: a router kept in a class, and handlers of the class', () => {
    assert.deepEqual(
      unitsOf(`
import { Router, type Application } from 'express';
export class PaymentRoutes {
  readonly router = Router();
  constructor(private readonly app: Application) {
    this.router.post('/pay', this.pay);
    this.router.get('/pay/:id', (req, res) => this.show(req, res));
    this.app.get('/ping', async (req, res) => { res.end(); });
  }
  pay = async (req, res) => {};
  private async show(req, res) {}
}
`),
      ['http POST /pay', 'http GET /pay/:id', 'http GET /ping'],
    );
  });

  it('webhooks are told by their path', () => {
    assert.deepEqual(
      unitsOf(`
import { Router } from 'express';
const router = Router();
router.post('/webhooks/stripe', async (req, res) => {});
router.post('/stripe/webhook', async (req, res) => {});
router.get('/webhooks', async (req, res) => {});
router.post('/hooked', async (req, res) => {});
`),
      [
        'webhook POST /webhooks/stripe',
        'webhook POST /stripe/webhook',
        'http GET /webhooks',
        'http POST /hooked',
      ],
    );
  });

  it('Fastify: verbs with options, plugins, route objects', () => {
    assert.deepEqual(
      unitsOf(`
import Fastify, { type FastifyInstance, type FastifyPluginAsync } from 'fastify';
import fp from 'fastify-plugin';
const server = Fastify();
server.get('/a', async () => ({ ok: true }));
server.post('/b', { schema: {} }, async (request, reply) => {});
server.post('/c', { schema: {}, handler: async (request, reply) => {} });
server.route({ method: 'PUT', url: '/d', handler: async (request, reply) => {} });
server.route({ method: ['GET', 'HEAD'], url: '/e', preHandler: [auth], async handler(request, reply) {} });
export async function plugin(app: FastifyInstance) {
  app.get('/f', async () => {});
}
export const other: FastifyPluginAsync = async (instance, opts) => {
  instance.get('/g', async () => {});
};
export default fp(async (f) => {
  f.get('/h', async () => {});
});
server.register(async (scope) => {
  scope.get('/i', async () => {});
  scope.withTypeProvider<X>().post('/j', { schema }, async () => {});
});
`),
      [
        'http GET /a',
        'http POST /b',
        'http POST /c',
        'http PUT /d',
        'http GET /e',
        'http GET /f',
        'http GET /g',
        'http GET /h',
        'http GET /i',
        'http POST /j',
      ],
    );
  });

  it('Koa and Hono: named routes, chains, middleware from factories', () => {
    assert.deepEqual(
      unitsOf(`
//- /src/koa.ts
import Router from '@koa/router';
const router = new Router({ prefix: '/v1' });
router.get('user', '/users/:id', async (ctx) => {});
router.post('/users', bodyParser(), async (ctx, next) => {});
router.del('/users/:id', async (ctx) => {});
//- /src/hono.ts
import { Hono } from 'hono';
import { zValidator } from '@hono/zod-validator';
export const app = new Hono<{ Bindings: B }>()
  .get('/items', async (c) => c.json([]))
  .post('/items', zValidator('json', schema), async (c) => c.json({}));
const api = new Hono().basePath('/api');
api.on('PURGE', '/cache', async (c) => c.text('ok'));
api.get('/one', (c) => c.text('1'));
`),
      [
        'http GET /users/:id',
        'http POST /users',
        'http DELETE /users/:id',
        'http GET /items',
        'http POST /items',
        'http PURGE /cache',
        'http GET /one',
      ],
    );
  });

  it('a route is named with constants and templates that can be read', () => {
    assert.deepEqual(
      unitsOf(`
//- /src/paths.ts
export const BASE = '/v2';
export const PATHS = { users: '/users' } as const;
//- /src/main.ts
import { Router } from 'express';
import { BASE, PATHS } from './paths';
const router = Router();
router.get(PATHS.users, async (req, res) => {});
router.get(\`\${BASE}/things\`, async (req, res) => {});
router.get(BASE + '/more', async (req, res) => {});
`),
      ['http GET /users', 'http GET /v2/things', 'http GET /v2/more'],
    );
  });

  it('calls that only look like routes are none', () => {
    assert.deepEqual(
      unitsOf(`
import axios from 'axios';
import express from 'express';
import request from 'supertest';
const app = express();
const api = axios.create({ baseURL: 'https://a.example' });
await api.get('/x', { params: { a: 1 } });
await api.post('/x', { handler: async () => {} });
await axios.get('/y', async () => {});
const map = new Map();
map.get('/k', () => 1);
cache.get('/k', async () => load());
app.get('view engine');
app.set('/x', () => {});
app.use('/static', express.static('public'));
request(app).get('/z').expect(200, async () => {});
config.get('/a/b', () => 'x');
app.listen(3000, () => {});
client.delete('/objects/1', (err) => {});
headers.get('x', () => {});
`),
      [],
    );
  });

  it('ids are unique in a file and stay when lines move', () => {
    const code = `
import { Router } from 'express';
const a = Router();
const b = Router();
a.get('/same', async (req, res) => { one(); });
b.get('/same', async (req, res) => { two(); });
{ const a = Router(); a.get('/same', async (req, res) => { three(); }); }
`;
    const before = unitsIn(code).map((u) => u.id);
    assert.equal(new Set(before).size, before.length);
    assert.equal(before.length, 3);
    assert.deepEqual(
      unitsIn(`// a line more\nimport 'x';\n${code.replace('one();', 'await zero();\n one();')}`).map(
        (u) => u.id,
      ),
      before,
    );
  });

  it('the span of a unit holds its registration and an inline handler', () => {
    const code = `import { Router } from 'express';\nconst r = Router();\nr.get('/x', async (req, res) => {\n  res.end();\n});\n`;
    const [unit] = unitsIn(code);
    assert.ok(unit);
    assert.equal(
      code.slice(unit.startOffset, unit.endOffset),
      code.slice(code.indexOf("r.get('/x'"), code.lastIndexOf(';')),
    );
    assert.deepEqual(
      [unit.start, unit.end],
      [
        { line: 3, column: 1 },
        { line: 5, column: 3 },
      ],
    );
    assert.equal(unit.handler.start.line, 3);
    assert.equal(unit.framework, 'router');
  });
});
