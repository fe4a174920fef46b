import { PrismaClient } from '@prisma/client';
const prisma = new PrismaClient();

export async function show(person: string, survey: string) {
  let contact = await prisma.contact.findFirst({ where: { person } });
  if (!contact) {
    contact = await prisma.contact.create({ data: { person } });
    //              ^^^^^^^^^^^^^^^^^^^^^ writes-without-transaction(low)
  }
  await prisma.display.create({ data: { survey, contact: { connect: { id: contact.id } } } });
}
export async function signUp(email: string) {
  const user = await prisma.user.create({ data: { email } });
  //                 ^^^^^^^^^^^^^^^^^^ writes-without-transaction(low)
  return prisma.session.create({ data: { userId: user.id } });
}
export async function open(name: string) {
  const board = await prisma.board.create({ data: { name } });
  //                  ^^^^^^^^^^^^^^^^^^^ writes-without-transaction(high)
  await prisma.column.create({ data: { boardId: board.id, name: 'to do' } });
}
