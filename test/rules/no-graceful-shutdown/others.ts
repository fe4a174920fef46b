//- /src/fastify.ts
import Fastify from 'fastify';
const app = Fastify();
(async () => {
  await app.listen({ port: 3000 });
  //    ^^^^^^^^^^ no-graceful-shutdown
})().catch(console.error);
//- /src/plain.ts
import { createServer } from 'node:http';
const server = createServer((_req, res) => res.end('ok'));
if (process.env.PORT) {
  server.listen(3000);
//^^^^^^^^^^^^^ no-graceful-shutdown
}
//- /src/interrupt.ts
if (process.stdin) {
  process.on('SIGINT', () => process.exit(0));
//^^^^^^^^^^ no-graceful-shutdown: Only SIGINT is handled here: a deploy sends SIGTERM, which does not run this.
}
//- /src/handled.ts
import express from 'express';
const app = express();
const server = app.listen(3000); // ok: no-graceful-shutdown
process.on('SIGTERM', () => server.close());
//- /src/both.ts
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(0));
process.on('SIGINT', () => console.log('bye')); // ok: no-graceful-shutdown
//- /src/imported.ts
import express from 'express';
import { closeOnExit } from './exit.ts';
const app = express();
closeOnExit(app.listen(3000)); // ok: no-graceful-shutdown
//- /src/exit.ts
export function closeOnExit(server: { close(): void }) {
  process.once('SIGTERM', () => server.close());
}
//- /src/library.ts
import express from 'express';
import { createHttpTerminator } from 'http-terminator';
const app = express();
const server = app.listen(3000); // ok: no-graceful-shutdown
export const terminator = createHttpTerminator({ server });
//- /src/nest.ts
import { NestFactory } from '@nestjs/core';
async function bootstrap() {
  const app = await NestFactory.create(class {});
  app.enableShutdownHooks();
  await app.listen(3000); // ok: no-graceful-shutdown
}
bootstrap();
//- /src/exported.ts
import express from 'express';
export function makeServer(port: number) {
  return express().listen(port); // ok: no-graceful-shutdown
}
//- /src/channel.ts
declare const channel: { listen(name: string): void };
channel.listen('events'); // ok: no-graceful-shutdown
//- /src/cli/run.ts
process.on('SIGINT', () => process.exit(0)); // ok: no-graceful-shutdown
//- /src/inFunction.ts
export function prompt() {
  process.on('SIGINT', () => process.exit(0)); // ok: no-graceful-shutdown
}
//- /src/lambda.ts
import express from 'express';
const app = express();
export const handler = app; // ok: no-graceful-shutdown
