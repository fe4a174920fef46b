import { PrismaClient } from '@prisma/client';
const prisma = new PrismaClient();

export async function rename(id: string, logo: string) {
  const org = await prisma.org.findUnique({ where: { id } });
  await prisma.org.update({
    //  ^^^^^^^^^^^^^^^^^ read-modify-write(low)
    where: { id },
    data: { settings: { ...(org?.settings as object), logo } },
  });
}
export async function addTicket(id: string, ticket: string) {
  const draw = await prisma.draw.findUnique({ where: { id } });
  await prisma.draw.update({
    //  ^^^^^^^^^^^^^^^^^^ read-modify-write(medium)
    where: { id },
    data: { tickets: { ...(draw?.tickets as object), [ticket]: true } },
  });
}
