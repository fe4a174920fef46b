import { Model, Sequelize } from 'sequelize';
const sequelize = new Sequelize('x');
class Seat extends Model {}
class Picture extends Model {}

export async function lockedOutside(id: number) {
  await sequelize.transaction(async (transaction) => {
    const seat = await Seat.findByPk(id, { lock: transaction.LOCK.UPDATE });
    //                 ^^^^^^^^^^^^^ outer-handle-in-transaction: `Seat.findByPk` runs outside the open transaction: the rows it locks are free again before the next statement.
    await seat?.update({ taken: true }, { transaction });
  });
}
export async function lockedInside(id: number) {
  await sequelize.transaction(async (transaction) => {
    const seat = await Seat.findByPk(id, { lock: transaction.LOCK.UPDATE, transaction }); // ok: outer-handle-in-transaction
    await seat?.update({ taken: true }, { transaction });
  });
}

async function render(id: number, options?: { pictures?: boolean; owner?: number }) {
  if (!options?.pictures) return { id };
  return { id };
}
async function describe(id: number, options?: { pictures?: boolean }) {
  if (options?.pictures) return { id, pictures: await Picture.findAll({ where: { id } }) };
  return { id };
}
async function store({ id, ...rest }: { id: number; url?: string; bytes?: Uint8Array }) {
  if ('url' in rest) await Picture.findAll({ where: { id } });
}
export async function optionLeftOut(id: number) {
  await sequelize.transaction(async (transaction) => {
    await Seat.update({ taken: true }, { where: { id }, transaction });
    await render(id); // ok: outer-handle-in-transaction
    await describe(id); // ok: outer-handle-in-transaction
    await describe(id, { pictures: false }); // ok: outer-handle-in-transaction
    await store({ id, bytes: new Uint8Array() }); // ok: outer-handle-in-transaction
  });
}
export async function optionGiven(id: number, more: { pictures: boolean }) {
  await sequelize.transaction(async (transaction) => {
    await Seat.update({ taken: true }, { where: { id }, transaction });
    await describe(id, { pictures: true });
    //    ^^^^^^^^ outer-handle-in-transaction
    await describe(id, more);
    //    ^^^^^^^^ outer-handle-in-transaction
    await store({ id, url: 'https://x' });
    //    ^^^^^ outer-handle-in-transaction
  });
}
