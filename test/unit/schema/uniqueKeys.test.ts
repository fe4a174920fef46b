import { strict as assert } from 'node:assert';
import { isUnique, readPrismaSchema, readSqlSchema } from '../../../server/src/schema/uniqueKeys.ts';

const PRISMA = `
model TeamMember {
  id     String @id @default(cuid())
  teamId String
  userId String
  email  String @unique // for sign-in
  role   String
  @@unique([teamId, userId])
  @@index([role])
  @@map("team_members")
}
model Invite {
  id    String @id
  email String
  // email String @unique
  @@index([email])
}
`;

const SQL = `
CREATE TABLE IF NOT EXISTS "accounts" (
  id uuid PRIMARY KEY,
  provider text NOT NULL,
  provider_account_id text NOT NULL,
  amount numeric(10, 2),
  login text UNIQUE,
  CONSTRAINT one_per_provider UNIQUE (provider, provider_account_id)
);
-- CREATE UNIQUE INDEX nope ON accounts (amount);
CREATE UNIQUE INDEX CONCURRENTLY orders_ref ON public.orders USING btree (tenant_id, lower_ref DESC);
CREATE UNIQUE INDEX open_only ON tickets (customer_id) WHERE closed_at IS NULL;
ALTER TABLE ONLY webhooks ADD CONSTRAINT webhooks_event UNIQUE (event_id);
`;

describe('unique keys', () => {
  const cases: readonly [string, string, string[], boolean][] = [
    ['a field', 'TeamMember', ['email'], true],
    ['a client’s name of the model', 'teammember', ['id'], true],
    ['the mapped table', 'team_members', ['team_id', 'user_id'], true],
    ['a set within more columns', 'teamMember', ['teamId', 'userId', 'role'], true],
    ['half of a set', 'teamMember', ['teamId'], false],
    ['a plain index', 'teamMember', ['role'], false],
    ['a commented line', 'invite', ['email'], false],
    ['another model', 'nothing', ['id'], false],
  ];
  for (const [what, entity, columns, unique] of cases)
    it(`Prisma: ${what}`, () => assert.equal(isUnique(readPrismaSchema(PRISMA), entity, columns), unique));

  const sql: readonly [string, string, string[], boolean][] = [
    ['a primary key', 'accounts', ['id'], true],
    ['a column constraint', 'account', ['login'], true],
    ['a table constraint', 'accounts', ['provider', 'providerAccountId'], true],
    ['a column whose type holds a comma', 'accounts', ['amount'], false],
    ['a unique index with direction and schema', 'orders', ['tenantId', 'lowerRef'], true],
    ['a partial index', 'tickets', ['customerId'], false],
    ['a constraint added later', 'webhooks', ['eventId'], true],
  ];
  for (const [what, entity, columns, unique] of sql)
    it(`SQL: ${what}`, () => assert.equal(isUnique(readSqlSchema(SQL), entity, columns), unique));

  it('broken text gives what can be read', () => {
    assert.equal(readPrismaSchema('model X { id String @id').size, 0);
    assert.equal(isUnique(readSqlSchema('create table a (id int primary key, '), 'a', ['id']), true);
  });
});
