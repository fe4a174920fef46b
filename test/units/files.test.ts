/** Units that a file's place or exports make: Next.js, Remix, Nitro, SvelteKit, Lambda, tRPC, GraphQL, RPC, tables of endpoints. */
import { strict as assert } from 'node:assert';
import { handlersOf, unitsIn, unitsOf } from './unitsOf.ts';

describe('units: routes by file', () => {
  it('Next.js route handlers: every way to export them', () => {
    assert.deepEqual(
      unitsOf(`
//- /app/api/orders/route.ts
export async function GET(request: Request) { return Response.json([]); }
export const POST = withAuth(async (request) => Response.json({}));
export const dynamic = 'force-dynamic';
//- /src/app/(shop)/api/orders/[id]/route.ts
async function handler() {}
export { handler as GET, handler as DELETE };
//- /app/api/[...all]/route.ts
export { GET } from '../../../lib/all';
//- /lib/all.ts
export async function GET() {}
//- /app/api/webhooks/stripe/route.js
export async function POST() {}
`),
      [
        'http GET /api/orders',
        'http POST /api/orders',
        'http GET /api/orders/:id',
        'http DELETE /api/orders/:id',
        'http GET /api/*all',
        'webhook POST /api/webhooks/stripe',
      ],
    );
  });

  it('Next.js pages/api: functions, wrappers, tables of verbs', () => {
    assert.deepEqual(
      unitsOf(`
//- /pages/api/users/[id].ts
export default async function handler(req, res) { res.json({}); }
//- /src/pages/api/login.ts
const login = async (req, res) => {};
export default withSession(login);
//- /pages/api/things.ts
export default createHandler({ GET: list, post: async (req, res) => {} });
async function list(req, res) {}
//- /pages/api/stripe/webhook.js
module.exports = async (req, res) => {};
`),
      [
        'http ANY /api/users/:id',
        'http ANY /api/login',
        'http GET /api/things',
        'http POST /api/things',
        'webhook ANY /api/stripe/webhook',
      ],
    );
  });

  it('Next.js server actions', () => {
    assert.deepEqual(
      unitsOf(`
//- /app/actions.ts
'use server';
import { z } from 'zod';
export async function createPost(form: FormData) {}
export const removePost = async (id: string) => {};
export const schema = z.object({});
async function inner() {}
//- /app/page.tsx
export default function Page() {
  async function save(form: FormData) {
    'use server';
    await store(form);
  }
  return <form action={save} />;
}
//- /app/safe.ts
import { authClient } from './client';
export const rename = authClient.schema(schema).action(async ({ parsedInput }) => {});
`),
      ['server-action createPost', 'server-action removePost', 'server-action save', 'server-action rename'],
    );
  });

  it('Remix, React Router, SvelteKit, Nitro, Astro, Medusa', () => {
    assert.deepEqual(
      unitsOf(`
//- /app/routes/posts.$id.tsx
export async function loader({ params }) { return null; }
export const action = async ({ request }) => null;
export default function Post() { return <p />; }
//- /app/routes/orgs.$slug/route.tsx
export const loader = async () => null;
//- /src/routes/api/items/+server.ts
export const GET = async ({ url }) => new Response();
//- /src/routes/login/+page.server.ts
export const load = async ({ cookies }) => ({});
export const actions = { default: async ({ request }) => {}, register: async (event) => {} };
//- /server/api/users/[id].get.ts
export default defineEventHandler(async (event) => {});
//- /server/routes/health.ts
export default eventHandler((event) => 'ok');
//- /src/pages/feed.json.ts
export async function GET() {}
//- /src/api/admin/things/route.ts
export const POST = async (req, res) => {};
`),
      [
        'http loader /posts/:id',
        'http action /posts/:id',
        'http loader /orgs/:slug',
        'http GET /api/items',
        'http load /login',
        'http action default /login',
        'http action register /login',
        'http GET /api/users/:id',
        'http ANY /health',
        'http GET /feed.json',
        'http POST /api/admin/things',
      ],
    );
  });

  it('the action of a command line is no server action', () => {
    assert.deepEqual(
      unitsOf(`
import { Command } from 'commander';
const program = new Command();
program.command('sync').action(async () => { await sync(); });
button.action(async () => {});
`),
      [],
    );
  });

  it('files that only lie near routes are none', () => {
    assert.deepEqual(
      unitsOf(`
//- /app/api/orders/schema.ts
export const GET = 'x';
export async function POST() {}
//- /app/orders/page.tsx
export default async function Page() { return <p />; }
//- /components/Button.tsx
export default function Button({ onClick }) { return <button onClick={async () => { await fetch('/x'); }} />; }
export const useThing = () => useState(1);
//- /src/loaders.ts
export async function loader() {}
//- /lib/get.ts
export async function GET() {}
`),
      [],
    );
  });
});

