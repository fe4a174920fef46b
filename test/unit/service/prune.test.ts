import { strict as assert } from 'node:assert';
import { applyEdits } from '../../../server/src/base/textEdit.ts';
import { createAnalysis } from '../../../server/src/service/analysisService.ts';
import { memoryHost, ROOT } from '../../support/memoryHost.ts';

const PACKAGE = '{"dependencies":{"@prisma/client":"6","zod":"4","typeorm":"0.3.20"}}';
const HEAD = `import { PrismaClient } from '@prisma/client';
import { z } from 'zod';
const prisma = new PrismaClient();
const Order = z.object({ id: z.string(), lines: z.array(z.number()) });
const Loose = z.object({ id: z.coerce.number() });
`;

/** What is found in a function's body, and what is left of the body. */
function pruned(body: string, head = HEAD): { what: string[]; left: string } {
  const text = `${head}export async function f(id: string, a: any, b: any) {\n${body}}\n`;
  const analysis = createAnalysis({
    root: ROOT,
    host: memoryHost({ 'package.json': PACKAGE, 'src/a.ts': text }),
  });
  const found = analysis.prunable('src/a.ts', 'shown');
  const after = applyEdits(
    text,
    found.flatMap(({ edits }) => edits),
  );
  const again = createAnalysis({
    root: ROOT,
    host: memoryHost({ 'package.json': PACKAGE, 'src/a.ts': after }),
  });
  assert.deepEqual(
    again.prunable('src/a.ts', 'shown').filter(({ what }) => found.some((one) => one.what === what)).length,
    0,
    after,
  );
  const start = after.indexOf('any) {\n') + 7;
  return { what: found.map(({ what }) => what), left: after.slice(start, after.lastIndexOf('}')) };
}

