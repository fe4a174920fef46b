import { strict as assert } from 'node:assert';
import { callEffects } from '../support/callEffects.ts';

describe('packs mongodb and mongoose', () => {
  it('mongodb: collections through clients and databases', () => {
    assert.deepEqual(
      callEffects(`import { MongoClient } from 'mongodb';
const client = new MongoClient('x');
const users = client.db('a').collection('users');
await users.updateOne({ a: 1 }, { $set: { b: 1 } });
await users.find({}).limit(3).toArray();
const session = client.startSession();
await session.withTransaction(async () => { await users.insertOne({}, { session }); });`),
      [
        'updateOne → mongodb.Collection update users',
        'find → mongodb.Collection read users',
        'startSession → mongodb.MongoClient acquire',
        'insertOne → mongodb.Collection insert users',
      ],
    );
  });
  it('mongoose: models, documents and annotations', () => {
    assert.deepEqual(
      callEffects(`import mongoose, { Model, model } from 'mongoose';
const User = mongoose.models.User || model('User', schema);
const Order = mongoose.model('Order', schema);
const u = await User.findOne({ a: 1 });
u.b = 2;
await u.save();
await new Order({ a: 1 }).save();
await Order.deleteMany({ a: 1 }).session(s);
export class S { constructor(private cats: Model<Cat>) {} add() { return this.cats.create({}); } }`),
      [
        'findOne → mongoose.ModelStatic read user',
        'save → mongoose.Document upsert user',
        'save → mongoose.Document upsert order',
        'deleteMany → mongoose.ModelStatic delete order',
        'create → mongoose.ModelStatic insert cat',
      ],
    );
  });
});
