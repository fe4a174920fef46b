import { strict as assert } from 'node:assert';
import { isTelling } from '../../../server/src/model/telling.ts';

describe('texts that can hold a finding', () => {
  it('are not those that hold declarations only', () => {
    for (const text of [
      'export interface Order { id: string }\nexport const MAX = 3;',
      'export const total = (a: number, b: number) => a + b;',
      "import { Money } from './money';\nexport const free = new Money(0);",
      "import Money, { type Rate } from '../money';\nexport const none = new Rate(0);",
      'class Money {}\nexport const free = new Money();',
      'export const seen = new Set<string>();',
      "throw new RangeError('no');",
    ])
      assert.equal(isTelling(text), false, text);
  });

  it('are those with a word that a unit or a rule goes by', () => {
    for (const text of [
      'async () => {}',
      'p.then(f)',
      'try {} catch {}',
      'JSON.parse(x)',
      'router.get("/x", h)',
      'if (token === given) {}',
    ])
      assert.equal(isTelling(text), true, text);
  });

  it('are those that make what another package or nobody here declares', () => {
    for (const text of [
      "import pg from 'pg';\nexport const pool = new pg.Pool();",
      "import { S3Client } from '@aws-sdk/client-s3';\nexport const s3 = new S3Client({});",
      "import { Queue } from '~/queue';\nexport const mails = new Queue<Mail>('mails');",
      "const { Pool } = require('pg');\nmodule.exports = new Pool();",
      "import { Other } from './other';\nimport { Redis } from 'ioredis';\nexport const r = new Redis(url, new Other());",
    ])
      assert.equal(isTelling(text), true, text);
  });
});
