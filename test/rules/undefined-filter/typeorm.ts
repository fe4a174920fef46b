//- /package.json
{ "dependencies": { "typeorm": "0.3.20" } }
//- /src/old.ts
import { DataSource } from 'typeorm';
class Invite {}
export async function accept(source: DataSource, token?: string) {
  await source.getRepository(Invite).findOne({ where: { token } });
  //                                                    ^^^^^ undefined-filter: Without `token` the condition on `token` is dropped and `source.getRepository().findOne` finds the first row of `invite`, whoever it belongs to.
  await source.getRepository(Invite).delete({ token });
  //                                          ^^^^^ undefined-filter
}
export async function refused(source: DataSource, token?: string) {
  if (!token) return null;
  return source.getRepository(Invite).findOne({ where: { token } }); // ok: undefined-filter
}
