//- /src/models.ts
import { Model } from 'sequelize';
export class User extends Model {}
export class Badge extends Model {}
//- /src/sequelize.ts
import { Sequelize, type Transaction } from 'sequelize';
import { Badge, User } from './models';
const sequelize = new Sequelize('postgres://x');

export async function managed(id: number) {
  await sequelize.transaction(async (transaction) => {
    const user = await User.findByPk(id, { transaction });
    await Badge.create({ userId: id });
    //    ^^^^^^^^^^^^ outer-handle-in-transaction   💡 Use the transaction handle `transaction`
    await user!.update({ badges: 1 }, { transaction }); // ok: outer-handle-in-transaction
    await user!.save();
    //    ^^^^^^^^^^ outer-handle-in-transaction
  });
}
export async function unmanaged(id: number) {
  const t = await sequelize.transaction();
  try {
    await User.update({ a: 1 }, { where: { id }, transaction: t });
    await Badge.destroy({ where: { userId: id } });
    //    ^^^^^^^^^^^^^ outer-handle-in-transaction
    await t.commit();
  } catch (error) {
    await t.rollback();
    throw error;
  }
  await Badge.create({ userId: id }); // ok: outer-handle-in-transaction
}
export async function handed(id: number, transaction: Transaction) {
  const user = await User.findByPk(id, { transaction });
  await user!.save();
  //    ^^^^^^^^^^ outer-handle-in-transaction   💡 Use the transaction handle `transaction`
}
export async function fromContext(ctx: { state: { transaction: Transaction } }, id: number) {
  const { transaction } = ctx.state;
  const user = await User.findByPk(id, { transaction, lock: transaction.LOCK.UPDATE });
  await user!.save();
  //    ^^^^^^^^^^ outer-handle-in-transaction
}
export async function passedOptions(id: number, options: object) {
  await sequelize.transaction(async () => {
    await User.update({ a: 1 }, options as never); // ok: outer-handle-in-transaction
  });
}
export async function optional(id: number, transaction?: Transaction) {
  await User.update({ a: 1 }, { where: { id }, transaction });
  await Badge.count(); // ok: outer-handle-in-transaction
}
//- /src/mongo.ts
import mongoose from 'mongoose';
const User = mongoose.model('User', {} as never);
const Badge = mongoose.model('Badge', {} as never);
export async function inSession(id: string) {
  const session = await mongoose.startSession();
  try {
    await session.withTransaction(async () => {
      await User.updateOne({ _id: id }, { a: 1 }, { session });
      await Badge.updateOne({ user: id }, { a: 1 });
      //    ^^^^^^^^^^^^^^^ outer-handle-in-transaction   💡 Use the transaction handle `session`
      await Badge.deleteMany({ user: id }).session(session); // ok: outer-handle-in-transaction
    });
  } finally {
    await session.endSession();
  }
}