describe('units: serverless', () => {
  it('AWS Lambda: exports, types, middy, SQS and schedules', () => {
    assert.deepEqual(
      unitsOf(`
//- /src/http.ts
import type { APIGatewayProxyHandler } from 'aws-lambda';
export const handler: APIGatewayProxyHandler = async (event) => ({ statusCode: 200, body: '' });
//- /src/queue.ts
import type { SQSEvent } from 'aws-lambda';
export async function handler(event: SQSEvent) {}
//- /src/nightly.ts
import type { ScheduledEvent } from 'aws-lambda';
export const run = async (event: ScheduledEvent) => {};
//- /src/wrapped.ts
import middy from '@middy/core';
const base = async (event) => {};
export const handler = middy(base).use(json());
//- /functions/plain.js
exports.handler = async (event, context) => {};
`),
      [
        'http http.handler',
        'consumer queue.handler',
        'cron nightly.run',
        'lambda wrapped.handler',
        'lambda plain.handler',
      ],
    );
  });

  it('Cloudflare Workers and Google Cloud functions', () => {
    assert.deepEqual(
      unitsOf(`
//- /src/worker.ts
export default {
  async fetch(request: Request, env: Env) { return new Response(); },
  async scheduled(event: ScheduledController, env: Env) {},
  async queue(batch: MessageBatch, env: Env) {},
} satisfies ExportedHandler<Env>;
//- /src/gcf.ts
import * as functions from '@google-cloud/functions-framework';
functions.http('hello', async (req, res) => {});
functions.cloudEvent('onUpload', async (event) => {});
//- /src/firebase.ts
import { onRequest, onCall } from 'firebase-functions/v2/https';
import { onSchedule } from 'firebase-functions/v2/scheduler';
import { onDocumentCreated } from 'firebase-functions/v2/firestore';
export const api = onRequest({ region: 'x' }, async (req, res) => {});
export const pay = onCall(async (request) => {});
export const nightly = onSchedule('every day 03:00', async (event) => {});
export const created = onDocumentCreated('orders/{id}', async (event) => {});
`),
      [
        'http worker.fetch',
        'cron worker.scheduled',
        'consumer worker.queue',
        'http hello',
        'consumer onUpload',
        'http api',
        'rpc pay',
        'cron nightly',
        'consumer created',
      ],
    );
  });

  it('an object with a fetch method is no worker unless it is the default export of handlers', () => {
    assert.deepEqual(
      unitsOf(`
//- /src/client.ts
export const client = { async fetch(url) { return null; } };
export default { name: 'x', async fetchAll() {} };
`),
      [],
    );
  });
});

