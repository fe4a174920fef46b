import { strict as assert } from 'node:assert';
import type { CodeAction, TextDocumentEdit } from 'vscode-languageserver-protocol/node';
import type { DocumentEdits } from '../../server/src/protocol/messages.ts';
import { Client, REAL_SERVER, Workspace, applied, rangeOf, until } from './languageClient.ts';

const PACKAGE = JSON.stringify({ name: 'shop', type: 'module', dependencies: { express: '^5.0.0' } });
const PAY = `import express from 'express';
import { settle } from './ledger.ts';

const router = express.Router();

router.post('/pay', async (req, res) => {
  await settle(req.body.id);
  res.sendStatus(200);
});

export default router;
`;
const LEDGER = `export async function settle(id: string): Promise<void> {
  await fetch(\`https://ledger.example/\${id}\`, { method: 'PUT' });
}
`;

/** The shipped server over the real analysis, as an editor meets it. */
describe('lsp with the real analysis', function () {
  this.timeout(60_000);
  let workspace: Workspace;
  let client: Client;
  let ledger: string;
  let pay: string;

  beforeEach(async () => {
    workspace = new Workspace({ 'package.json': PACKAGE, 'src/pay.ts': PAY, 'src/ledger.ts': LEDGER });
    client = await Client.start(workspace, { entry: REAL_SERVER });
    ledger = workspace.uri('src/ledger.ts');
    pay = workspace.uri('src/pay.ts');
  });
  afterEach(async () => {
    await client.stop();
    workspace.remove();
  });

  const rulesOf = async (uri: string): Promise<unknown[]> =>
    (await client.diagnostics(uri)).map((one) => one.code);

  it('finds a call without a bound, mends it with the chosen fix, and is then silent', async () => {
    await client.open(ledger, LEDGER);
    assert.deepEqual(
      (await rulesOf(ledger)).filter((rule) => rule === 'call-without-timeout'),
      ['call-without-timeout'],
    );
    const actions = await client.request<CodeAction[]>('textDocument/codeAction', {
      textDocument: { uri: ledger },
      range: rangeOf(LEDGER, 'fetch'),
      context: { diagnostics: [] },
    });
    const fix = actions.find((action) => action.isPreferred);
    assert.ok(fix, `a preferred fix among ${actions.map((action) => action.title).join(', ')}`);
    const resolved = await client.request<CodeAction>('codeAction/resolve', fix);
    const change = resolved.edit!.documentChanges![0] as TextDocumentEdit;
    const mended = applied(LEDGER, change.edits as never);
    assert.match(mended, /signal: AbortSignal\.timeout\(/);
    await client.edit(ledger, LEDGER, mended);
    assert.deepEqual(
      (await rulesOf(ledger)).filter((rule) => rule === 'call-without-timeout'),
      [],
    );
  });

  it('shows a finding as the row of its table says, while the table is typed', async () => {
    const table = workspace.uri('.sixlens/tables/src/pay/http-post-pay.yaml');
    const text = (verdict: string): string => `sixlens: 1
unit: POST /pay
kind: http
code: { file: src/pay.ts, symbol: 'router.post "/pay"' }
contract: an answer
rows:
  clk-00000001:
    failure: the ledger hangs
    rule: call-without-timeout
    at: fetch
    ${verdict}
`;
    const shown = async (): Promise<string[]> =>
      (await client.diagnostics(ledger))
        .filter(({ code }) => code === 'call-without-timeout')
        .map(({ severity, message }) => `${severity} ${/Row .*/.exec(String(message))?.[0] ?? ''}`.trim());
    await client.open(ledger, LEDGER);
    const before = await shown();
    assert.equal(before.length, 1);
    const verdicts = [
      'verdict: undecided',
      'verdict: detect\n    signal: alert slow',
      'verdict: accept\n    because: rate\n    reason: once a year\n    owner: li\n    expires: "2999-01-01"',
      'verdict: accept\n    because: rate\n    reason: once a year\n    owner: li\n    expires: "2020-01-01"',
    ];
    await client.open(table, text(verdicts[0]!));
    assert.deepEqual(await shown(), before);
    await client.edit(table, verdicts[0]!, verdicts[1]!);
    assert.deepEqual(await shown(), ['4 Row clk-00000001: detected by alert slow.']);
    await client.edit(table, verdicts[1]!, verdicts[2]!);
    assert.deepEqual(await shown(), []);
    const why = await client.request<{ reasons: { code: string; text: string }[] }>('sixlens/whySilent', {
      uri: ledger,
    });
    assert.match(why.reasons[0]!.text, /on line 2 is accepted by row clk-00000001: once a year/);
    await client.edit(table, verdicts[2]!, verdicts[3]!);
    assert.deepEqual(await shown(), [
      `${before[0]} Row clk-00000001: accepted until 2020-01-01, which has passed; the reason was: once a year.`,
    ]);
  });

  it('deletes a guard that nothing asks for, and says so in the table, in one action', async () => {
    const guarded = PAY.replace(
      '  await settle(req.body.id);\n',
      "  const seen = new Set([req.body.id]);\n  if (!seen) throw new Error('none');\n  await settle(req.body.id);\n",
    );
    const table = `sixlens: 1
unit: POST /pay
kind: http
code: { file: src/pay.ts, symbol: 'router.post "/pay"' }
contract: an answer
rows: {}
`;
    workspace.write('.sixlens/tables/src/pay/http-post-pay.yaml', table);
    await client.open(pay, guarded);
    const actions = await client.request<CodeAction[]>('textDocument/codeAction', {
      textDocument: { uri: pay },
      range: rangeOf(guarded, 'if (!seen)'),
      context: { diagnostics: [], only: ['refactor'] },
    });
    const action = actions.find(({ title }) => title.startsWith('Delete null check after new Set'));
    assert.ok(action, actions.map(({ title }) => title).join(', '));
    const [code, record] = action.edit!.documentChanges as TextDocumentEdit[];
    assert.equal(
      applied(guarded, code!.edits as never),
      guarded.replace("  if (!seen) throw new Error('none');\n", ''),
    );
    assert.equal(
      applied(table, record!.edits as never).slice(table.length),
      '\npruned:\n  - "null check after new Set (pay.ts)"\n',
    );
    assert.equal(action.edit!.changeAnnotations!['prune']!.needsConfirmation, true);
  });

  it('takes an accept comment with a reason, and none without', async () => {
    await client.open(ledger, LEDGER);
    await client.edit(
      ledger,
      '  await fetch',
      '  // sixlens-accept call-without-timeout: its own scheduler ends it\n  await fetch',
    );
    assert.ok(!(await rulesOf(ledger)).includes('call-without-timeout'));
    await client.edit(ledger, ': its own scheduler ends it', ':');
    assert.ok((await rulesOf(ledger)).includes('call-without-timeout'));
  });

  it('generates a table of the handler from what it reaches in another, unsaved file', async () => {
    await client.open(ledger, LEDGER);
    await client.open(pay, PAY);
    const generate = (): Promise<{ ok: boolean; tableUri: string; edit: DocumentEdits }> =>
      client.request('sixlens/generateTable', { uri: pay, offset: PAY.indexOf('settle(req') });
    const first = await generate();
    assert.equal(first.ok, true);
    assert.match(first.edit.edits[0]!.newText, /unit: POST \/pay/);
    assert.match(first.edit.edits[0]!.newText, /rule: call-without-timeout/);
    await client.open(first.tableUri, first.edit.edits[0]!.newText, 'yaml');
    assert.deepEqual(
      (await client.diagnostics(first.tableUri)).filter((one) => one.severity === 1),
      [],
    );
    await client.edit(ledger, "method: 'PUT'", "method: 'PUT', signal: AbortSignal.timeout(3000)");
    const second = await generate();
    const merged = applied(first.edit.edits[0]!.newText, second.edit.edits);
    assert.match(merged, /retired:|AbortSignal|proposed: true/, 'the row follows the code');
  });

  it('follows a function that is half typed and one that just appeared on disk', async () => {
    await client.open(pay, PAY);
    await client.edit(pay, 'await settle(req.body.id);', 'await settle(');
    await client.diagnostics(pay);
    await client.edit(pay, 'await settle(', 'await settle(req.body.id); await fetch(req.body.url);');
    assert.ok((await rulesOf(pay)).includes('call-without-timeout'));
    const other = workspace.uri('src/other.ts');
    workspace.write('src/other.ts', LEDGER);
    await client.connection.sendNotification('workspace/didChangeWatchedFiles', {
      changes: [{ uri: other, type: 1 }],
    });
    await until('a refresh', () =>
      client.requests.find((one) => one.method === 'workspace/diagnostic/refresh'),
    );
    assert.ok((await rulesOf(other)).includes('call-without-timeout'));
  });

  it('says of a broken manifest where it is broken, and still analyses', async () => {
    workspace.write('package.json', '{ "name": ');
    await client.connection.sendNotification('workspace/didChangeWatchedFiles', {
      changes: [{ uri: workspace.uri('package.json'), type: 2 }],
    });
    await client.open(ledger, LEDGER);
    assert.ok((await rulesOf(ledger)).includes('call-without-timeout'));
    assert.ok(client.alive);
  });

  it('says why nothing is shown', async () => {
    await client.open(pay, PAY);
    const { reasons } = await client.request<{ reasons: { text: string }[] }>('sixlens/whySilent', {
      uri: pay,
      offset: 0,
    });
    assert.ok(
      reasons.length > 0 && reasons.every((reason) => /[.!?]$/.test(reason.text)),
      JSON.stringify(reasons),
    );
  });
});
