import { strict as assert } from 'node:assert';
import { readTable } from '../../../server/src/tables/read.ts';
import type { Row } from '../../../server/src/tables/schema.ts';
import { rowState, tableState, unlookedLenses } from '../../../server/src/tables/states.ts';
import { loudest, verdictEffect } from '../../../server/src/tables/verdictEffect.ts';
import { SAMPLE } from './sampleTable.ts';

const today = '2026-11-30';
const row = (fields: Partial<Row>): Row => ({ failure: 'f', verdict: 'undecided', ...fields });
const accept: Partial<Row> = {
  verdict: 'accept',
  because: 'rate',
  reason: 'once a year',
  owner: 'li',
  expires: '2027-01-01',
};

describe('tables/states: rows', () => {
  const state = (fields: Partial<Row>, proven = false) =>
    rowState('clk-aaaaaaaa', row(fields), { today, proof: () => (proven ? 'valid' : 'none') });

  it('undecided, blocked, retired', () => {
    assert.deepEqual(state({}), { state: 'undecided' });
    assert.deepEqual(state({ verdict: 'blocked', blocker: 'no seam', to: 'ana' }), { state: 'blocked' });
    assert.deepEqual(state({ ...accept, retired: { date: today, why: 'gone' } }), { state: 'retired' });
  });

  it('incomplete says what is missing; an empty text is missing', () => {
    assert.deepEqual(state({ verdict: 'handle', how: 'x' }), { state: 'incomplete', missing: ['test'] });
    assert.deepEqual(state({ verdict: 'handle', how: ' ', test: 't' }), {
      state: 'incomplete',
      missing: ['how'],
    });
    assert.deepEqual(state({ verdict: 'detect' }), { state: 'incomplete', missing: ['signal'] });
    assert.deepEqual(state({ verdict: 'accept' }), {
      state: 'incomplete',
      missing: ['because', 'reason', 'owner', 'expires'],
    });
    assert.deepEqual(state({ verdict: 'blocked', blocker: 'x' }), { state: 'incomplete', missing: ['to'] });
  });

  it('a handle is unproven until there is evidence', () => {
    assert.deepEqual(state({ verdict: 'handle', how: 'x', test: 't > u' }), { state: 'unproven' });
    assert.deepEqual(state({ verdict: 'handle', how: 'x', test: 't > u' }, true), { state: 'closed' });
  });

  it('an accept holds through its last day', () => {
    assert.deepEqual(state({ ...accept, expires: today }), { state: 'closed' });
    assert.deepEqual(state({ ...accept, expires: '2026-11-29' }), {
      state: 'stale',
      because: 'accept expired',
    });
    assert.deepEqual(state({ verdict: 'detect', signal: 'alert x' }), { state: 'closed' });
  });
});

describe('tables/states: tables', () => {
  it('counts what is decided and names lenses nobody looked through', () => {
    const table = readTable(SAMPLE).table;
    assert.ok(table);
    const state = tableState(table, { today });
    assert.equal(state.summary, '2 of 3 decided · 2 lenses open');
    assert.deepEqual(state.unlooked, ['partial-failure', 'resource-exhaustion']);
    assert.equal(state.contractMissing, false);
    assert.equal(
      tableState(table, { today: '2027-06-01' }).summary,
      '2 of 3 decided · 1 stale · 2 lenses open',
    );
  });

  it('does not count proposals and retired rows; an open lens is not looked through', () => {
    const table = readTable(SAMPLE).table;
    assert.ok(table);
    const handled = table.rows['cnc-d9r3k0va'];
    assert.ok(handled);
    const changed = {
      ...table,
      rows: {
        ...table.rows,
        'cnc-d9r3k0va': { ...handled, proposed: true },
        'res-aaaaaaaa': row({ retired: { date: today, why: 'x' } }),
      },
      lenses: { 'resource-exhaustion': { exposure: 'open' as const, unresolved: ['x'] } },
    };
    const state = tableState(changed, { today });
    assert.deepEqual([state.decided, state.total], [1, 3]);
    assert.deepEqual(unlookedLenses(changed), ['hostile-input', 'partial-failure', 'resource-exhaustion']);
    assert.equal(tableState({ ...changed, rows: {} }, { today }).summary, 'no rows · 6 lenses open');
  });
});

