/** Options at calls: what is set, what is not, and what cannot be read. */
import { strict as assert } from 'node:assert';
import { booleanOf, numberOf, readOption, stringOf } from '../../../server/src/model/options.ts';
import { probeOf } from './probe.ts';

/** `timeout` of the last argument at each `probe(…)`. */
function timeouts(text: string, path = 'timeout'): string[] {
  const { model, file, calls } = probeOf(text);
  return calls.map((c) => {
    const read = readOption(model.values, file, c, { arg: 'last', path });
    return read.k === 'value' ? read.file.text.slice(read.expr.s, read.expr.e) : read.k;
  });
}

describe('options', () => {
  it('literals, shorthand, absence', () => {
    assert.deepEqual(
      timeouts(
        `probe({ timeout: 5 }); probe({ timeout }); probe({ other: 1 }); probe(undefined); probe(null); probe();`,
      ),
      ['5', 'timeout', 'absent', 'absent', 'absent', 'absent'],
    );
  });

  it('objects elsewhere, in other files, frozen, cast, from factories', () => {
    assert.deepEqual(
      timeouts(`
//- /src/options.ts
export const shared = { timeout: 10 } as const;
export const none = { retries: 1 };
export const make = () => ({ timeout: 20 });
//- /src/main.ts
import { shared, none, make } from './options';
const local = Object.freeze({ timeout: 30 });
probe(shared); probe(none); probe(make()); probe(local); probe({ timeout: 40 } satisfies X);
`),
      ['10', 'absent', '20', '30', '40'],
    );
  });

  it('spreads: the last one wins, conditional ones count, unreadable ones are unknown', () => {
    assert.deepEqual(
      timeouts(`
const base = { timeout: 1 };
probe({ ...base }); probe({ ...base, timeout: 2 }); probe({ timeout: 3, ...base }); probe({ ...(x && { timeout: 4 }) });
probe({ ...(x ? base : {}) }); probe({ ...given() }); probe({ ...given(), timeout: 5 }); probe({ timeout: 6, ...given() });
function f(options) { probe({ ...options }); probe(options); probe({ a: 1, ...options }); }
`),
      ['1', '2', '1', '4', 'unknown', 'unknown', '5', '6', 'unknown', 'unknown', 'unknown'],
    );
  });

  it('written later, and nested paths', () => {
    assert.deepEqual(timeouts(`const o = { a: 1 }; o.timeout = 7; probe(o);`), ['7']);
    assert.deepEqual(
      timeouts(
        `probe({ timeout: { request: 8 } }); probe({ timeout: 1 }); probe({ timeout: base });`,
        'timeout.request',
      ),
      ['8', 'absent', 'unknown'],
    );
  });

  it('conditions: both sides must agree', () => {
    assert.deepEqual(
      timeouts(
        `probe(x ? { timeout: 1 } : { timeout: 2 }); probe(x ? {} : { a: 1 }); probe(x ? { timeout: 1 } : {});`,
      ),
      ['1', 'absent', 'unknown'],
    );
  });

  it('spread arguments hide which argument is which', () => {
    assert.deepEqual(timeouts('probe(...args); probe(a, ...args);'), ['unknown', 'unknown']);
  });

  it('numbers, strings and booleans as far as they are known', () => {
    const read = (text: string): (string | number | boolean | null)[] => {
      const { model, file, calls } = probeOf(text);
      return calls.map((c) => {
        const arg = c.args[0];
        if (!arg) return null;
        return (
          numberOf(model.values, file, arg) ??
          stringOf(model.values, file, arg) ??
          booleanOf(model.values, file, arg)
        );
      });
    };
    assert.deepEqual(
      read(
        'const S = 1000; probe(30 * S); probe(60 * 1000 + 1); probe(-1); probe(Number(x) || 5); probe(Infinity); probe(1 / 0);',
      ),
      [30_000, 60_001, -1, 5, Infinity, null],
    );
    assert.deepEqual(
      read("const B = '/a'; probe(B + '/b'); probe(`${x}/c`); probe('x' as const); probe(f());"),
      ['/a/b', '$?/c', 'x', null],
    );
    assert.deepEqual(read('const on = true; probe(on); probe(undefined); probe(!on);'), [true, false, null]);
  });
});
