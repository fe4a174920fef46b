//- /prisma/schema.prisma
model Price {
  id      String  @id @default(cuid())
  project String
  name    String
  unit    String?
  @@unique([project, name, unit])
}
//- /src/prices.ts
import { PrismaClient } from '@prisma/client';
const prisma = new PrismaClient();

export async function add(project: string, input: { name: string; unit: string }) {
  const known = await prisma.price.findFirst({ where: { project, name: input.name } });
  if (known) throw new Error('exists');
  return prisma.price.create({ data: { project, ...input } });
  //     ^^^^^^^^^^^^^^^^^^^ check-then-write: Two callers at the same time both look with `prisma.price.findFirst` before either has written, and both go on to create a `price`: nothing in this code stops the second.
}
export async function addPlain(project: string, name: string) {
  const known = await prisma.price.findFirst({ where: { project, name } });
  if (known) throw new Error('exists');
  return prisma.price.create({ data: { project, name } });
  //     ^^^^^^^^^^^^^^^^^^^ check-then-write: Two callers at the same time both look with `prisma.price.findFirst` before either has written, and both go on to create a `price`: no unique key of the schema stops the second.
}
