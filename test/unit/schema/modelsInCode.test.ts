import { strict as assert } from 'node:assert';
import { Project } from '../../../server/src/model/project.ts';
import { isFullyKnown, isUnique } from '../../../server/src/schema/uniqueKeys.ts';
import { memoryHost } from '../../support/memoryHost.ts';

interface Case {
  readonly about: string;
  readonly code: string;
  readonly unique: readonly [string, ...string[]][];
  readonly not?: readonly [string, ...string[]][];
  /** Entities of which all keys are known. */
  readonly known?: readonly string[];
  readonly doubtful?: readonly string[];
}

const CASES: readonly Case[] = [
  {
    about: 'TypeORM entities',
    code: `
      @Entity('accounts')
      @Unique(['provider', 'externalId'])
      @Index('by_tag', ['shop', 'tag'], { unique: true })
      @Index(['createdAt'])
      export class Account {
        @PrimaryGeneratedColumn('uuid') id: string;
        @Column({ unique: true, length: 200 }) email: string;
        @Column() provider: string;
        @Index({ unique: true }) @Column() handle: string;
        @OneToOne(() => Wallet, { unique: true }) wallet: Wallet;
      }
      @Entity()
      @Unique('by_day', (visit: Visit) => [visit.shop, visit.day])
      export class Visit { @PrimaryColumn() id: number; }
      @Entity()
      @Index(['slot'], { unique: true, where: 'cancelled = false' })
      export class Booking { @PrimaryColumn() id: number; }
      export class Plain { @Column({ unique: true }) code: string; }`,
    unique: [
      ['Account', 'email'],
      ['accounts', 'provider', 'external_id'],
      ['account', 'tag', 'shop'],
      ['Account', 'handle'],
      ['Account', 'walletId'],
      ['Visit', 'id'],
    ],
    not: [
      ['Account', 'provider'],
      ['Account', 'createdAt'],
      ['Booking', 'slot'],
      ['Plain', 'code'],
    ],
    known: ['Account'],
    doubtful: ['Visit', 'Booking', 'Plain'],
  },
  {
    about: 'MikroORM entities',
    code: `
      @Entity({ tableName: 'coupon_codes' })
      @Unique({ properties: ['shop', 'code'] })
      export class Coupon {
        @PrimaryKey() id!: number;
        @Property({ unique: true }) slug!: string;
      }`,
    unique: [
      ['Coupon', 'slug'],
      ['coupon_codes', 'shop', 'code'],
    ],
    not: [['Coupon', 'code']],
    known: ['Coupon'],
  },
  {
    about: 'Sequelize models, with its migrations',
    code: `
      export const Ticket = sequelize.define('Ticket', {
        id: { type: DataTypes.UUID, primaryKey: true },
        number: { type: DataTypes.INTEGER, unique: true },
        room: { type: DataTypes.STRING, unique: 'seat' },
        place: { type: DataTypes.STRING, unique: 'seat' },
        note: { type: DataTypes.TEXT },
      }, { tableName: 'sold_tickets', indexes: [{ unique: true, fields: ['holder', { name: 'day' }] }, { fields: ['note'] }] });
      class Pass extends Model {}
      Pass.init({ code: { type: DataTypes.STRING, unique: true } }, { sequelize });
      export async function up(queryInterface) {
        await queryInterface.createTable('badges', { id: { type: Sequelize.INTEGER, primaryKey: true }, owner: { type: Sequelize.STRING } });
        await queryInterface.addIndex('badges', ['owner', 'kind'], { unique: true });
        await queryInterface.addConstraint('passes', { type: 'unique', fields: ['gate'] });
        await queryInterface.addIndex('badges', ['kind']);
      }
      registry.define('plain', { size: { max: 3 } });`,
    unique: [
      ['Ticket', 'number'],
      ['sold_tickets', 'room', 'place'],
      ['Ticket', 'holder', 'day'],
      ['Pass', 'code'],
      ['badge', 'kind', 'owner'],
      ['Passes', 'gate'],
    ],
    not: [
      ['Ticket', 'room'],
      ['Ticket', 'note'],
      ['badges', 'kind'],
    ],
    known: ['Ticket', 'badges'],
    doubtful: ['plain'],
  },
  {
    about: 'Drizzle tables',
    code: `
      import { pgTable, text, uniqueIndex, unique, primaryKey } from 'drizzle-orm/pg-core';
      export const members = pgTable('team_members', {
        id: text('id').primaryKey(),
        team: text('team').notNull(),
        person: text('person').notNull(),
        mail: text('mail').notNull().unique(),
        nick: text('nick'),
      }, (t) => [unique('one_each').on(t.team, t.person), uniqueIndex('open_nick').on(t.nick).where(sql\`left is null\`)]);
      export const votes = pgTable('votes', { poll: text('poll'), voter: text('voter') }, (t) => ({ pk: primaryKey({ columns: [t.poll, t.voter] }) }));`,
    unique: [
      ['members', 'mail'],
      ['team_members', 'team', 'person'],
      ['votes', 'voter', 'poll'],
    ],
    not: [
      ['members', 'nick'],
      ['members', 'person'],
      ['votes', 'poll'],
    ],
    known: ['votes'],
    doubtful: ['members'],
  },
  {
    about: 'Mongoose schemas',
    code: `
      import mongoose, { Schema } from 'mongoose';
      const parcel = new Schema({ code: { type: String, unique: true }, shop: String, slip: { type: String, unique: true, sparse: true } });
      parcel.index({ shop: 1, day: 1 }, { unique: true });
      parcel.index({ day: 1 });
      export const Parcel = mongoose.model('Parcel', parcel);
      export const Depot = mongoose.model('Depot', new Schema({ name: { type: String, unique: true } }));`,
    unique: [
      ['Parcel', 'code'],
      ['parcels', 'day', 'shop'],
      ['Depot', 'name'],
      ['Depot', '_id'],
    ],
    not: [
      ['Parcel', 'day'],
      ['Parcel', 'slip'],
    ],
    known: ['Depot'],
    doubtful: ['Parcel'],
  },
  {
    about: 'Knex migrations and SQL in code',
    code: `
      export const up = (knex) => knex.schema.createTable('shelves', (t) => {
        t.increments();
        t.string('label').notNullable().unique();
        t.unique(['aisle', 'row']);
        t.string('colour');
      });
      export async function down(db) {
        await db.query(\`CREATE UNIQUE INDEX boxes_by_mark ON boxes (mark)\`);
        await db.query('ALTER TABLE crates ADD CONSTRAINT one UNIQUE (seal)');
      }`,
    unique: [
      ['shelves', 'id'],
      ['shelves', 'label'],
      ['shelves', 'row', 'aisle'],
      ['box', 'mark'],
      ['crate', 'seal'],
    ],
    not: [
      ['shelves', 'colour'],
      ['shelves', 'row'],
    ],
    known: ['shelves'],
  },
];

