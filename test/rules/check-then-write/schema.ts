//- /prisma/schema.prisma
model Member {
  id     String @id @default(cuid())
  teamId String
  userId String
  note   String
  @@unique([teamId, userId])
}
model Invite {
  id    String @id @default(cuid())
  email String
  @@index([email])
}
model Badge {
  id    String @id @default(cuid())
  code  String @unique
}
//- /src/teams.ts
import { PrismaClient } from '@prisma/client';
const prisma = new PrismaClient();
export async function join(teamId: string, userId: string) {
  const member = await prisma.member.findFirst({ where: { teamId, userId } });
  if (member) return member;
  return prisma.member.create({ data: { teamId, userId, note: '' } });
  //     ^^^^^^^^^^^^^^^^^^^^ check-then-write: Of two callers at the same time the second gets a unique violation from `prisma.member.create`, and nothing here handles it.
}
export async function connected(teamId: string, userId: string) {
  const member = await prisma.member.findFirst({ where: { teamId, userId } });
  if (member) return member;
  return prisma.member.create({ data: { team: { connect: { id: teamId } }, userId, note: '' } });
  //     ^^^^^^^^^^^^^^^^^^^^ check-then-write: Of two callers at the same time the second gets a unique violation from `prisma.member.create`, and nothing here handles it.
}
export async function invite(email: string) {
  const invite = await prisma.invite.findFirst({ where: { email } });
  if (invite) return invite;
  return prisma.invite.create({ data: { email } });
  //     ^^^^^^^^^^^^^^^^^^^^ check-then-write: Two callers at the same time both look with `prisma.invite.findFirst` before either has written, and both go on to create an `invite`: no unique key of the schema stops the second.
}
export async function handled(code: string) {
  const badge = await prisma.badge.findUnique({ where: { code } });
  if (badge) return badge;
  try {
    return await prisma.badge.create({ data: { code } }); // ok: check-then-write
  } catch (error) {
    if ((error as { code?: string }).code === 'P2002') return prisma.badge.findUnique({ where: { code } });
    throw error;
  }
}
