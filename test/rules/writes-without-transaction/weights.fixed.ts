import { PrismaClient } from '@prisma/client';
const prisma = new PrismaClient();

export async function show(person: string, survey: string) {
  let contact = await prisma.contact.findFirst({ where: { person } });
  if (!contact) {
    contact = await prisma.contact.create({ data: { person } });
  }
  await prisma.display.create({ data: { survey, contact: { connect: { id: contact.id } } } });
}
export async function signUp(email: string) {
  return prisma.$transaction(async (tx) => {
    const user = await tx.user.create({ data: { email } });
    return tx.session.create({ data: { userId: user.id } });
  });
}
export async function open(name: string) {
  await prisma.$transaction(async (tx) => {
    const board = await tx.board.create({ data: { name } });
    await tx.column.create({ data: { boardId: board.id, name: 'to do' } });
  });
}
