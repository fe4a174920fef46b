import { strict as assert } from 'node:assert';
import * as vscode from 'vscode';

const ID = 'sixlens.sixlens';

describe('the installed extension', () => {
  it('activates', async () => {
    const extension = vscode.extensions.getExtension(ID);
    assert.ok(extension, `${ID} is not installed`);
    await extension.activate();
    assert.equal(extension.isActive, true);
  });

  it('registers every command of its manifest', async () => {
    const manifest = vscode.extensions.getExtension(ID)?.packageJSON as {
      contributes: { commands: { command: string }[] };
    };
    const declared = manifest.contributes.commands.map(({ command }) => command);
    assert.ok(declared.length > 0, 'the manifest declares no command');
    const known = new Set(await vscode.commands.getCommands(true));
    assert.deepEqual(
      declared.filter((command) => !known.has(command)),
      [],
    );
  });
});
