import { strict as assert } from 'node:assert';
import * as vscode from 'vscode';

const RULE = 'call-without-timeout';

function ruleOf({ code }: vscode.Diagnostic): string {
  return String(typeof code === 'object' ? code.value : code);
}

async function until<T>(what: string, look: () => T | undefined | Promise<T | undefined>): Promise<T> {
  const end = Date.now() + 30_000;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > end) throw new Error(`waited 30 s for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function open(file: string): Promise<vscode.TextDocument> {
  const folder = vscode.workspace.workspaceFolders?.[0];
  assert.ok(folder, 'no folder is open');
  const document = await vscode.workspace.openTextDocument(vscode.Uri.joinPath(folder.uri, file));
  await vscode.window.showTextDocument(document);
  return document;
}

describe('findings in the editor', () => {
  it('underline the call that has no bound, and not its bounded sibling', async () => {
    const document = await open('src/http/shipping.ts');
    const found = await until(`a ${RULE} diagnostic`, () => {
      const all = vscode.languages.getDiagnostics(document.uri).filter((one) => ruleOf(one) === RULE);
      return all.length ? all : undefined;
    });
    assert.deepEqual(
      found.map(({ range }) => document.lineAt(range.start.line).text.trim()),
      ['const response = await fetch(`${CARRIER}/labels`, {'],
    );
  });

  it('go with the text they were about', async () => {
    const document = await open('src/http/shipping.ts');
    const at = document.positionAt(document.getText().indexOf('    body: JSON'));
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, at, '    signal: AbortSignal.timeout(1000),\n');
    await vscode.workspace.applyEdit(edit);
    await until('the finding to go', () =>
      vscode.languages.getDiagnostics(document.uri).some((one) => ruleOf(one) === RULE) ? undefined : true,
    );
    await vscode.commands.executeCommand('undo');
    await until('the finding to come back', () =>
      vscode.languages.getDiagnostics(document.uri).some((one) => ruleOf(one) === RULE) ? true : undefined,
    );
  });

  it('offer a repair', async () => {
    const document = await open('src/http/shipping.ts');
    const diagnostic = await until('the finding', () =>
      vscode.languages.getDiagnostics(document.uri).find((one) => ruleOf(one) === RULE),
    );
    const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>(
      'vscode.executeCodeActionProvider',
      document.uri,
      diagnostic.range,
    );
    assert.ok(
      actions.some(({ title }) => title === 'Add an AbortSignal timeout'),
      `only: ${actions.map(({ title }) => title).join(', ')}`,
    );
  });

  it('name each unit above its handler', async () => {
    const document = await open('src/checkout.ts');
    const lenses = await until('a code lens per handler', async () => {
      const all = await vscode.commands.executeCommand<vscode.CodeLens[]>(
        'vscode.executeCodeLensProvider',
        document.uri,
        20,
      );
      const lines = new Set((all ?? []).map(({ range }) => document.lineAt(range.start.line).text));
      return lines.size >= 3 ? lines : undefined;
    });
    for (const route of ['/checkout', '/coupons/:code/redeem', '/orders/:id/cancel'])
      assert.ok(
        [...lenses].some((line) => line.includes(`'${route}'`)),
        `no lens at ${route}`,
      );
  });
});
