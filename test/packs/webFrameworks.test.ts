import { strict as assert } from 'node:assert';
import { callEffects } from '../support/callEffects.ts';

describe('packs of web frameworks', () => {
  it('Fastify: instance by factory, plugin and annotation', () => {
    assert.deepEqual(
      callEffects(`import Fastify from 'fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
const app = Fastify();
app.get('/a', async (request, reply) => { request.log.info('x'); return reply.code(204).send(); });
app.route({ method: 'POST', url: '/b', handler: async (request, reply) => { reply.send({}); } });
app.register(async child => { child.get('/c', (request, reply) => { reply.redirect('/'); }); });
export async function plugin(instance: FastifyInstance) { instance.get('/d', (request, reply) => { reply.send(1); }); }
export async function handler(request: FastifyRequest, reply: FastifyReply) { reply.status(200).send(2); }`),
      [
        'info → fastify.Logger emit',
        'send → fastify.Reply send',
        'send → fastify.Reply send',
        'redirect → fastify.Reply send',
        'send → fastify.Reply send',
        'send → fastify.Reply send',
      ],
    );
  });
  it('Koa: the context of middleware and of routes', () => {
    assert.deepEqual(
      callEffects(`import Koa from 'koa';
import Router from '@koa/router';
const app = new Koa();
const router = new Router();
app.use(async (ctx, next) => { ctx.redirect('/login'); });
router.post('/x', async ctx => { ctx.redirect('/done'); });`),
      ['redirect → koa.Context send', 'redirect → koa-router.Context send'],
    );
  });
  it('Hono: responses from the context, on apps and chained routes', () => {
    assert.deepEqual(
      callEffects(`import { Hono } from 'hono';
const app = new Hono();
app.get('/a', c => c.json({})).post('/b', async c => c.text('x'));`),
      ['json → hono.Context send', 'text → hono.Context send'],
    );
  });
});
