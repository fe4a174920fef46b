//- /package.json
{ "dependencies": { "typeorm": "1.1.1" } }
//- /src/new.ts
import { DataSource } from 'typeorm';
class Invite {}
export async function accept(source: DataSource, token?: string) {
  await source.getRepository(Invite).findOne({ where: { token } }); // ok: undefined-filter
  await source.getRepository(Invite).delete({ token }); // ok: undefined-filter
}
