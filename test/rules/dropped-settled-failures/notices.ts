import nodemailer from 'nodemailer';
import { Pool } from 'pg';

const pool = new Pool();
const mailer = nodemailer.createTransport({ host: 'smtp' });
async function free(id: string) {
  await pool.query('UPDATE seats SET taken = false WHERE id = $1', [id]);
}
async function notifyHolder(to: string) {
  await mailer.sendMail({ to, text: 'Your seat is free again' });
}

export async function told(to: string[]) {
  await Promise.allSettled(to.map((one) => notifyHolder(one)));
  //    ^^^^^^^^^^^^^^^^^^ dropped-settled-failures(low)
}
export async function toldAndFreed(id: string, to: string) {
  await Promise.allSettled([notifyHolder(to), free(id)]);
  //    ^^^^^^^^^^^^^^^^^^ dropped-settled-failures(medium): When `free` fails here, nothing shows it: the results are never read.
}
