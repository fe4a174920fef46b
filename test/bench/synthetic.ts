/** Writes service code of a wanted length, and edits to it as somebody types them. Pure and deterministic. */

/** Blocks of one service module; `i` keeps names apart. Each is something rules look at: calls, transactions, loops, catches. */
const BLOCKS: readonly ((i: number) => string)[] = [
  (i) => `
export interface Parcel${i} {
  id: string;
  weight: number;
  state: 'new' | 'packed' | 'sent';
  history: { at: number; note: string }[];
}

/** Asks the carrier for a label and stores it. */
export async function label${i}(parcel: Parcel${i}): Promise<string> {
  const response = await fetch(\`\${carrierUrl}/labels/\${parcel.id}\`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ weight: parcel.weight }),
    signal: AbortSignal.timeout(5_000),
  });
  if (!response.ok) throw new Error(\`carrier answered \${response.status}\`);
  const body = (await response.json()) as { label: string };
  await pool.query('update parcels set label = $1 where id = $2', [body.label, parcel.id]);
  return body.label;
}
`,
  (i) => `
router.post('/parcels/${i}/dispatch', async (req, res, next) => {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const { rows } = await client.query('select * from parcels where id = $1 for update', [req.params.id]);
    const parcel = rows[0];
    if (!parcel) {
      await client.query('rollback');
      res.status(404).json({ error: 'unknown parcel' });
      return;
    }
    await client.query('update parcels set state = $1 where id = $2', ['sent', parcel.id]);
    await client.query('insert into events(parcel, kind) values ($1, $2)', [parcel.id, 'dispatch${i}']);
    await client.query('commit');
    res.json({ ok: true });
  } catch (error) {
    await client.query('rollback');
    next(error);
  } finally {
    client.release();
  }
});
`,
  (i) => `
const weights${i} = new Map<string, number>();

export function totalWeight${i}(parcels: readonly { id: string; weight: number }[], limit = ${1000 + i}): number {
  let total = 0;
  for (const parcel of parcels) {
    const known = weights${i}.get(parcel.id) ?? parcel.weight;
    if (known > limit) {
      log.warn({ parcel: parcel.id, known }, 'too heavy');
      continue;
    }
    weights${i}.set(parcel.id, known);
    total += known;
  }
  return parcels.length > 0 ? Math.round(total / parcels.length) : 0;
}

export class Sorter${i} {
  private readonly lanes: string[][] = [];

  constructor(private readonly size: number) {}

  push(id: string): number {
    const lane = id.charCodeAt(0) % this.size;
    (this.lanes[lane] ??= []).push(id);
    return lane;
  }
}
`,
  (i) => `
new Worker('parcel-mail-${i}', async (job) => {
  const { rows } = await pool.query('select address from parcels where id = $1', [job.data.id]);
  for (const row of rows) {
    try {
      await http.post(mailUrl, { to: row.address, template: 'sent${i}' }, { timeout: 3_000 });
    } catch (error) {
      log.error({ error, job: job.id }, 'mail failed');
      throw error;
    }
  }
}, { connection });
`,
  (i) => `
export async function reconcile${i}(ids: string[]): Promise<number> {
  const states = await Promise.all(ids.slice(0, 20).map((id) => label${i - (i % 5)}({ id, weight: 1, state: 'new', history: [] })));
  const missing = states.filter((state) => state.length === 0).map((_, at) => ids[at]!);
  if (missing.length === 0) return 0;
  await pool.query('update parcels set state = $1 where id = any($2)', ['new', missing]);
  return missing.length;
}
`,
];

const HEAD = `import { Router } from 'express';
import { Worker } from 'bullmq';
import axios from 'axios';
import { pool } from './database.ts';
import { log } from './log.ts';

const router = Router();
const http = axios.create({ timeout: 4_000 });
const carrierUrl = process.env.CARRIER_URL ?? 'http://carrier.local';
const mailUrl = process.env.MAIL_URL ?? 'http://mail.local';
const connection = { host: 'localhost', port: 6379 };
`;

/** Whole blocks until at least \`lines\` lines, plus the tail in which edits happen last. */
export function writeService(lines: number): string {
  const parts = [HEAD];
  let count = HEAD.split('\n').length;
  for (let i = 0; count < lines - 1; i++) {
    const block = BLOCKS[i % BLOCKS.length]!(i);
    parts.push(block);
    count += block.split('\n').length - 1;
  }
  parts.push('export { router };\n');
  return parts.join('');
}

/** The modules that the service imports. */
export const NEIGHBOURS: Readonly<Record<string, string>> = {
  'package.json': JSON.stringify({
    name: 'bench-service',
    type: 'module',
    dependencies: { express: '^5.1.0', bullmq: '^5.50.0', axios: '^1.9.0', pg: '^8.16.0', pino: '^9.7.0' },
  }),
  'src/database.ts': `import { Pool } from 'pg';\nexport const pool = new Pool({ connectionTimeoutMillis: 2_000, query_timeout: 10_000 });\n`,
  'src/log.ts': `import pino from 'pino';\nexport const log = pino();\n`,
};

/** A call that has no bound, so it must be reported at once when it is typed into a handler. */
export const PLANTED = `  const planted = await fetch('https://rates.example.com/today');\n  log.info({ status: planted.status });\n`;

export interface Edit {
  readonly text: string;
  /** Where the unbounded call is in this text (offset), or null when it is not in it. */
  readonly plantedAt: number | null;
}

/**
 * Keystroke by keystroke through the file, places spread over it: a name grows by a letter, a statement is half typed, an
 * unbounded call is written and taken out again. Each edit starts from the text before it, as an editor's buffer does.
 */
export function* typeInto(base: string, count: number): Generator<Edit> {
  // The line after a transaction begins and the line after a job starts: inside a handler, where a statement may stand.
  const places = [...base.matchAll(/async \((?:job|req, res, next)\) => \{\n/g)].map(
    (m) => m.index + m[0].length,
  );
  if (places.length === 0) throw new Error('The text has no handler to type into.');
  const steps: readonly ((at: number) => Edit)[] = [
    (at) => ({ text: insert(base, at, '  const x\n'), plantedAt: null }),
    (at) => ({ text: insert(base, at, '  const x = await fetch(\n'), plantedAt: null }),
    (at) => ({ text: insert(base, at, PLANTED), plantedAt: at + PLANTED.indexOf('fetch') }),
    (at) => ({ text: insert(base, at, PLANTED + '  // note\n'), plantedAt: at + PLANTED.indexOf('fetch') }),
    (at) => ({ text: insert(base, at, '  log.info("here");\n'), plantedAt: null }),
  ];
  for (let i = 0; i < count; i++) {
    // A stride that is prime to most counts visits the whole file before it repeats.
    const place = places[(Math.floor(i / steps.length) * 7919) % places.length]!;
    yield steps[i % steps.length]!(place);
  }
}

function insert(text: string, at: number, piece: string): string {
  return text.slice(0, at) + piece + text.slice(at);
}
