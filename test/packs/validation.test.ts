import { strict as assert } from 'node:assert';
import { Model } from '../../server/src/model/model.ts';
import { PackIndex } from '../../server/src/model/packIndex.ts';
import { Project } from '../../server/src/model/project.ts';
import { allPacks } from '../../server/src/service/registry.ts';
import { memoryHost, ROOT } from '../support/memoryHost.ts';

/** Calls that a pack knows, as `<pack>.<name>`, with the type of the result where there is one. */
function known(text: string): string[] {
  const model = new Model(new Project(ROOT, memoryHost({ 'src/a.ts': text })), new PackIndex(allPacks));
  const file = model.project.file('src/a.ts');
  if (!file) throw new Error('no file');
  return model.sites.all(file).flatMap((site) => {
    if (site.target.k !== 'lib' || site.node.k === 'tag') return [];
    const made = model.values.of(file, site.node);
    return [`${site.target.pack.id}.${site.target.name}${made.k === 'inst' ? `: ${made.type}` : ''}`];
  });
}

describe('packs of validators and of node:crypto', () => {
  it('zod: a parsed value is told from an unparsed one', () => {
    const calls = known(`import { z } from 'zod';
const Body = z.object({ id: z.string() }).strict();
export const f = (raw: unknown) => Body.parse(raw);
export const g = (raw: unknown) => Body.safeParse(raw);`);
    assert.ok(calls.includes('zod.parse: Parsed'), calls.join());
    assert.ok(calls.includes('zod.safeParse'), calls.join());
  });
  it('Joi and Ajv', () => {
    const calls = known(`import Joi from 'joi';
import Ajv from 'ajv';
const schema = Joi.object({ id: Joi.string() });
export const a = (raw: unknown) => schema.validateAsync(raw);
const check = new Ajv().compile({ type: 'object' });
export const b = (raw: unknown) => check(raw);`);
    assert.ok(calls.includes('joi.validateAsync: Parsed'), calls.join());
    assert.ok(calls.includes('ajv.compile: Validator'), calls.join());
    assert.equal(calls.filter((c) => c.startsWith('ajv.')).length, 3);
  });
  it('node:crypto under each way of importing it', () => {
    for (const head of [
      `import { createHmac } from 'node:crypto';`,
      `import crypto from 'crypto'; const { createHmac } = crypto;`,
      `import * as crypto from 'node:crypto'; const createHmac = crypto.createHmac;`,
      `const { createHmac } = require('crypto');`,
    ]) {
      const calls = known(
        `${head}\nexport const mac = (k: string, b: string) => createHmac('sha256', k).update(b).digest('hex');`,
      );
      assert.ok(calls.includes('crypto.digest: Mac'), `${head} ${calls.join()}`);
    }
  });
});
