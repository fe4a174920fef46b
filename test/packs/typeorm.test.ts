import { strict as assert } from 'node:assert';
import { callEffects } from '../support/callEffects.ts';

describe('pack typeorm', () => {
  it('takes the entity from the type argument, from getRepository and from the first argument', () => {
    assert.deepEqual(
      callEffects(`import { DataSource, Repository, EntityManager } from 'typeorm';
import { InjectRepository } from '@nestjs/typeorm';
const source = new DataSource({});
await source.getRepository(User).save({});
await source.manager.update(User, { id: 1 }, { a: 1 });
await source.transaction('SERIALIZABLE', async m => { await m.getRepository(Post).delete({ id: 1 }); await m.insert(User, {}); });
export class Orders {
  constructor(@InjectRepository(Order) private readonly orders: Repository<Order>, private em: EntityManager) {}
  add() { return this.orders.insert({}); }
  more() { return this.em.save(Invoice, {}); }
}`),
      [
        'save → typeorm.Repository upsert user',
        'update → typeorm.EntityManager update user',
        'delete → typeorm.Repository delete post',
        'insert → typeorm.TransactionManager insert user',
        'insert → typeorm.Repository insert order',
        'save → typeorm.EntityManager upsert invoice',
      ],
    );
  });
  it('knows query runners, builders, custom repositories and active records', () => {
    assert.deepEqual(
      callEffects(`import { DataSource, Repository, BaseEntity } from 'typeorm';
class UserRepository extends Repository<User> {}
class Photo extends BaseEntity {}
export async function f(source: DataSource, users: UserRepository) {
  const runner = source.createQueryRunner();
  await runner.startTransaction();
  await runner.manager.save(User, {});
  await runner.commitTransaction();
  await runner.release();
  await source.createQueryBuilder().update(User).set({}).where('id = 1').execute();
  await users.find();
  const p = await Photo.findOneBy({ id: 1 });
  await Photo.delete({ id: 1 });
}`),
      [
        'createQueryRunner → typeorm.DataSource acquire',
        'startTransaction → typeorm.QueryRunner begin',
        'save → typeorm.TransactionManager upsert user',
        'commitTransaction → typeorm.QueryRunner commit',
        'release → typeorm.QueryRunner release',
        'execute → typeorm.UpdateBuilder update user',
        'find → typeorm.Repository read userrepository',
        'findOneBy → typeorm.EntityStatic read photo',
        'delete → typeorm.EntityStatic delete photo',
      ],
    );
  });
});
