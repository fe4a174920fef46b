import { strict as assert } from 'node:assert';
import { callEffects } from '../support/callEffects.ts';

describe('pack prisma', () => {
  it('knows delegates by the property of the client', () => {
    assert.deepEqual(
      callEffects(`import { PrismaClient } from '@prisma/client';
const prisma = new PrismaClient().$extends({});
await prisma.user.create({ data: {} });
await prisma.orderLine.findMany({ where: {} });
await prisma.user.deleteMany();`),
      [
        'create → prisma.Delegate insert user',
        'findMany → prisma.Delegate read orderline',
        'deleteMany → prisma.Delegate delete user',
      ],
    );
  });
  it('follows the transaction parameter and typed handles', () => {
    assert.deepEqual(
      callEffects(`import { PrismaClient, Prisma } from '@prisma/client';
const prisma = new PrismaClient();
await prisma.$transaction(async tx => { await tx.user.update({ where: { id: 1 }, data: {} }); await tx.$executeRaw\`UPDATE a SET b = 1\`; });
export async function f(db: Prisma.TransactionClient) { await db.post.upsert({}); }`),
      [
        'update → prisma.Delegate update user',
        '$executeRaw → prisma.TransactionClient update a',
        'upsert → prisma.Delegate upsert post',
      ],
    );
  });
  it('binds generated clients, shared globals and injected services', () => {
    assert.deepEqual(
      callEffects(`//- /src/db.ts
import { PrismaClient } from './generated/prisma/client.js';
const make = () => new PrismaClient();
export const prisma = globalThis.prisma ?? make();
//- /src/service.ts
import { PrismaClient } from '@prisma/client';
export class PrismaService extends PrismaClient { async onModuleInit() { await this.$connect(); } }
//- /src/use.ts
import { prisma } from './db';
import { PrismaService } from './service';
await prisma.user.count();
export class Users {
  constructor(private readonly db: PrismaService) {}
  add() { return this.db.user.create({ data: {} }); }
}`),
      ['count → prisma.Delegate read user', 'create → prisma.Delegate insert user'],
    );
  });
  it('says nothing of other clients', () => {
    assert.deepEqual(callEffects(`const prisma = makeClient(); await prisma.user.create({});`), []);
  });
});
