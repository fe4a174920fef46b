import { strict as assert } from 'node:assert';
import { findUnit, type UnitCandidate } from '../../../server/src/tables/anchors.ts';

const unit = (file: string, symbol: string, kind: UnitCandidate['kind'] = 'http'): UnitCandidate => ({
  id: `${file}#${symbol}`,
  file,
  symbol,
  kind,
  name: symbol,
});
const QUERY = { file: 'src/pay.ts', symbol: 'router.post "/pay"', kind: 'http', name: 'POST /pay' };
const within =
  (...units: UnitCandidate[]) =>
  (file: string) =>
    units.filter((one) => one.file === file);

describe('tables/anchors', () => {
  const own = unit('src/pay.ts', QUERY.symbol);
  const moved = unit('src/http/pay.ts', QUERY.symbol);
  const other = unit('src/orders.ts', 'router.get "/orders"');

  it('takes the unit in its place before anything else', () => {
    const found = findUnit(QUERY, {
      unitsOf: within(own, moved),
      renamed: () => moved.file,
      elsewhere: () => [moved],
    });
    assert.deepEqual(found, { found: own, by: 'place' });
  });

  it('follows a rename, though the symbol is elsewhere too', () => {
    const twin = unit('src/old/pay.ts', QUERY.symbol);
    const found = findUnit(QUERY, {
      unitsOf: within(moved, twin),
      renamed: () => moved.file,
      elsewhere: () => [twin, moved],
    });
    assert.deepEqual(found, { found: moved, by: 'git rename' });
  });

  it('takes a moved symbol only when there is one', () => {
    const twin = unit('src/old/pay.ts', QUERY.symbol);
    const sources = { unitsOf: within(), elsewhere: () => [other, moved] };
    assert.deepEqual(findUnit(QUERY, sources), { found: moved, by: 'moved symbol' });
    assert.equal(findUnit(QUERY, { unitsOf: within(), elsewhere: () => [moved, twin] }).found, null);
    // The other of the two has a table already, so it is not the one.
    const taken = (one: UnitCandidate): boolean => one === twin;
    assert.equal(findUnit(QUERY, { unitsOf: within(), elsewhere: () => [moved, twin], taken }).found, moved);
  });

  it('knows a unit by its code when route and symbol changed', () => {
    const route = unit('src/pay.ts', 'router.post "/payments"');
    const likeness = (one: UnitCandidate): number => (one === route ? 0.75 : 0.25);
    const found = findUnit(QUERY, { unitsOf: within(route), elsewhere: () => [other], likeness });
    assert.deepEqual(found, { found: route, by: 'same code' });
    const both = findUnit(QUERY, { unitsOf: within(route), elsewhere: () => [other], likeness: () => 0.75 });
    assert.equal(both.found, null, 'two units that are as alike are not told apart');
  });

  it('only proposes what is merely similar, and nothing where nothing is', () => {
    const route = unit('src/pay.ts', 'router.post "/pay/now"');
    const similar = findUnit(QUERY, { unitsOf: within(route), elsewhere: () => [other] });
    assert.equal(similar.found, null);
    assert.equal(similar.found === null && similar.proposal?.unit, route);
    const far = findUnit(QUERY, {
      unitsOf: within(),
      elsewhere: () => [unit('lib/x.ts', 'nightly', 'cron')],
    });
    assert.deepEqual(far, { found: null, proposal: null });
  });
});
