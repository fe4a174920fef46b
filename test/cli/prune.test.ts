import { strict as assert } from 'node:assert';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pruneOutputSchema } from '../../server/src/cli/schemas.ts';
import { createAnalysis } from '../../server/src/service/analysisService.ts';
import { readTable } from '../../server/src/tables/read.ts';
import { tempFolder, type TempFolder } from '../unit/node/tempFolder.ts';
import { run, type Run } from './fakeContext.ts';

const SOURCE = `import express from 'express';
import { PrismaClient } from '@prisma/client';
import { load } from './load.ts';
const prisma = new PrismaClient();
export const router = express.Router();
router.post('/pay', async (req, res) => {
  const order = await prisma.order.findUniqueOrThrow({ where: { id: req.body.id } });
  if (!order) {
    res.sendStatus(404);
    return;
  }
  const user = await load.userOrThrow(order.userId);
  if (!user) throw new Error('no user');
  res.json(order);
});
`;
const LOAD = `export const load = {
  async userOrThrow(id: string): Promise<{ id: string }> {
    return { id };
  },
};
`;
const TABLE = '.sixlens/tables/src/pay/http-post-pay.yaml';
const TEXT = `sixlens: 1
unit: POST /pay
kind: http
code: { file: src/pay.ts, symbol: 'router.post "/pay"' }
contract: one answer  # agreed

rows:
  bnd-00000001:
    failure: no such order
    at: prisma.order.findUniqueOrThrow
    verdict: undecided
`;

describe('prune', function () {
  this.timeout(60_000);
  let folder: TempFolder;
  const write = (name: string, text: string): void => {
    mkdirSync(path.dirname(path.join(folder.path, name)), { recursive: true });
    writeFileSync(path.join(folder.path, name), text);
  };
  const read = (name: string): string => readFileSync(path.join(folder.path, name), 'utf8');
  const go = (...words: string[]): Promise<Run> =>
    run(folder.path, ['prune', ...words], { analysis: (options) => createAnalysis(options) });

  beforeEach(() => {
    folder = tempFolder({
      'package.json': '{"dependencies":{"express":"4","@prisma/client":"6"}}',
      'src/pay.ts': SOURCE,
      'src/load.ts': LOAD,
      'tsconfig.json':
        '{"compilerOptions":{"strict":true,"allowImportingTsExtensions":true,"noEmit":true,"module":"nodenext"}}',
    });
    write(TABLE, TEXT);
  });
  afterEach(() => folder.remove());

  it('lists, checks, deletes and records, and is then silent', async () => {
    const listed = await go('--format', 'json');
    assert.deepEqual([listed.code, listed.err], [0, '']);
    const { proposals, written } = pruneOutputSchema.parse(JSON.parse(listed.out));
    assert.deepEqual(
      proposals.map(({ what, start, units, tables }) => [what, start.line, units, tables]),
      [
        ['null check after findUniqueOrThrow', 8, ['POST /pay'], [TABLE]],
        // No pack knows this one: its type says that something is there.
        ['null check after userOrThrow', 13, ['POST /pay'], [TABLE]],
      ],
    );
    assert.deepEqual(written, []);
    assert.equal(read('src/pay.ts'), SOURCE);
    assert.equal((await go('--check')).code, 1);
    const { code, out } = await go('--write');
    assert.equal(code, 0);
    assert.match(
      out,
      /src\/pay\.ts:8:3 {2}redundant-guard: null check after findUniqueOrThrow {2}\(POST \/pay\)[^]*2 places deleted/,
    );
    assert.equal(
      read('src/pay.ts'),
      SOURCE.replace(/ {2}if \(!order\) \{[^]*?\n {2}\}\n/, '').replace(/ {2}if \(!user\).*\n/, ''),
    );
    assert.ok(read(TABLE).startsWith(TEXT));
    assert.deepEqual(readTable(read(TABLE)).table!.pruned, [
      'null check after findUniqueOrThrow (pay.ts)',
      'null check after userOrThrow (pay.ts)',
    ]);
    const again = await go('--check');
    assert.deepEqual([again.code, again.out], [0, 'Nothing to prune.\n']);
  });

  it('asks the types, and stays silent where they leave room or are not strict', async () => {
    const only = async (): Promise<string[]> =>
      pruneOutputSchema
        .parse(JSON.parse((await go('--format', 'json')).out))
        .proposals.map(({ what }) => what);
    for (const result of [
      '{ id: string } | null',
      '{ id: string } | undefined',
      'any',
      'string',
      'unknown',
    ]) {
      write(
        'src/load.ts',
        LOAD.replace('Promise<{ id: string }>', `Promise<${result}>`).replace(
          'return { id };',
          'return id as never;',
        ),
      );
      assert.deepEqual(await only(), ['null check after findUniqueOrThrow'], result);
    }
    write('src/load.ts', LOAD);
    write('tsconfig.json', '{"compilerOptions":{"strict":false}}');
    assert.deepEqual(await only(), ['null check after findUniqueOrThrow']);
  });

  it('leaves a guard that a row stands at, and records that there is nothing', async () => {
    write('src/pay.ts', SOURCE.replace(/ {2}if \(!user\).*\n/, ''));
    const licensed = TEXT.replace('at: prisma.order.findUniqueOrThrow', 'at: if !order');
    write(TABLE, licensed);
    assert.equal((await go('--check')).code, 0);
    assert.match((await go()).out, /Nothing to prune\.\n.*http-post-pay\.yaml says nothing about pruning/);
    await go('--write');
    assert.ok(read(TABLE).startsWith(licensed));
    assert.equal(readTable(read(TABLE)).table!.pruned, 'nothing to prune');
    assert.match(read('src/pay.ts'), /if \(!order\)/);
  });

  it('refuses what contradicts itself or is not there', async () => {
    assert.match((await go('--check', '--write')).err, /name one of them/);
    assert.match((await go('src/gone.ts')).err, /there is no file or folder/);
  });
});
