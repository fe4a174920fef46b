import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser } from 'playwright-core';
import { PanelPage, launch } from './panelPage.ts';
import { sampleTable } from './sampleTable.ts';
import { THEMES } from './themes.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  id: string;
  nodes: { target: unknown[]; failureSummary?: string }[];
}

async function axe(panel: PanelPage): Promise<string[]> {
  // Evaluated by the test driver, so the page's own content policy stays as strict as it is.
  await panel.page.evaluate(AXE);
  const { violations } = await panel.page.evaluate<{ violations: Violation[] }>(
    `axe.run(document, { resultTypes: ['violations'] })`,
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${JSON.stringify(node.target)} ${node.failureSummary ?? ''}`),
  );
}

const row = (id: string): string => `[data-row="${id}"][data-stop="row"]`;

describe('panel', function () {
  this.timeout(60_000);
  let browser: Browser;
  let panel: PanelPage;

  before(async () => {
    browser = await launch();
  });
  after(async () => {
    await browser.close();
  });
  afterEach(async () => {
    assert.deepEqual(panel.errors, [], 'the page logged errors');
    assert.deepEqual(await panel.violations(), [], 'the content policy was broken');
    await panel.page.close();
  });

  const open = async (
    ...args: [Parameters<typeof PanelPage.open>[1]?, Parameters<typeof PanelPage.open>[2]?]
  ) => {
    panel = await PanelPage.open(browser, args[0] === undefined ? sampleTable() : args[0], args[1]);
    return panel.page;
  };

  describe('what it shows', () => {
    it('has the unit, its contract, every lens and how many rows are decided', async () => {
      const page = await open();
      assert.equal(await page.locator('h1').innerText(), 'POST /webhooks/payments');
      assert.equal(await page.locator('.summary strong').innerText(), '4 of 6 decided');
      assert.match(await page.locator('.summary .more').innerText(), /1 stale/);
      assert.deepEqual(await page.locator('.lens h2').allInnerTexts(), [
        'Boundaries',
        'Hostile input',
        'Partial failure',
        'Concurrency',
        'Resource exhaustion',
        'Clock',
      ]);
      assert.match(
        await page.locator('.empty').first().innerText(),
        /No exposure: not reachable from outside/,
      );
      assert.match(await page.locator('.empty').last().innerText(), /Not resolved: loader\.run/);
    });

    it('says in words what state each row is in', async () => {
      const page = await open();
      assert.deepEqual(await page.locator('.row .badge').allInnerTexts(), [
        'Closed',
        'Blocked',
        'Incomplete',
        'Stale',
        'Undecided',
        'Undecided',
      ]);
    });

    it('tells where a malformed table is wrong and opens it as text there', async () => {
      const page = await open(null, {
        problems: [
          {
            message: 'duplicate key "rows"',
            severity: 'error',
            range: { start: { line: 17, character: 0 }, end: { line: 17, character: 4 } },
          },
        ],
      });
      assert.match(
        await page.locator('.notice').innerText(),
        /cannot be read[\s\S]*Line 18: duplicate key "rows"/,
      );
      assert.equal(await page.locator('table').count(), 0);
      await page.getByRole('button', { name: 'Line 18' }).click();
      await page.getByRole('button', { name: 'Open as text' }).press('Enter');
      assert.deepEqual(
        panel.sent.slice(1).map(({ id: _, ...rest }) => rest),
        [
          { type: 'openText', line: 17 },
          { type: 'openText', line: 17 },
        ],
      );
      await panel.push(sampleTable());
      await page.locator('table').waitFor();
    });

    it('shows code between backticks as code, and a lone backtick as it is', async () => {
      const model = sampleTable();
      model.lenses[0]!.rows[0]!.failure = 'when `fetch` hangs, so does ` this';
      const page = await open(model);
      assert.deepEqual(await page.locator('.row .failure code').allInnerTexts(), ['fetch']);
      assert.equal(
        await page.locator('.row .failure').first().innerText(),
        'when fetch hangs, so does ` this',
      );
    });

    it('shows markup in a table as text', async () => {
      const model = sampleTable();
      model.lenses[0]!.rows[0]!.failure = '<img src=x onerror="document.title=1"> {0}';
      const page = await open(model);
      assert.equal(
        await page.locator('.row .failure').first().innerText(),
        '<img src=x onerror="document.title=1"> {0}',
      );
      assert.equal(await page.title(), 'Sixlens');
    });
  });

  describe('with the keyboard alone', () => {
    const toGrid = async (): Promise<void> => {
      // Code link, contract, first lens's button, then the grid's one stop.
      for (let i = 0; i < 8; i++) {
        await panel.page.keyboard.press('Tab');
        if ((await panel.focus()).row !== null) return;
      }
      assert.fail('Tab never reached the grid');
    };

    it('gives a verdict, fills what it needs and goes back to the row', async () => {
      const page = await open();
      await toGrid();
      assert.deepEqual(await panel.focus(), { row: 'bnd-q4t87m2x', stop: 'row', field: null });
      for (let i = 0; i < 4; i++) await page.keyboard.press('ArrowDown');
      assert.equal((await panel.focus()).row, 'clk-z3c5w9tn');
      await page.keyboard.press('3');
      await page.locator('[data-detail="clk-z3c5w9tn"] [data-field="reason"]').waitFor();
      assert.deepEqual(
        await panel.focus(),
        { row: 'clk-z3c5w9tn', stop: 'row', field: null },
        'the row keeps the focus',
      );
      assert.deepEqual(panel.sent.at(-1), {
        id: panel.sent.at(-1)!.id,
        type: 'setVerdict',
        row: 'clk-z3c5w9tn',
        verdict: 'accept',
        fields: { owner: 'li', expires: '2027-05-29' },
      });
      assert.match(
        await page.locator('[role=status]').innerText(),
        /Accept\. 2 fields are needed; Enter goes to them\./,
      );

      await page.keyboard.press('Enter');
      await panel.focused({ field: 'because' });
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.keyboard.press('Tab');
      assert.equal((await panel.focus()).field, 'reason');
      await page.keyboard.type('the caller gives up after 3 s');
      await page.keyboard.press('Tab');
      await page.waitForFunction(
        `document.querySelector('sixlens-panel').shadowRoot.querySelector('[role=status]').textContent.includes('Saved')`,
      );
      const fields = panel.model!.lenses[5]!.rows[0]!.fields;
      assert.equal(fields['reason'], 'the caller gives up after 3 s');
      assert.ok(['rate', 'blast-radius'].includes(fields['because']!), `because: ${fields['because']}`);
      assert.equal((await panel.focus()).field, 'owner', 'saving leaves the focus where it went');
      await page.keyboard.press('Escape');
      assert.deepEqual(await panel.focus(), { row: 'clk-z3c5w9tn', stop: 'row', field: null });
      await page.keyboard.press('Escape');
      assert.equal(await page.locator('[data-detail="clk-z3c5w9tn"]').count(), 0);
    });

    for (const [key, verdict] of [
      ['1', 'detect'],
      ['2', 'handle'],
      ['3', 'accept'],
      ['b', 'blocked'],
    ] as const)
      it(`${key} is ${verdict} and u takes it back`, async () => {
        const page = await open();
        await page.locator(row('clk-zz000001')).focus();
        await page.keyboard.press(key);
        await page
          .locator(`[data-row="clk-zz000001"][data-stop="${verdict}"][aria-checked="true"]`)
          .waitFor();
        await page.keyboard.press('u');
        await page.locator('[data-row="clk-zz000001"][data-stop="undecided"][aria-checked="true"]').waitFor();
        assert.deepEqual(
          panel.sent.filter((one) => one.type === 'setVerdict').map((one) => one.verdict),
          [verdict, 'undecided'],
        );
      });

    it('leaves nothing behind when an accept is taken back, unless somebody wrote to it', async () => {
      const page = await open();
      await page.locator(row('clk-zz000001')).focus();
      await page.keyboard.press('3');
      await page.locator('[data-row="clk-zz000001"][data-stop="accept"][aria-checked="true"]').waitFor();
      await page.keyboard.press('1');
      await page.locator('[data-row="clk-zz000001"][data-stop="detect"][aria-checked="true"]').waitFor();
      assert.deepEqual(panel.model!.lenses[5]!.rows[1]!.fields, {});
      const accepted = panel.model!.lenses[0]!.rows[0]!.fields;
      await page.locator(row('bnd-q4t87m2x')).focus();
      await page.keyboard.press('2');
      await page.locator('[data-row="bnd-q4t87m2x"][data-stop="handle"][aria-checked="true"]').waitFor();
      assert.deepEqual(panel.model!.lenses[0]!.rows[0]!.fields, accepted);
    });

    it('is one tab stop, and arrows reach every control of a row', async () => {
      const page = await open();
      await toGrid();
      assert.equal(await page.locator('table [data-stop][tabindex="0"]').count(), 1);
      const stops: (string | null)[] = [];
      for (let i = 0; i < 7; i++) {
        stops.push((await panel.focus()).stop);
        await page.keyboard.press('ArrowRight');
      }
      assert.deepEqual(stops, ['row', 'place', 'detect', 'handle', 'accept', 'blocked', 'undecided']);
      await page.keyboard.press('ArrowDown');
      assert.deepEqual(await panel.focus(), { row: 'prt-ledger01', stop: 'undecided', field: null });
      await page.keyboard.press('Home');
      assert.equal((await panel.focus()).stop, 'row');
      await page.keyboard.press('End');
      assert.deepEqual(await panel.focus(), { row: 'clk-zz000001', stop: 'row', field: null });
      assert.equal(await page.locator('table [data-stop][tabindex="0"]').count(), 1);
    });

    it('types digits and letters into fields, not into the grid', async () => {
      const page = await open();
      await page.locator(row('res-h5v61c8d')).focus();
      await page.keyboard.press('Enter');
      await panel.focused({ field: 'signal' });
      await page.keyboard.press('Control+A');
      await page.keyboard.type('alert 123 u b');
      await page.keyboard.press('Tab');
      await panel.request('setVerdict');
      assert.deepEqual(
        panel.sent.filter((one) => one.type === 'setVerdict').map((one) => [one.verdict, one.fields]),
        [[undefined, { signal: 'alert 123 u b' }]],
      );
    });

    it('adds a row and puts the focus on it', async () => {
      const page = await open();
      await page.getByRole('button', { name: 'Add row to Clock' }).press('Enter');
      await panel.focused({ field: 'new-row' });
      await page.keyboard.type('The token expires during the call');
      await page.keyboard.press('Enter');
      await page.locator(row('clk-new00001')).waitFor();
      await panel.focused({ row: 'clk-new00001', stop: 'row' });
      assert.deepEqual(panel.sent.at(-1), {
        id: panel.sent.at(-1)!.id,
        type: 'addRow',
        lens: 'clock',
        failure: 'The token expires during the call',
      });
    });
  });

  describe('as an editor of the document', () => {
    it('keeps focus and draft when the document changes under it', async () => {
      const page = await open();
      await page.locator(row('res-h5v61c8d')).focus();
      await page.keyboard.press('Enter');
      await panel.focused({ field: 'signal' });
      await page.keyboard.press('End');
      await page.keyboard.type(' now');
      const model = sampleTable();
      model.unit = 'POST /webhooks/payments/v2';
      await panel.push(model);
      await page.getByText('POST /webhooks/payments/v2').waitFor();
      assert.equal((await panel.focus()).field, 'signal');
      await page.keyboard.type('!');
      await page.keyboard.press('Tab');
      await panel.request('setVerdict');
      assert.equal(
        panel.model!.lenses[4]!.rows[0]!.fields['signal'],
        'alert queue_depth > 1000 for 5 min, pages payments-oncall now!',
      );
    });

    it('shows an edit made elsewhere in a field that nobody is in', async () => {
      const page = await open();
      await page.locator(row('res-h5v61c8d')).click();
      const model = sampleTable();
      model.lenses[4]!.rows[0]!.fields['signal'] = 'page the owner';
      await panel.push(model);
      await page.waitForFunction(
        `document.querySelector('sixlens-panel').shadowRoot.querySelector('[data-detail] [data-field=signal]').value === 'page the owner'`,
      );
    });

    it('stays near a row that went away', async () => {
      const page = await open();
      await page.locator(row('cnc-d9r3k0va')).focus();
      const model = sampleTable();
      model.lenses[3]!.rows = [];
      await panel.push(model);
      await page.locator('[data-row="cnc-d9r3k0va"]').first().waitFor({ state: 'detached' });
      assert.equal(
        await page.locator('table [data-stop="row"][tabindex="0"]').getAttribute('data-row'),
        'res-h5v61c8d',
      );
    });

    it('says so when a change was refused, and changes nothing', async () => {
      const page = await open();
      panel.refuse = 'The table kept changing while it was edited; try again.';
      await page.locator('[data-row="clk-zz000001"][data-stop="detect"]').click();
      await page.locator('.notice', { hasText: 'kept changing' }).waitFor();
      assert.match(await page.locator('[role=status]').innerText(), /kept changing/);
      assert.equal(
        await page.locator('[data-row="clk-zz000001"][data-stop="undecided"]').getAttribute('aria-checked'),
        'true',
      );
      panel.refuse = null;
      await page.locator('[data-row="clk-zz000001"][data-stop="detect"]').click();
      await page.locator('.notice').waitFor({ state: 'detached' });
    });

    it('asks for code, for a rule page, and to change the contract', async () => {
      const page = await open();
      await page.locator('[data-row="cnc-d9r3k0va"][data-stop="place"]').click();
      await page.locator(row('cnc-d9r3k0va')).click();
      await page.getByRole('button', { name: 'redelivery-without-dedup' }).click();
      await page.locator('[data-field="contract"]').click();
      await page.keyboard.press('Control+A');
      await page.keyboard.type('Exactly one fulfilment.');
      await page.keyboard.press('Tab');
      await panel.request('setContract');
      assert.deepEqual(
        panel.sent.slice(1).map(({ id: _, ...rest }) => rest),
        [
          { type: 'openCode', row: 'cnc-d9r3k0va' },
          { type: 'openRule', rule: 'redelivery-without-dedup' },
          { type: 'setContract', contract: 'Exactly one fulfilment.' },
        ],
      );
    });

    it('confirms a mechanism that the tool only proposed', async () => {
      const page = await open();
      await page.locator('[data-row="cnc-d9r3k0va"][data-stop="handle"]').click();
      await panel.request('setVerdict');
      assert.equal(panel.model!.lenses[3]!.rows[0]!.proposed, false);
    });

    it('shows the row it is asked to reveal', async () => {
      const page = await open();
      await panel.push(sampleTable(), [], 'clk-zz000001');
      await page.locator('[data-detail="clk-zz000001"]').waitFor();
      await panel.focused({ row: 'clk-zz000001', stop: 'row' });
    });

    it('acknowledges every model and comes back as it was after being hidden', async () => {
      const page = await open();
      await page.locator(row('prt-ledger01')).click();
      await page.locator('[data-detail="prt-ledger01"]').waitFor();
      assert.deepEqual(panel.receipts, [1]);
      await page.reload();
      await page.locator('[data-detail="prt-ledger01"]').waitFor();
      assert.equal(
        await page.locator('table [data-stop][tabindex="0"]').getAttribute('data-row'),
        'prt-ledger01',
      );
    });
  });

  describe('for everybody', () => {
    for (const theme of Object.keys(THEMES)) {
      it(`has no accessibility violation in ${theme}, with a row open and an error shown`, async () => {
        const page = await open(undefined, { theme });
        assert.deepEqual(await axe(panel), []);
        await page.locator(row('bnd-q4t87m2x')).click();
        await page.locator(row('clk-z3c5w9tn')).focus();
        await page.keyboard.press('Enter');
        panel.refuse = 'No.';
        await page.locator('[data-row="clk-zz000001"][data-stop="detect"]').click();
        await page.locator('.notice').waitFor();
        assert.deepEqual(await axe(panel), []);
      });
    }

    it('has no accessibility violation when the table cannot be read', async () => {
      await open(null, {
        theme: 'light',
        problems: [
          {
            message: 'no',
            severity: 'error',
            range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } },
          },
        ],
      });
      assert.deepEqual(await axe(panel), []);
    });

    it('needs no sideways scrolling at 200 % zoom, nor in a narrow column', async () => {
      for (const width of [640, 320]) {
        await panel?.page.close();
        const page = await open(undefined, { width });
        await page.locator(`${row('bnd-q4t87m2x')} .failure`).click();
        await page.locator('[data-detail]').waitFor();
        const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
        assert.ok(wide <= width, `${wide} px wide at ${width}`);
        assert.deepEqual(await axe(panel), []);
      }
    });

    it('moves nothing when motion is to be reduced', async () => {
      const page = await open(undefined, { reducedMotion: true });
      const duration = await page.evaluate<string>(
        `getComputedStyle(document.querySelector('sixlens-panel').shadowRoot.querySelector('.turn')).transitionDuration`,
      );
      assert.equal(duration, '0s');
    });
  });
});
