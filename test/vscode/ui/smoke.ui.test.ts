import { strict as assert } from 'node:assert';
import { EditorSession } from './editorSession.ts';

describe('the workbench with the packaged extension', function () {
  this.timeout(120_000);
  let session: EditorSession;

  before(async function () {
    this.timeout(600_000);
    session = await EditorSession.start();
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await session.picture(this.currentTest.fullTitle());
  });
  after(() => session?.stop());

  it('opens a file of the example service', async () => {
    await session.openFile('src/checkout.ts');
    assert.match(await session.editor.innerText(), /import/);
  });

  it('offers the commands of the extension', async () => {
    await session.page.keyboard.press('F1');
    await session.page.locator('.quick-input-widget .quick-input-box input').fill('>Sixlens: ');
    const rows = session.page.locator('.quick-input-list .monaco-list-row', { hasText: 'Sixlens:' });
    await rows.first().waitFor();
    assert.ok((await rows.count()) > 0);
    await session.page.keyboard.press('Escape');
  });
});
