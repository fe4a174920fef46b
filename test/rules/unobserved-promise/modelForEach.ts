import { Model } from 'sequelize';

class Page extends Model {}

export async function dropTree(id: string) {
  const children = await Page.findAll({ where: { parentId: id } });
  children.forEach(async child => {
//^^^^^^^^^^^^^^^^ unobserved-promise
    await dropTree(child.id);
    await child.destroy();
  });
}
