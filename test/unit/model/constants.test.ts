import { strict as assert } from 'node:assert';
import { createAnalysis } from '../../../server/src/service/analysisService.ts';
import { memoryHost, ROOT } from '../../support/memoryHost.ts';

const FILES = {
  'package.json': '{}',
  'src/a.ts': `import { REFUND_DAYS, LIMITS as limits } from './config.ts';
import * as config from './config.ts';
import config2, { again } from './barrel.ts';
import { days } from 'some-package';
const RETRY_DAYS = 5;
const DAY_MS = 24 * 60 * 60 * 1_000;
export const WINDOW = -RETRY_DAYS * DAY_MS + (2 ** 3) as number;
const FROM_ENV = Number(process.env.DAYS);
const MAYBE = process.env.DAYS ?? 5;
const ENV = process.env.DAYS;
let moving = 1;
moving = 2;
let still = 3;
const OPEN = { a: 1, ...limits };
const SAFE = { ...limits, a: 1 };
const SET = { a: 1 };
SET.a = 2;
const { batch, deep: { inner } } = { batch: 3, deep: { inner: 4 } };
const A = B;
const B = A;
const ON = true, OFF = !ON;
const TEXT = '5';
const LIST = [1];
enum Level { Low = 1, High = Low + 1, Text = 'x' }
export function f() { const LOCAL = 1; return [REFUND_DAYS, config, config2, again, days, LOCAL]; }
`,
  'src/config.ts': `export const REFUND_DAYS = 7;
export const LIMITS = Object.freeze({ batch: 100, nested: { max: REFUND_DAYS } } as const);
export default 42;
`,
  'src/barrel.ts': `export * from './config.ts';
export { REFUND_DAYS as again, default } from './config.ts';
`,
};

describe('model/constants', () => {
  const analysis = createAnalysis({ root: ROOT, host: memoryHost(FILES) });
  const read = (name: string, file = 'src/a.ts'): unknown => {
    const found = analysis.constant(file, name);
    return 'value' in found ? found.value : found.problem;
  };

  for (const [name, value] of [
    ['RETRY_DAYS', 5],
    ['DAY_MS', 86_400_000],
    ['WINDOW', -5 * 86_400_000 + 8],
    ['REFUND_DAYS', 7],
    ['limits.batch', 100],
    ['limits.nested.max', 7],
    ['config.LIMITS.batch', 100],
    ['config2', 42],
    ['again', 7],
    ['still', 3],
    ['SAFE.a', 1],
    ['batch', 3],
    ['inner', 4],
    ['ON', true],
    ['OFF', false],
    ['Level.Low', 1],
  ] as const)
    it(`${name} is ${value}`, () => assert.equal(read(name), value));

  it('looks through barrels', () => {
    assert.equal(read('LIMITS.batch', 'src/barrel.ts'), 100);
    assert.equal(read('again', 'src/barrel.ts'), 7);
  });

  for (const [name, problem] of [
    ['GONE', 'GONE is no constant in src/a.ts'],
    ['LOCAL', 'LOCAL is no constant in src/a.ts'],
    ['f', 'f is no constant in src/a.ts'],
    ['FROM_ENV', 'FROM_ENV is computed in src/a.ts, so its value is known only when it runs'],
    ['MAYBE', 'MAYBE depends on the environment'],
    ['ENV', 'ENV depends on the environment'],
    ['moving', 'moving is assigned again in src/a.ts, so it is no constant'],
    ['OPEN.a', 'OPEN.a may be overwritten by a spread'],
    ['SAFE.b', 'SAFE.b may come from a spread'],
    ['SET.a', 'SET.a has members that are assigned again in src/a.ts'],
    ['limits.gone', 'limits.gone is not in its object in src/config.ts'],
    ['limits', 'limits is no number; name one of its members'],
    ['config.GONE', 'config.GONE is not exported by src/config.ts'],
    ['days', 'days comes from some-package, which is not in this project'],
    ['TEXT', 'TEXT is no number'],
    ['LIST', 'LIST is computed in src/a.ts, so its value is known only when it runs'],
    ['Level.Text', 'Level.Text is no number in its enum'],
    ['A', 'A leads in a circle'],
  ] as const)
    it(`${name} is none`, () => assert.equal(read(name), problem));

  it('says when the file is not there', () => {
    assert.equal(read('A', 'src/gone.ts'), 'A cannot be looked up: there is no source file src/gone.ts');
  });
});