describe('units: procedures and resolvers', () => {
  it('tRPC and oRPC', () => {
    assert.deepEqual(
      unitsOf(`
//- /src/server/post.ts
import { router, publicProcedure, protectedProcedure } from '../trpc';
export const postRouter = router({
  list: publicProcedure.query(async () => []),
  create: protectedProcedure.input(schema).mutation(async ({ input, ctx }) => {}),
  nested: router({ deep: publicProcedure.query(({ ctx }) => ctx.db.find()) }),
});
//- /src/server/one.ts
import { authedProcedure } from '../trpc';
export const getUser = authedProcedure.input(z.string()).query(findUser);
async function findUser({ input }) {}
//- /src/field-router/router.ts
import { procedure } from '../trpc';
export const fields = { add: procedure.mutation(async () => {}) };
//- /src/user-router.ts
import { procedure } from '../trpc';
export const rename = procedure.mutation(async () => {});
`),
      [
        'rpc post.list',
        'rpc post.create',
        'rpc post.deep',
        'rpc one.getUser',
        'rpc field.add',
        'rpc user.rename',
      ],
    );
  });

  it('GraphQL resolver maps and field builders', () => {
    assert.deepEqual(
      unitsOf(`
import { ApolloServer } from '@apollo/server';
const user = async (_: unknown, { id }) => {};
const resolvers = {
  Query: { user, users: async () => [] },
  Mutation: { rename: withAuth(async (_, args) => {}) },
  Subscription: { changed: { subscribe: async function* () {} } },
  User: { posts: async (user) => [] },
};
new ApolloServer({ typeDefs, resolvers });
`),
      [
        'graphql Query user',
        'graphql Query users',
        'graphql Mutation rename',
        'graphql Subscription changed',
      ],
    );
  });

  it('Connect-RPC and gRPC services', () => {
    assert.deepEqual(
      unitsOf(`
//- /src/connect.ts
import { ConnectRouter } from '@connectrpc/connect';
export default (router: ConnectRouter) =>
  router.service(ElizaService, { async say(req) { return {}; }, introduce });
async function* introduce(req) {}
//- /src/grpc.ts
import * as grpc from '@grpc/grpc-js';
const server = new grpc.Server();
server.addService(proto.Greeter.service, { sayHello: (call, callback) => callback(null, {}), wave });
async function wave(call) {}
`),
      ['rpc ElizaService.say', 'rpc ElizaService.introduce', 'rpc Greeter.sayHello', 'rpc Greeter.wave'],
    );
  });

  it('tables of endpoints and exported request handlers', () => {
    assert.deepEqual(
      unitsOf(`
//- /src/table.ts
export const endpoints = [
  { path: '/a', method: 'get', handler: async (req, res) => {} },
  { path: '/hooks/b', method: 'POST', handler: onB },
];
async function onB(req, res) {}
//- /src/typed.ts
import type { RequestHandler } from 'express';
export const show: RequestHandler = async (req, res) => {};
//- /src/near.ts
export const menu = [{ path: '/a', method: 'none', handler: () => {} }, { path: '/b', handler: async () => {} }];
`),
      ['http GET /a', 'webhook POST /hooks/b', 'http show'],
    );
  });

  it('objects that only share names are none', () => {
    assert.deepEqual(
      unitsOf(`
//- /src/form.ts
const fields = { Query: 'a', Mutation: 1 };
const q = client.query(async () => {});
builder.query('x');
router.service('x');
//- /src/resolver.ts
export const map = { Query: {} };
`),
      [],
    );
  });

  it('ids of every kind are unique and do not hang on their place in the file', () => {
    const text = `
//- /app/api/a/route.ts
export const GET = async () => {};
//- /src/b.ts
import { Worker } from 'bullmq';
new Worker('x', async () => { one(); });
new Worker('x', async () => { two(); });
`;
    const ids = unitsIn(text).map((u) => u.id);
    assert.equal(new Set(ids).size, 3);
    assert.deepEqual(
      unitsIn(text.replace('export const GET', '\n\n// moved\nexport const GET')).map((u) => u.id),
      ids,
    );
    assert.deepEqual(handlersOf(text).length, 3);
  });
});
