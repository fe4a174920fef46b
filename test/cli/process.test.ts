import { strict as assert } from 'node:assert';
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { tempFolder } from '../unit/node/tempFolder.ts';

const MAIN = fileURLToPath(new URL('../../server/src/cli/main.ts', import.meta.url));
const TSX = fileURLToPath(import.meta.resolve('tsx'));

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** The command line as its own process. `closeEarly` stops reading after the first bytes, as `head` does. */
function sixlens(words: readonly string[], cwd: string, closeEarly = false): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--import', TSX, MAIN, ...words], {
      cwd,
      env: { ...process.env, SIXLENS_CACHE_DIR: 'off', NO_COLOR: '', FORCE_COLOR: undefined },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let out = '';
    let err = '';
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString();
      if (closeEarly) child.stdout.destroy();
    });
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, out, err }));
  });
}

describe('command line as a process', () => {
  it('answers --version with the version of the package', async () => {
    const { default: manifest } = (await import('../../package.json')) as { default: { version: string } };
    const folder = tempFolder();
    assert.deepEqual(await sixlens(['--version'], folder.path), {
      code: 0,
      out: `${manifest.version}\n`,
      err: '',
    });
    folder.remove();
  }).timeout(20_000);

  it('ends with 2 and one line when it cannot run', async () => {
    const folder = tempFolder();
    const { code, out, err } = await sixlens(['check', 'gone.ts'], folder.path);
    assert.deepEqual([code, out], [2, '']);
    assert.equal(err, 'sixlens: check: there is no file or folder gone.ts\n');
    folder.remove();
  }).timeout(20_000);

  it('ends quietly when its reader has enough', async () => {
    const folder = tempFolder();
    const { code, err } = await sixlens(['--help'], folder.path, true);
    assert.deepEqual([code, err], [0, '']);
    folder.remove();
  }).timeout(20_000);

  it('starts the language server, which answers and ends when told', async () => {
    const folder = tempFolder();
    const child = spawn(process.execPath, ['--import', TSX, MAIN, 'lsp'], {
      cwd: folder.path,
      env: { ...process.env, SIXLENS_CACHE_DIR: 'off' },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const send = (message: object): void => {
      const body = JSON.stringify({ jsonrpc: '2.0', ...message });
      child.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    };
    let heard = '';
    child.stdout.on('data', (chunk: Buffer) => {
      heard += chunk.toString();
      if (heard.includes('"id":2')) send({ method: 'exit' });
      else if (heard.includes('"capabilities"')) send({ id: 2, method: 'shutdown' });
    });
    send({ id: 1, method: 'initialize', params: { processId: null, rootUri: null, capabilities: {} } });
    const code = await new Promise((resolve) => child.on('exit', resolve));
    assert.equal(code, 0, heard);
    folder.remove();
  }).timeout(30_000);
});
