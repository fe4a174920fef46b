//- /src/app/api/webhooks/billing/route.ts
import { PrismaClient } from '@prisma/client';
const prisma = new PrismaClient();

export async function POST(request: Request) {
//                    ^^^^ unverified-webhook
  const body = await request.json();
  await prisma.invoice.update({ where: { id: body.invoiceId }, data: { paid: true } });
  return Response.json({ received: true });
}
//- /src/app/api/webhooks/signed/route.ts
import { PrismaClient } from '@prisma/client';
import { Webhook } from 'svix';
const prisma = new PrismaClient();

export async function POST(request: Request) { // ok: unverified-webhook
  const payload = await request.text();
  const body = new Webhook(process.env.HOOK_SECRET ?? '').verify(payload, Object.fromEntries(request.headers)) as { invoiceId: string };
  await prisma.invoice.update({ where: { id: body.invoiceId }, data: { paid: true } });
  return Response.json({ received: true });
}
//- /src/app/api/webhooks/wrapped/route.ts
import { PrismaClient } from '@prisma/client';
import { withAnything } from 'some-package';
const prisma = new PrismaClient();

export const POST = withAnything(async (request: Request) => { // ok: unverified-webhook
  const body = await request.json();
  await prisma.invoice.update({ where: { id: body.invoiceId }, data: { paid: true } });
  return Response.json({ received: true });
});
//- /src/app/api/webhooks/session/route.ts
import { PrismaClient } from '@prisma/client';
import { getServerSession } from 'next-auth';
const prisma = new PrismaClient();

export async function POST(request: Request) { // ok: unverified-webhook
  const session = await getServerSession();
  if (!session) return new Response('no', { status: 401 });
  const body = await request.json();
  await prisma.invoice.update({ where: { id: body.invoiceId }, data: { paid: true } });
  return Response.json({ received: true });
}
