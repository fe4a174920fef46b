import { strict as assert } from 'node:assert';
import { callEffects } from '../support/callEffects.ts';

describe('pack drizzle', () => {
  it('reads chains, raw SQL and relational queries', () => {
    assert.deepEqual(
      callEffects(`import { drizzle } from 'drizzle-orm/node-postgres';
import { sql, eq } from 'drizzle-orm';
const db = drizzle(process.env.URL);
await db.insert(users).values({ a: 1 }).returning();
await db.insert(users).values({ a: 1 }).onConflictDoNothing();
await db.update(users).set({ a: 2 }).where(eq(users.id, 1));
await db.delete(users);
const all = await db.select().from(users).limit(5);
await db.query.posts.findMany({ where: eq(1, 1) });
await db.execute(sql\`update a set b = 1\`);`),
      [
        'insert → drizzle.Database insert users',
        'insert → drizzle.Database upsert users',
        'update → drizzle.Database update users',
        'delete → drizzle.Database delete users',
        'from → drizzle.Select read users',
        'findMany → drizzle.QueryTable read posts',
        'execute → drizzle.Database update a',
      ],
    );
  });
  it('follows the transaction parameter and typed databases', () => {
    assert.deepEqual(
      callEffects(`import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
export async function f(db: NodePgDatabase) { await db.transaction(async tx => { await tx.insert(users).values({}); }); }`),
      ['insert → drizzle.Transaction insert users'],
    );
  });
});
