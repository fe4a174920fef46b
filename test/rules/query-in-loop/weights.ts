import express from 'express';
import { PrismaClient } from '@prisma/client';
const app = express();
const prisma = new PrismaClient();

app.post('/names', async (req, res) => {
  const names = [];
  for (const id of req.body.ids) {
    const user = await prisma.user.findUnique({ where: { id } });
    //                 ^^^^^^^^^^^^^^^^^^^^^^ query-in-loop(medium)
    names.push(user?.name);
  }
  res.json(names);
});
export async function nightly(ids: string[]) {
  const names = [];
  for (const id of ids) {
    const user = await prisma.user.findUnique({ where: { id } });
    //                 ^^^^^^^^^^^^^^^^^^^^^^ query-in-loop(low)
    names.push(user?.name);
  }
  return names;
}
