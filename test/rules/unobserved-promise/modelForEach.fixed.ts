import { Model } from 'sequelize';

class Page extends Model {}

export async function dropTree(id: string) {
  const children = await Page.findAll({ where: { parentId: id } });
  for (const child of children) {
    await dropTree(child.id);
    await child.destroy();
  }
}
