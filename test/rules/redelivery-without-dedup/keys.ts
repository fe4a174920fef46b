//- /prisma/schema.prisma
model Seat {
  id      String @id @default(cuid())
  show    String
  number  Int
  holder  String
  @@unique([show, number])
}
model Note {
  id   String @id
  text String
}
//- /src/hooks.ts
import express from 'express';
import { PrismaClient } from '@prisma/client';
const app = express();
const prisma = new PrismaClient();

app.post('/webhooks/seat', async (req, res) => {
  const { show, number, holder } = req.body;
  await prisma.seat.create({ data: { show, number, holder } });
  //    ^^^^^^^^^^^^^^^^^^ redelivery-without-dedup: When the same event comes a second time, a unique key refuses `prisma.seat.create` and the event fails there: nothing on the way claims the event first.
  res.sendStatus(200);
});
app.post('/webhooks/seat-handled', async (req, res) => {
  const { show, number, holder } = req.body;
  try {
    await prisma.seat.create({ data: { show, number, holder } }); // ok: redelivery-without-dedup
  } catch (error) {
    if ((error as { code?: string }).code !== 'P2002') throw error;
  }
  res.sendStatus(200);
});
app.post('/webhooks/note', async (req, res) => {
  await prisma.note.create({ data: { text: req.body.text } });
  //    ^^^^^^^^^^^^^^^^^^ redelivery-without-dedup: When the same event comes a second time, `prisma.note.create` adds a second `note`: nothing on the way claims the event first.
  res.sendStatus(200);
});
