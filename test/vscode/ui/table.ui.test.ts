import { strict as assert } from 'node:assert';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { EditorSession } from './editorSession.ts';

const SOURCE = 'src/checkout.ts';
const TABLE = '.sixlens/tables/src/checkout/http-post-checkout.yaml';
const COMMENT = '# Agreed with the payments team: one row a week.';

describe('the failure-mode table', function () {
  this.timeout(120_000);
  let session: EditorSession;

  before(async function () {
    this.timeout(600_000);
    session = await EditorSession.start({ open: SOURCE });
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await session.picture(this.currentTest.fullTitle());
  });
  after(() => session?.stop());

  it('is generated from the handler under the caret and shown', async () => {
    await session.squiggle();
    await session.focusEditor();
    await session.goToText(SOURCE, 'const shipping = await');
    await session.command('Sixlens: Generate Failure-Mode Table');
    await session.webview.locator('h1', { hasText: 'POST /checkout' }).waitFor();
    await session.onDisk(TABLE, /^unit: POST \/checkout$/m);
  });

  it('takes a verdict in the panel, keeps comments, and the file changes on disk', async () => {
    const file = path.join(session.workspace, TABLE);
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^rows:$/m, `${COMMENT}\nrows:`));
    await session.onDisk(TABLE, /Agreed with/);
    const undecided = session.webview.locator('[data-stop="undecided"][aria-checked="true"]').first();
    const row = (await undecided.getAttribute('data-row')) ?? '';
    assert.notEqual(row, '', 'no row of the table is undecided');
    await session.webview.locator(`[data-row="${row}"][data-stop="row"]`).click();
    await session.page.keyboard.press('1');
    await session.webview.locator(`[data-row="${row}"][data-stop="detect"][aria-checked="true"]`).waitFor();
    await session.save();
    const text = await session.onDisk(
      TABLE,
      new RegExp(`^  ${row}:\\n(?:    .*\\n)*?    verdict: detect$`, 'm'),
    );
    assert.ok(text.includes(COMMENT), `the comment is gone:\n${text}`);
  });

  it('takes the verdict back on undo', async () => {
    await session.page.keyboard.press('Escape');
    await session.page.keyboard.press('Control+z');
    await session.webview.locator('[data-stop="detect"][aria-checked="true"]').waitFor({ state: 'detached' });
    await session.save();
    const text = session.read(TABLE);
    assert.doesNotMatch(text, /verdict: detect/);
    assert.ok(text.includes(COMMENT), `the comment is gone:\n${text}`);
  });
});
