import { strict as assert } from 'node:assert';
import { callEffects } from '../support/callEffects.ts';

describe('pack sequelize', () => {
  it('knows models as classes, their instances and lists of them', () => {
    assert.deepEqual(
      callEffects(`import { Model, Table } from 'sequelize-typescript';
@Table
class User extends Model {
  async rename(name: string) { this.name = name; await this.save(); }
}
const u = await User.findByPk(1);
await u.update({ a: 1 });
await u.rename('x');
for (const each of await User.findAll()) await each.destroy();
const [row] = await User.findOrCreate({ where: {} });
await row.increment('n');
await new User().save();`),
      [
        'save → sequelize.Model upsert user',
        'findByPk → sequelize.ModelStatic read user',
        'update → sequelize.Model update user',
        'findAll → sequelize.ModelStatic read user',
        'destroy → sequelize.Model delete user',
        'findOrCreate → sequelize.ModelStatic upsert user',
        'increment → sequelize.Model increment user',
        'save → sequelize.Model upsert user',
      ],
    );
  });
  it('knows defined models, raw queries and transactions', () => {
    assert.deepEqual(
      callEffects(`const { Sequelize } = require('sequelize');
const sequelize = new Sequelize('x');
const User = sequelize.define('user', {});
await User.create({});
await sequelize.query('DELETE FROM a WHERE b = 1');
const t = await sequelize.transaction();
await t.rollback();`),
      [
        'create → sequelize.ModelStatic insert user',
        'query → sequelize.Sequelize delete a',
        'rollback → sequelize.Transaction rollback',
      ],
    );
  });
});