describe('unique keys of models in code', () => {
  for (const { about, code, unique, not = [], known = [], doubtful = [] } of CASES)
    it(about, () => {
      const project = new Project('/p', memoryHost({ 'src/model.ts': code }));
      const keys = project.schema.uniqueKeys();
      for (const [entity, ...columns] of unique)
        assert.equal(isUnique(keys, entity, columns), true, `${entity}(${columns.join()})`);
      for (const [entity, ...columns] of not)
        assert.equal(isUnique(keys, entity, columns), false, `${entity}(${columns.join()})`);
      for (const entity of known) assert.equal(isFullyKnown(keys, entity), true, entity);
      for (const entity of doubtful) assert.equal(isFullyKnown(keys, entity), false, entity);
    });

  it('follow the text of an open document', () => {
    const project = new Project(
      '/p',
      memoryHost({ 'src/model.ts': "import { pgTable, text } from 'drizzle-orm/pg-core';" }),
    );
    assert.equal(isUnique(project.schema.uniqueKeys(), 'notes', ['slug']), false);
    project.setOverlay(
      'src/model.ts',
      "import { pgTable, text } from 'drizzle-orm/pg-core';\nexport const notes = pgTable('notes', { slug: text('slug').unique() });",
    );
    assert.equal(isUnique(project.schema.uniqueKeys(), 'notes', ['slug']), true);
    project.setOverlay('src/model.ts', null);
    assert.equal(isUnique(project.schema.uniqueKeys(), 'notes', ['slug']), false);
  });

  it('are not gathered anew while a file without tables is edited', () => {
    const host = memoryHost({
      'src/model.ts': '@Entity() class Shop { @PrimaryColumn() code: string; }',
      'src/work.ts': 'export const a = 1;',
    });
    let listings = 0;
    const project = new Project('/p', {
      ...host,
      listFiles: (root, options) => (listings++, host.listFiles(root, options)),
    });
    const before = project.schema.uniqueKeys();
    const seen = listings;
    project.setOverlay('src/work.ts', 'export const a = 2;');
    assert.equal(project.schema.uniqueKeys(), before);
    assert.equal(listings, seen);
    project.setOverlay('src/work.ts', '@Entity() class Stall { @PrimaryColumn() code: string; }');
    assert.equal(isUnique(project.schema.uniqueKeys(), 'Stall', ['code']), true);
    assert.equal(isUnique(project.schema.uniqueKeys(), 'Shop', ['code']), true);
    assert.equal(listings, seen, 'the folders are listed once');
  });

  it('are none in code that does not parse, and the rest is read all the same', () => {
    const project = new Project(
      '/p',
      memoryHost({
        'src/broken.ts': "export const x = sequelize.define('X', { a: { type: T, unique: ",
        'src/model.ts': '@Entity() class Shop { @PrimaryColumn() code: string; }',
      }),
    );
    assert.equal(isUnique(project.schema.uniqueKeys(), 'Shop', ['code']), true);
  });
});
