import { strict as assert } from 'node:assert';
import { EditorSession } from './editorSession.ts';

const FILE = 'src/http/shipping.ts';
const CALL = 'fetch(`${CARRIER}/labels`';

describe('a finding in the editor', function () {
  this.timeout(120_000);
  let session: EditorSession;

  before(async function () {
    this.timeout(600_000);
    session = await EditorSession.start({ open: FILE });
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await session.picture(this.currentTest.fullTitle());
  });
  after(() => session?.stop());

  it('is underlined and listed under Problems', async () => {
    await session.squiggle();
    const rows = await session.problems();
    await rows.filter({ hasText: 'call-without-timeout' }).first().waitFor();
  });

  it('is repaired by keyboard, and the repair reaches the disk', async () => {
    await session.focusEditor();
    await session.goToText(FILE, CALL);
    await session.quickFix('Add an AbortSignal timeout');
    await session.editor.locator('.view-line', { hasText: 'AbortSignal.timeout(' }).first().waitFor();
    await session.save();
    assert.match(session.read(FILE), /orderId }\),\n    signal: AbortSignal\.timeout\(\d+\),\n  }\);/);
  });

  it('comes back when the repair is undone', async () => {
    await session.focusEditor();
    await session.page.keyboard.press('Control+z');
    await session.editor
      .locator('.view-line', { hasText: 'AbortSignal.timeout(' })
      .waitFor({ state: 'detached' });
    await session.squiggle();
    await session.save();
    assert.doesNotMatch(session.read(FILE), /AbortSignal/);
  });
});
