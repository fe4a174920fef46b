import { Sequelize, Model } from 'sequelize';
import { model, Schema } from 'mongoose';
import { DataSource } from 'typeorm';
const sequelize = new Sequelize('postgres://db');
class Product extends Model {}
const Visit = model('Visit', new Schema({ n: Number }));
const source = new DataSource({ type: 'postgres' });
class Stock {}

export async function sell(id: string, n: number) {
  const product = await Product.findByPk(id);
  //                    ^^^^^^^^^^^^^^^^ read-modify-write: Two callers at the same time both start from the `product.stock` that is read here, and the later `product.save` puts out what the earlier one wrote.
  product.stock = product.stock - n;
  await product.save();
}
export async function visit(id: string) {
  const visit = await Visit.findById(id);
  //                  ^^^^^^^^^^^^^^ read-modify-write
  visit.n += 1;
  await visit.save();
}
export async function count(id: string) {
  const row = await source.getRepository(Stock).findOne({ where: { id } });
  //                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ read-modify-write
  row.left--;
  await source.getRepository(Stock).save(row);
}
export async function rename(id: string, name: string) {
  const product = await Product.findByPk(id);
  //                    ^^^^^^^^^^^^^^^^ read-modify-write: A caller that saves between this read and `product.save` is not noticed: the row is neither locked nor versioned.
  product.name = name;
  await product.save();
}
async function move({ product, place }: { product: Product; place: number }) {
  product.place = place;
  await product.save();
}
export async function handedOn(id: string, place: number) {
  const product = await Product.findByPk(id);
  //                    ^^^^^^^^^^^^^^^^ read-modify-write
  await move({ product, place });
}
export async function handedOnLocked(id: string, place: number) {
  await sequelize.transaction(async t => {
    const product = await Product.findByPk(id, { transaction: t, lock: t.LOCK.UPDATE }); // ok: read-modify-write
    await move({ product, place });
  });
}

export async function lockedRow(id: string, n: number) {
  await sequelize.transaction(async t => {
    const product = await Product.findByPk(id, { transaction: t, lock: t.LOCK.UPDATE }); // ok: read-modify-write
    product.stock = product.stock - n;
    await product.save({ transaction: t });
  });
}
export async function created(n: number) {
  const product = await Product.create({ n }); // ok: read-modify-write
  product.stock = product.stock - n;
  await product.save();
}
export async function onlyRead(id: string) {
  const product = await Product.findByPk(id); // ok: read-modify-write
  return product.stock - 1;
}
