import { strict as assert } from 'node:assert';
import { join } from 'node:path';
import { readTsconfig } from '../../../server/src/node/readTsconfig.ts';
import { tempFolder, type TempFolder } from './tempFolder.ts';

describe('readTsconfig', () => {
  let folder: TempFolder;
  const at = (name: string): string => join(folder.path, name);
  beforeEach(() => (folder = tempFolder()));
  afterEach(() => folder.remove());

  it('merges what it extends and counts paths from the file that states them', () => {
    folder.write({
      'base/tsconfig.json':
        '{ "compilerOptions": { "paths": { "@x/*": ["./lib/*"] }, "module": "nodenext" } }',
      'app/tsconfig.json': '{ "extends": "../base/tsconfig.json", "references": [{ "path": "../core" }] }',
    });
    const { config, problem } = readTsconfig(at('app/tsconfig.json'));
    assert.equal(problem, null);
    assert.deepEqual(config?.paths, { '@x/*': [at('base/lib/*')] });
    assert.equal(config?.module, 'nodenext');
    assert.deepEqual(config?.references, [at('core/tsconfig.json')]);
  });

  it('counts paths from baseUrl where there is one, with comments and trailing commas allowed', () => {
    folder.write({
      'tsconfig.json':
        '\uFEFF{ // where code lies\n "compilerOptions": { "baseUrl": "src", "paths": { "~/*": ["*"], }, } }',
    });
    const { config, problem } = readTsconfig(at('tsconfig.json'));
    assert.equal(problem, null);
    assert.equal(config?.baseUrl, at('src'));
    assert.deepEqual(config?.paths, { '~/*': [at('src/*')] });
  });

  it('places a syntax error and keeps what is clear', () => {
    folder.write({
      'tsconfig.json': '{\n  "compilerOptions": {\n    "paths": { "@/*": ["./src/*" }\n  }\n}\n',
    });
    const { config, problem } = readTsconfig(at('tsconfig.json'));
    assert.equal(problem?.code, 'tsconfig-unreadable');
    assert.equal(problem?.start?.line, 3);
    assert.equal(problem?.file, at('tsconfig.json'));
    assert.deepEqual(config?.paths, { '@/*': [at('src/*')] });
  });

  it('uses the own settings when the base is missing or the chain is a circle', () => {
    folder.write({
      'tsconfig.json':
        '{\n  "extends": "@tsconfig/node20/tsconfig.json",\n  "compilerOptions": { "baseUrl": "." }\n}',
      'round.json': '{ "extends": "./round.json", "compilerOptions": { "baseUrl": "x" } }',
    });
    const missing = readTsconfig(at('tsconfig.json'));
    assert.equal(missing.config?.baseUrl, folder.path);
    assert.deepEqual(missing.problem?.start, { line: 2, column: 14 });
    assert.match(missing.problem?.message ?? '', /@tsconfig\/node20/);
    const round = readTsconfig(at('round.json'));
    assert.equal(round.config?.baseUrl, at('x'));
    assert.equal(round.problem?.code, 'tsconfig-unreadable');
  });

  it('never throws, whatever the file holds', () => {
    const contents = [
      '',
      '   ',
      '[]',
      'null',
      '3',
      '{',
      '{"compilerOptions": 3}',
      '{"extends": 3}',
      '{"compilerOptions":{"paths":[]}}',
      '\0\0',
    ];
    for (const [index, content] of contents.entries()) {
      folder.write({ [`${index}.json`]: content });
      const { config, problem } = readTsconfig(at(`${index}.json`));
      assert.ok(config !== null || problem !== null, JSON.stringify(content));
    }
    assert.deepEqual(readTsconfig(at('gone.json')), { config: null, problem: null });
  });
});
