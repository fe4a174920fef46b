//- /prisma/schema.prisma
generator client {
  provider        = "prisma-client-js"
  previewFeatures = ["strictUndefinedChecks"]
}
//- /src/sessions.ts
import { PrismaClient } from '@prisma/client';
const prisma = new PrismaClient();
export async function signOut(userId?: string) {
  await prisma.session.deleteMany({ where: { userId } }); // ok: undefined-filter
}
