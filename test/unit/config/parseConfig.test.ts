import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import { parseConfig } from '../../../server/src/config/parseConfig.ts';
import { DEFAULT_CONFIG } from '../../../server/src/config/schema.ts';

const RULES = ['call-without-timeout', 'swallowed-error'];
const read = (text: string): ReturnType<typeof parseConfig> => parseConfig(text, RULES);
const places = (text: string): string[] =>
  read(text).problems.map(
    (p) => `${p.start?.line}:${p.start?.column}-${p.end?.line}:${p.end?.column} ${p.message}`,
  );

describe('parseConfig', () => {
  it('reads every setting', () => {
    const { config, problems } = read(`
preset: strict # ours
rules: { call-without-timeout: critical, swallowed-error: off }
overrides:
  - paths: ['scripts/**']
    rules: { call-without-timeout: off }
timeouts: { http: 2500 }
wrappers:
  timeout: [withTimeout, './lib/http#bounded']
trustedHosts: ['*.internal.example']
generated: ['src/gen/**']
include: [src]
exclude: [src/old]
`);
    assert.deepEqual(problems, []);
    assert.equal(config.preset, 'strict');
    assert.equal(config.rules['swallowed-error'], 'off');
    assert.deepEqual(config.overrides[0]?.rules, { 'call-without-timeout': 'off' });
    assert.equal(config.timeouts.http, 2500);
    assert.equal(config.timeouts.cache, DEFAULT_CONFIG.timeouts.cache);
    assert.deepEqual(config.wrappers.timeout, ['withTimeout', './lib/http#bounded']);
    assert.deepEqual(config.wrappers.retry, []);
  });

  it('takes an empty file, or one of comments, as defaults', () => {
    for (const text of ['', '\n', '# nothing yet\n', '---\n']) {
      assert.deepEqual(read(text), { config: DEFAULT_CONFIG, problems: [] }, JSON.stringify(text));
    }
  });

  it('places unknown settings at their key and proposes the right one', () => {
    assert.deepEqual(places('preset: strict\nexcludes: [a]\n'), [
      '2:1-2:9 Unknown setting `excludes`; did you mean `exclude`?',
    ]);
    assert.deepEqual(places('wrappers:\n  retrys: [a]\n'), [
      '2:3-2:9 Unknown setting `retrys`; did you mean `retry`?',
    ]);
    assert.match(places('timeouts:\n  zzzzzzzz: 1\n')[0] ?? '', /^2:3-2:11 .*known here: `http`, `payment`/);
  });

  it('places unknown rules at their key', () => {
    assert.deepEqual(
      places(
        'rules:\n  call-without-timeouts: off\noverrides:\n  - paths: [a]\n    rules: { nothing-like-it: on }\n',
      ),
      [
        '2:3-2:24 No rule is called `call-without-timeouts`; did you mean `call-without-timeout`?',
        '5:14-5:29 No rule is called `nothing-like-it`. `sixlens rules` lists them.',
      ],
    );
    assert.deepEqual(parseConfig('rules: { whatever: off }', null).problems, []);
  });

  it('places wrong values and keeps the rest', () => {
    const { config, problems } = read(
      'preset: loud\nexclude: [a, 3]\ntimeouts: { http: -1, cache: 20 }\ntrustedHosts: x\noverrides: [{ rules: {} }, { paths: [b], rules: {} }]\n',
    );
    assert.deepEqual(problems.map((p) => `${p.start?.line}:${p.start?.column} ${p.message}`).sort(), [
      '1:9 `preset` must be one of `essential`, `recommended`, `strict`.',
      '2:14 `exclude.1` must be text.',
      '3:19 `timeouts.http` must be a number above zero.',
      '4:15 `trustedHosts` must be a list.',
      '5:13 `paths` is missing here.',
    ]);
    assert.equal(config.preset, undefined);
    assert.deepEqual(config.exclude, ['a']);
    assert.equal(config.timeouts.cache, 20);
    assert.equal(config.overrides.length, 1);
  });

  it('places a YAML error and duplicate keys, and then uses defaults', () => {
    assert.match(places('preset: strict\nrules: { a: on\n')[0] ?? '', /^\d+:\d+-.*Not valid YAML/);
    assert.match(places('preset: strict\npreset: essential\n')[0] ?? '', /^2:1/);
    assert.deepEqual(read('preset: strict\npreset: essential\n').config, DEFAULT_CONFIG);
    assert.match(places('- a\n- b\n')[0] ?? '', /must be a map/);
    assert.match(places('preset: *gone\n')[0] ?? '', /Not valid YAML/);
  });

  it('never throws and always gives a usable config', () => {
    const key = fc.constantFrom(
      'preset',
      'rules',
      'overrides',
      'timeouts',
      'wrappers',
      'exclude',
      'paths',
      'x',
      '0',
    );
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 3 },
        fc.string(),
        fc.integer(),
        fc.constant(null),
        fc.boolean(),
        fc.array(tie('any'), { maxLength: 3 }),
        fc.dictionary(key, tie('any'), { maxKeys: 4 }),
      ),
    })).any;
    fc.assert(
      fc.property(
        fc.oneof(
          value.map((v) => JSON.stringify(v)),
          fc.string(),
        ),
        (text) => {
          const { config, problems } = read(text);
          assert.ok(Array.isArray(config.exclude));
          for (const problem of problems)
            assert.ok((problem.start?.line ?? 0) >= 1 && (problem.start?.column ?? 0) >= 1);
        },
      ),
      { numRuns: 300 },
    );
  });
});
