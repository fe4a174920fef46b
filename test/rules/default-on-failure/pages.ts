//- /app/routes/agents.tsx
import { PrismaClient } from '@prisma/client';
const prisma = new PrismaClient();

export async function loader() {
  return { runs: await prisma.run.findMany().catch(() => []) };
  //                                         ^^^^^ default-on-failure(low)
}
//- /app/agents.server.ts
import { PrismaClient } from '@prisma/client';
const prisma = new PrismaClient();

export async function runsOf() {
  return prisma.run.findMany().catch(() => []);
  //                           ^^^^^ default-on-failure(high)
}