describe('tables/verdictEffect', () => {
  const finding = { rule: 'call-without-timeout', lens: 'clock' as const, anchor: 'api.get' };
  const at = { rule: 'call-without-timeout', at: 'api.get' };
  const effect = (fields: Partial<Row>, day = today) =>
    verdictEffect({ 'clk-aaaaaaaa': row({ ...at, ...fields }) }, finding, { today: day });

  it('keeps what is undecided, incomplete, blocked, or has no row', () => {
    assert.equal(effect({}).effect, 'keep');
    assert.equal(effect({ verdict: 'detect' }).effect, 'keep');
    assert.equal(effect({ verdict: 'accept', reason: 'x' }).effect, 'keep');
    assert.equal(effect({ verdict: 'blocked', blocker: 'a', to: 'b' }).effect, 'keep');
    assert.equal(effect({ at: 'other.call' }).effect, 'keep');
    assert.equal(effect({ ...accept, rule: 'other-rule' }).effect, 'keep');
    assert.equal(verdictEffect({}, finding, { today }).effect, 'keep');
  });

  it('contradicts a handle that the code does not show', () => {
    const expected = {
      effect: 'keep-with-note',
      row: 'clk-aaaaaaaa',
      note: 'the row says handled, the code does not',
    };
    assert.deepEqual(effect({ verdict: 'handle', how: 'x', test: 't' }), expected);
    assert.deepEqual(effect({ verdict: 'handle', how: 'x' }), expected);
  });

  it('lowers a detect to a hint and hides a valid accept', () => {
    assert.deepEqual(effect({ verdict: 'detect', signal: 'alert a' }), {
      effect: 'hint',
      row: 'clk-aaaaaaaa',
      note: 'detected by alert a',
    });
    assert.deepEqual(effect(accept), { effect: 'hidden', row: 'clk-aaaaaaaa', reason: 'once a year' });
  });

  it('brings an expired accept back with its old reason', () => {
    const back = effect(accept, '2027-01-02');
    assert.equal(back.effect, 'keep-with-note');
    assert.match(back.effect === 'keep-with-note' ? back.note : '', /2027-01-01.*once a year/);
  });

  it('prefers the row of the place over the row of the whole unit, and ignores retired rows', () => {
    const rows = {
      'clk-aaaaaaaa': row({ rule: at.rule, ...accept }),
      'clk-bbbbbbbb': row({ ...at }),
    };
    assert.equal(verdictEffect(rows, finding, { today }).effect, 'keep');
    assert.equal(verdictEffect(rows, { ...finding, anchor: 'api.put' }, { today }).effect, 'hidden');
    assert.equal(effect({ ...accept, retired: { date: today, why: 'x' } }).effect, 'keep');
  });

  it('takes a numbered place for the finding that lies there alone', () => {
    const rows = { 'clk-aaaaaaaa': row({ ...at, at: 'api.get#2', ...accept }) };
    assert.equal(verdictEffect(rows, finding, { today }).effect, 'keep');
    assert.equal(verdictEffect(rows, finding, { today, isAt: () => false }).effect, 'keep');
    assert.equal(
      verdictEffect(rows, finding, { today, isAt: (id) => id === 'clk-aaaaaaaa' }).effect,
      'hidden',
    );
  });

  it('brings an accept back when what it rests on is broken, with its old reason', () => {
    const rows = { 'clk-aaaaaaaa': row({ ...at, ...accept, 'holds-while': 'A < B' }) };
    assert.equal(verdictEffect(rows, finding, { today, broken: () => null }).effect, 'hidden');
    assert.deepEqual(verdictEffect(rows, finding, { today, broken: () => 'A is 3, B is 2' }), {
      effect: 'keep-with-note',
      row: 'clk-aaaaaaaa',
      note: 'accepted while A < B, and A is 3, B is 2; the reason was: once a year',
    });
  });

  it('lets a mere proposal claim nothing', () => {
    assert.equal(effect({ verdict: 'handle', proposed: true, how: 'x' }).effect, 'keep');
  });

  it('lets the loudest of several units decide', () => {
    const hidden = { effect: 'hidden', row: 'clk-aaaaaaaa', reason: 'r' } as const;
    const hint = { effect: 'hint', row: 'clk-bbbbbbbb', note: 'n' } as const;
    assert.equal(loudest([hidden, hint]).effect, 'hint');
    assert.equal(loudest([hidden, { effect: 'keep' }, hint]).effect, 'keep');
    assert.deepEqual(loudest([hidden, hidden]), hidden);
    assert.equal(loudest([]).effect, 'keep');
  });
});
