/** A PostgreSQL of its own for one test, where Debian's package is installed: started on loopback, gone afterwards. */
import { execFile, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const PACKAGES = '/usr/lib/postgresql';

/** Its address and how to stop it; a sentence where there is none to be had. */
export async function temporaryPostgres(): Promise<{ readonly url: string; stop(): Promise<void> } | string> {
  const version = existsSync(PACKAGES) ? readdirSync(PACKAGES).sort().at(-1) : undefined;
  if (version === undefined) return 'PostgreSQL is not installed (Debian package postgresql)';
  const bin = (name: string): string => path.join(PACKAGES, version, 'bin', name);
  const root = process.getuid?.() === 0;
  const owner = root ? idOf('postgres') : null;
  // The server refuses to run as root.
  if (root && owner === null) return 'there is no user postgres to run PostgreSQL as';
  const as = owner === null ? {} : { uid: owner.uid, gid: owner.gid };
  const folder = mkdtempSync(path.join(tmpdir(), 'sixlens-postgres-'));
  if (owner) chownSync(folder, owner.uid, owner.gid);
  const data = path.join(folder, 'data');
  const port = await freePort();
  const limits = { ...as, cwd: folder, timeout: 60_000 };
  const stop = async (): Promise<void> => {
    await run(bin('pg_ctl'), ['-D', data, '-m', 'immediate', 'stop'], limits).catch(() => undefined);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await run(bin('initdb'), ['-D', data, '-U', 'postgres', '-A', 'trust', '--no-sync'], limits);
    await run(
      bin('pg_ctl'),
      [
        '-D',
        data,
        '-w',
        '-l',
        path.join(folder, 'log'),
        '-o',
        `-p ${port} -h 127.0.0.1 -k ${folder} -F`,
        'start',
      ],
      limits,
    );
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: `postgres://postgres@127.0.0.1:${port}/postgres`, stop };
}

function idOf(user: string): { readonly uid: number; readonly gid: number } | null {
  const id = (flag: string): number =>
    Number(spawnSync('id', [flag, user], { encoding: 'utf8' }).stdout.trim() || NaN);
  const [uid, gid] = [id('-u'), id('-g')];
  return Number.isInteger(uid) && Number.isInteger(gid) ? { uid, gid } : null;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
