import { strict as assert } from 'node:assert';
import { bundleWorker, measureEdits } from './latency.ts';

describe('bench: edits inside the server, short form', function () {
  this.timeout(120_000);

  it('reports an unbounded call in the check that follows its typing, in far less time than the first check', async () => {
    const found = await measureEdits(await bundleWorker(), { lines: 1_000, warmUp: 20, measured: 40 });
    assert.ok(found.planted > 0);
    assert.equal(found.seen, found.planted);
    // Shared test machines are too noisy for the real budget, which `npm run bench` holds. This catches work that starts anew.
    assert.ok(
      found.median < found.firstMs / 2,
      `${found.median} ms after an edit, ${found.firstMs} ms at first`,
    );
  });
});
