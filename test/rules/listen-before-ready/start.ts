//- /src/later.ts
import express from 'express';
import { createServer } from 'node:http';
import { DataSource } from 'typeorm';
import mongoose from 'mongoose';
import { createClient } from 'redis';

const source = new DataSource({ type: 'postgres' });
const redis = createClient();
const app = express();

export async function initialised() {
  app.listen(3000);
//^^^^^^^^^^ listen-before-ready: Requests come in before `source.initialize` is done: the port is open from here on.
  await source.initialize();
}

export async function inCallback() {
  app.listen(3000, async () => {
//^^^^^^^^^^ listen-before-ready
    await mongoose.connect('mongodb://db');
    console.info('up');
  });
}

export async function plainServer() {
  const server = createServer(app);
  server.listen(3000);
//^^^^^^^^^^^^^ listen-before-ready
  await redis.connect();
}

async function connectDatabase() {
  await mongoose.connect('mongodb://db');
}
export async function byHelper() {
  app.listen(3000);
//^^^^^^^^^^ listen-before-ready
  await connectDatabase();
}

// ---- silent

export async function first() {
  await source.initialize();
  app.listen(3000); // ok: listen-before-ready
}

export async function notAwaited() {
  app.listen(3000); // ok: listen-before-ready
  console.info('up');
}

export async function otherBranch(worker: boolean) {
  if (worker) {
    await connectDatabase();
  } else {
    app.listen(3000); // ok: listen-before-ready
  }
}

export async function harmless() {
  app.listen(3000); // ok: listen-before-ready
  await fetch('https://status.example.com/started', { method: 'POST' });
}

export async function harmlessName(client: { connect(): Promise<void> }) {
  app.listen(3000); // ok: listen-before-ready
  await client.connect();
}

export async function notServer(socket: { listen(port: number): void }) {
  socket.listen(3000); // ok: listen-before-ready
  await source.initialize();
}

export async function started() {
  app.listen(3000, () => console.info('up')); // ok: listen-before-ready
}

//- /src/gated.ts
import express from 'express';
import { DataSource } from 'typeorm';

const source = new DataSource({ type: 'postgres' });
const app = express();
let ready = false;
app.get('/readyz', (req, res) => void res.sendStatus(ready ? 200 : 503));

export async function start() {
  app.listen(3000); // ok: listen-before-ready
  await source.initialize();
  ready = true;
}
//- /src/lazy.ts
import express from 'express';
import { PrismaClient } from '@prisma/client';

const prisma = new PrismaClient();
const app = express();

export async function start() {
  app.listen(3000); // ok: listen-before-ready
  await prisma.$connect();
}
