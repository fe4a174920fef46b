//- /src/sessions.ts
import express from 'express';
import { PrismaClient } from '@prisma/client';
import { z } from 'zod';
const prisma = new PrismaClient();
const app = express();
app.use(express.json());

export async function signOut(userId?: string) {
  await prisma.session.deleteMany({ where: { userId } });
  //                                         ^^^^^^ undefined-filter: Without `userId` the condition on `userId` is dropped and `prisma.session.deleteMany` deletes every row of `session`.
}
export async function byUnion(userId: string | undefined) {
  await prisma.session.updateMany({ where: { userId }, data: { ended: true } });
  //                                         ^^^^^^ undefined-filter
}
export async function byMember({ token }: { token?: string }) {
  return prisma.invite.findFirst({ where: { token } });
  //                                        ^^^^^ undefined-filter
}
export async function byChain(user: { team?: { id: string } }) {
  await prisma.member.deleteMany({ where: { teamId: user.team?.id } });
  //                                        ^^^^^^^^^^^^^^^^^^^^^ undefined-filter
  const teamId = user.team?.id;
  return prisma.member.deleteMany({ where: { teamId } });
  //                                         ^^^^^^ undefined-filter
}
export async function withOwner(ownerId: string, fileId?: string) {
  await prisma.share.deleteMany({ where: { ownerId, fileId } });
  //                                                ^^^^^^ undefined-filter
}
app.post('/sessions/end', async (req, res) => {
  await prisma.session.deleteMany({ where: { userId: req.body.userId } });
  //                                         ^^^^^^^^^^^^^^^^^^^^^^^ undefined-filter
  const input = z.object({ deviceId: z.string().optional() }).parse(req.body);
  await prisma.session.deleteMany({ where: { deviceId: input.deviceId } });
  //                                         ^^^^^^^^^^^^^^^^^^^^^^^^ undefined-filter
  res.sendStatus(204);
});
app.post('/sessions/:id/end', async (req, res) => {
  const input = z.object({ deviceId: z.string(), place: z.string().optional().default('x') }).parse(req.body);
  await prisma.session.deleteMany({ where: { deviceId: input.deviceId } }); // ok: undefined-filter
  await prisma.session.deleteMany({ where: { userId: req.params.id } }); // ok: undefined-filter
  res.sendStatus(204);
});

// A missing value is refused, or stands for something.
export async function refused(userId?: string) {
  if (!userId) throw new Error('nobody');
  await prisma.session.deleteMany({ where: { userId } }); // ok: undefined-filter
}
export async function inside(userId?: string) {
  if (userId) await prisma.session.deleteMany({ where: { userId } }); // ok: undefined-filter
}
export async function defaulted(userId: string = 'guest', other?: string) {
  await prisma.session.deleteMany({ where: { userId } }); // ok: undefined-filter
  await prisma.session.deleteMany({ where: { userId: other ?? 'guest' } }); // ok: undefined-filter
}
export async function asserted(assert: (x: unknown) => void, userId?: string) {
  assert(userId);
  await prisma.session.deleteMany({ where: { userId } }); // ok: undefined-filter
}
export async function vouched(userId?: string) {
  await prisma.session.deleteMany({ where: { userId: userId! } }); // ok: undefined-filter
}
export async function required(userId: string) {
  await prisma.session.deleteMany({ where: { userId } }); // ok: undefined-filter
}
export async function written(userId?: string) {
  userId ||= 'guest';
  await prisma.session.deleteMany({ where: { userId } }); // ok: undefined-filter
}

// What one asks for in a list is optional by design; a unique search refuses undefined by itself.
export async function listed(userId?: string, status?: string) {
  await prisma.session.findMany({ where: { userId } }); // ok: undefined-filter
  await prisma.session.count({ where: { userId } }); // ok: undefined-filter
  await prisma.session.findUnique({ where: { id: userId } }); // ok: undefined-filter
  await prisma.session.updateMany({ where: { userId: 'u', status }, data: {} }); // ok: undefined-filter
  await prisma.share.deleteMany({ where: { id: 'one', fileId: userId } }); // ok: undefined-filter
}
export async function unread(where: { userId?: string }) {
  await prisma.session.deleteMany({ where }); // ok: undefined-filter
}
