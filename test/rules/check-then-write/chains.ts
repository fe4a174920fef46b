//- /src/schema.ts
import { pgTable, text, serial } from 'drizzle-orm/pg-core';
export const page = pgTable('page', {
  id: serial('id').primaryKey(),
  slug: text('slug').notNull().unique(),
  teamId: text('team_id').notNull(),
});
//- /src/pages.ts
import { drizzle } from 'drizzle-orm/node-postgres';
import { eq, sql } from 'drizzle-orm';
import { page } from './schema';
const db = drizzle(process.env.URL ?? '');

// The look is for the slug, which is unique; the rest is spread.
export async function create(input: { slug: string; teamId: string }) {
  const same = (await db.select({ count: sql<number>`count(*)` }).from(page).where(eq(page.slug, input.slug)))[0]!.count;
  if (same > 0) throw new Error('taken');
  await db.insert(page).values({ ...input });
  //    ^^^^^^^^^ check-then-write(low)
}
export async function quota(teamId: string, limit: number) {
  const count = (await db.select({ count: sql<number>`count(*)` }).from(page).where(eq(page.teamId, teamId)))[0]!.count;
  if (count >= limit) throw new Error('no more');
  await db.insert(page).values({ slug: crypto.randomUUID(), teamId });
  //    ^^^^^^^^^ check-then-write(low): Two callers at the same time both count with `db.select().from` before either has written, and both create a `page`: together they pass the limit that each one keeps.
}
export async function perTeam(teamId: string) {
  const [known] = await db.select().from(page).where(eq(page.teamId, teamId));
  if (known) return;
  await db.insert(page).values({ slug: crypto.randomUUID(), teamId });
  //    ^^^^^^^^^ check-then-write(high)
}
