//- /package.json
{ "dependencies": { "pg": "^8.13.0" } }
//- /src/invites.ts
import { Pool } from 'pg';
const pool = new Pool();

// Words of the statement that are as long as the table's name are not its name.
export async function invite(email: string) {
  const { rows } = await pool.query('SELECT source FROM invite WHERE email = $1', [email]);
  if (rows.length > 0) return;
  await pool.query('INSERT INTO invite (source, email) VALUES ($1, $2)', ['form', email]);
  //    ^^^^^^^^^^ check-then-write: Two callers at the same time both look with `pool.query` before either has written, and both go on to create an `invite`: nothing in this code stops the second.
}
