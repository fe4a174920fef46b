/** Layout changes no slice: sources of every rule's fixtures, printed anew in other styles, with comments strewn in. */
import { strict as assert } from 'node:assert';
import { format, type Options } from 'prettier';
import { createAnalysis } from '../../server/src/service/analysisService.ts';
import { seenCodeOf, sightOfRow } from '../../server/src/service/rowSight.ts';
import { generateTable } from '../../server/src/tables/generate.ts';
import type { Row } from '../../server/src/tables/schema.ts';
import { memoryHost, ROOT } from '../support/memoryHost.ts';
import { fixtureProjects, shopProject } from '../support/seedProjects.ts';

const STYLES: readonly Options[] = [
  {
    printWidth: 50,
    tabWidth: 7,
    semi: false,
    singleQuote: true,
    trailingComma: 'none',
    arrowParens: 'avoid',
  },
  { printWidth: 300, useTabs: true, bracketSpacing: false, quoteProps: 'consistent', endOfLine: 'crlf' },
];
const SOURCE = /\.[cm]?[jt]sx?$/;

describe('slices of real sources', function () {
  this.timeout(60_000);

  it('stay the same when every file is printed in another style', async () => {
    let rows = 0;
    for (const [index, { name, files }] of [shopProject(), ...fixtureProjects()].entries()) {
      // Each project once, in turn in each style.
      const style = STYLES[index % STYLES.length]!;
      const before = createAnalysis({ root: ROOT, host: memoryHost(files) });
      const sources = Object.keys(files).filter((file) => SOURCE.test(file));
      const units = before.units(sources);
      if (units.length === 0) continue;
      const printed: Record<string, string> = { ...files };
      for (const file of sources)
        try {
          printed[file] = `// printed anew\n${await format(files[file]!, { ...style, filepath: file })}`;
        } catch {
          // Fixtures may hold code that only the analysis can read.
        }
      const after = createAnalysis({ root: ROOT, host: memoryHost(printed) });
      for (const unit of units) {
        const old = before.view(unit);
        const now = after.unitOf(unit.file, unit.symbol);
        assert.ok(now, `${name}: ${unit.id} is there no more`);
        const view = after.view(now);
        assert.equal(view.slice, old.slice, `${name}: ${unit.id}`);
        for (const [id, row] of Object.entries(generateTable(old).rows)) {
          const seen: Row = { ...row, seen: { code: seenCodeOf(old, id, row) } };
          const { code } = sightOfRow(view, { [id]: seen }, id, seen);
          assert.equal(
            code,
            'same',
            `${name}: ${unit.id}: ${row.rule ?? row.failure} at ${row.at ?? 'the unit'}`,
          );
          rows++;
        }
      }
    }
    assert.ok(rows > 100, `${rows} rows were compared`);
  });
});