describe('what can be pruned', () => {
  const ROW = '  const row = await prisma.order.findUniqueOrThrow({ where: { id } });\n';
  const cases: readonly [string, string, string, string][] = [
    [
      'a null check after OrThrow',
      `${ROW}  if (!row) throw new Error('gone');\n  return row;\n`,
      'null check after findUniqueOrThrow',
      `${ROW}  return row;\n`,
    ],
    [
      'with a block and blank lines',
      `${ROW}\n  if (row === null) {\n    return null;\n  }\n\n  return row;\n`,
      'null check after findUniqueOrThrow',
      `${ROW}\n  return row;\n`,
    ],
    [
      'the positive form',
      `${ROW}  if (row) {\n    a.log(row);\n    b.log(row);\n  }\n  return 1;\n`,
      'null check after findUniqueOrThrow',
      `${ROW}  a.log(row);\n  b.log(row);\n  return 1;\n`,
    ],
    [
      'the positive form with a dead else',
      `${ROW}  if (row != null) {\n    a.log(row);\n  } else {\n    b.log(row);\n  }\n`,
      'null check after findUniqueOrThrow',
      `${ROW}  a.log(row);\n`,
    ],
    [
      'typeof',
      `${ROW}  if (typeof row === 'undefined') return;\n  a(row);\n`,
      'null check after findUniqueOrThrow',
      `${ROW}  a(row);\n`,
    ],
    [
      'after new',
      '  const map = new Map();\n  if (!map) return;\n  a(map);\n',
      'null check after new Map',
      '  const map = new Map();\n  a(map);\n',
    ],
    [
      'after a list',
      '  const list = [a, b];\n  if (list) {\n    a(list);\n  }\n',
      'null check after a list literal',
      '  const list = [a, b];\n  a(list);\n',
    ],
    [
      'after the same check',
      "  const x = a.get(id);\n  if (!x) throw new Error('gone');\n  b(x);\n  if (!x) return;\n  b(x);\n",
      'second check of x',
      "  const x = a.get(id);\n  if (!x) throw new Error('gone');\n  b(x);\n  b(x);\n",
    ],
    [
      'within the same check',
      '  const x = a.get(id);\n  if (x) {\n    if (x != null) {\n      b(x);\n    }\n  }\n',
      'second check of x',
      '  const x = a.get(id);\n  if (x) {\n    b(x);\n  }\n',
    ],
    [
      'one of several',
      '  const x = a.x();\n  const y = a.y();\n  if (!x || !y) return;\n  if (y == null) return;\n  b(x, y);\n',
      'second check of y',
      '  const x = a.x();\n  const y = a.y();\n  if (!x || !y) return;\n  b(x, y);\n',
    ],
    [
      'try around nothing',
      '  let x = 1;\n  try {\n    x = 2;\n  } catch {\n    x = 3;\n  }\n  return x;\n',
      'try around what cannot fail',
      '  let x = 1;\n  x = 2;\n  return x;\n',
    ],
    [
      'a second parse',
      '  const order = Order.parse(a);\n  return b.save(Order.parse(order));\n',
      'second Order.parse of order',
      '  const order = Order.parse(a);\n  return b.save(order);\n',
    ],
    [
      'a second parse for its throwing',
      '  const order = await Order.parseAsync(a);\n  await Order.parseAsync(order);\n  return order;\n',
      'second Order.parseAsync of order',
      '  const order = await Order.parseAsync(a);\n  return order;\n',
    ],
  ];
  for (const [what, body, expected, left] of cases)
    it(`finds ${what}`, () => assert.deepEqual(pruned(body), { what: [expected], left }));

  const silent: readonly [string, string][] = [
    [
      'findUnique',
      "  const row = await prisma.order.findUnique({ where: { id } });\n  if (!row) throw new Error('gone');\n",
    ],
    ['a caught rejection', `${ROW.replace(';\n', '.catch(() => null);\n')}  if (!row) return;\n`],
    [
      'a name that is written again',
      `${ROW.replace('const', 'let')}  if (id) row = null;\n  if (!row) return;\n`,
    ],
    [
      'a name that a closure writes',
      `${ROW.replace('const', 'let')}  a.on(() => { row = null; });\n  if (!row) return;\n`,
    ],
    ['a guard with a reason', `${ROW}  // mocked in tests\n  if (!row) return;\n`],
    ['a guard with a reason beside it', `${ROW}  if (!row) return; // mocked in tests\n`],
    ['a guard with a reason inside', `${ROW}  if (!row) {\n    // mocked\n    return;\n  }\n`],
    ['another question', `${ROW}  if (!row.paid) return;\n  if (!row || row.paid) return;\n`],
    ['a length', '  const list = [a];\n  if (!list.length) return;\n'],
    ['truth after presence', '  const x = a.count();\n  if (x == null) return;\n  if (!x) return;\n'],
    [
      'undefined after null',
      '  const x = a.get();\n  if (x === null) return;\n  if (x === undefined) return;\n',
    ],
    ['a check that does not leave', '  const x = a.get();\n  if (!x) a.warn();\n  if (!x) return;\n'],
    [
      'a check in another branch',
      '  const x = a.get();\n  if (id) {\n    if (!x) return;\n  }\n  if (!x) return;\n',
    ],
    ['a positive block that declares', `${ROW}  if (row) {\n    const y = row.id;\n    a(y);\n  }\n`],
    ['an unknown OrThrow without a type', '  const x = await a.loadOrThrow(id);\n  if (!x) return;\n'],
    ['a try that may fail', '  let x = 1;\n  try {\n    x = a.b;\n  } catch {\n    x = 3;\n  }\n'],
    [
      'a try with its finally',
      '  let x = 1;\n  try {\n    x = 2;\n  } catch {\n    x = 3;\n  } finally {\n    a();\n  }\n',
    ],
    ['another schema', '  const order = Order.parse(a);\n  return z.object({}).parse(order);\n'],
    ['a schema that converts', '  const order = Loose.parse(a);\n  return Loose.parse(order);\n'],
    [
      'a value that was changed',
      '  const order = Order.parse(a);\n  order.id = b;\n  return Order.parse(order);\n',
    ],
    [
      'a first parse in a branch',
      '  let order = a;\n  if (id) order = Order.parse(a);\n  return Order.parse(order);\n',
    ],
    [
      'an accepted one',
      '  const order = Order.parse(a);\n  // sixlens-accept revalidated-value: the library changes it\n  return Order.parse(order);\n',
    ],
  ];
  for (const [what, body] of silent) it(`leaves ${what}`, () => assert.deepEqual(pruned(body).what, []));

  it('looks into schemas of other files', () => {
    const read = (schema: string): number => {
      const host = memoryHost({
        'package.json': PACKAGE,
        'src/schema.ts': `import { z } from 'zod';\nimport { Line } from './line.ts';\nexport const Order = z.object({ line: Line });\n`,
        'src/line.ts': `import { z } from 'zod';\nexport const Line = ${schema};\n`,
        'src/a.ts':
          "import { Order } from './schema.ts';\nexport function f(a: unknown) {\n  const order = Order.parse(a);\n  return Order.parse(order);\n}\n",
      });
      return createAnalysis({ root: ROOT, host }).prunable('src/a.ts').length;
    };
    assert.equal(read('z.string().min(1)'), 1);
    assert.equal(read('z.string().transform(Number)'), 0);
    assert.equal(read('makeLine()'), 0);
  });
});
