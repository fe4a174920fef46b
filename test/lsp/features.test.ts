import { strict as assert } from 'node:assert';
import type {
  CodeAction,
  CodeLens,
  CompletionItem,
  Hover,
  TextDocumentEdit,
} from 'vscode-languageserver-protocol/node';
import { Client, PLAIN, Workspace, applied, rangeOf } from './languageClient.ts';

const HANDLER = `router.post('/pay', async (req, res) => {
  await fetch(url);
});
`;

describe('lsp features', function () {
  this.timeout(60_000);
  let workspace: Workspace;
  let client: Client;
  let uri: string;
  afterEach(async () => {
    await client.stop();
    workspace.remove();
  });

  const start = async (text: string, options = {}, files: Record<string, string> = {}): Promise<void> => {
    workspace = new Workspace({ 'src/pay.ts': text, ...files });
    client = await Client.start(workspace, options);
    uri = workspace.uri('src/pay.ts');
    await client.open(uri, text);
  };
  const actions = (part: string, context: object = { diagnostics: [] }): Promise<CodeAction[]> =>
    client.request('textDocument/codeAction', {
      textDocument: { uri },
      range: rangeOf(client.text(uri), part),
      context,
    });
  const hover = (part: string): Promise<Hover | null> =>
    client.request('textDocument/hover', {
      textDocument: { uri },
      position: rangeOf(client.text(uri), part).start,
    });
  const edits = (action: CodeAction): TextDocumentEdit =>
    action.edit!.documentChanges![0] as TextDocumentEdit;

  describe('code actions', () => {
    it('offers fixes without edits, and the edits when one is chosen', async () => {
      await start(HANDLER);
      const [fix, previewed, accept, table, ...rest] = await actions('fetch');
      assert.deepEqual(rest, []);
      assert.deepEqual(
        [fix!.title, fix!.kind, fix!.isPreferred, fix!.edit],
        ['Add a timeout', 'quickfix', true, undefined],
      );
      assert.equal(fix!.diagnostics![0]!.code, 'call-without-timeout');
      assert.deepEqual([previewed!.kind, previewed!.isPreferred], ['refactor.rewrite', undefined]);
      assert.equal(table!.command!.command, 'sixlens.openTable');
      assert.match(accept!.title, /sixlens-accept call-without-timeout/);
      const resolved = await client.request<CodeAction>('codeAction/resolve', fix);
      assert.deepEqual(edits(resolved).textDocument, { uri, version: 1 });
      assert.equal(
        resolved.edit!.changeAnnotations,
        undefined,
        'a safe fix in one file asks for no confirmation',
      );
      assert.match(
        applied(HANDLER, edits(resolved).edits as never),
        /await fetch\(url, \{ signal: AbortSignal\.timeout\(5000\) \}\);/,
      );
      const asking = await client.request<CodeAction>('codeAction/resolve', previewed);
      assert.equal(Object.values(asking.edit!.changeAnnotations!)[0]!.needsConfirmation, true);
    });

    it('resolves against the text as it is then, not as it was offered', async () => {
      await start(HANDLER);
      const [fix] = await actions('fetch');
      await client.edit(uri, "router.post('/pay'", "// moved down\nrouter.post('/pay'");
      const resolved = await client.request<CodeAction>('codeAction/resolve', fix);
      assert.equal(edits(resolved).textDocument.version, 2);
      assert.match(applied(client.text(uri), edits(resolved).edits as never), /fetch\(url, \{ signal/);
      await client.edit(uri, 'fetch(url)', 'other()');
      await assert.rejects(client.request('codeAction/resolve', fix), /no longer applies/);
      await assert.rejects(
        client.request('codeAction/resolve', { title: 'x', data: { uri: 1 } }),
        /not offered by Sixlens/,
      );
    });

    it('keeps to the kinds that are asked for', async () => {
      await start(HANDLER);
      const titles = async (only: string[]): Promise<string[]> =>
        (await actions('fetch', { diagnostics: [], only })).map((action) => action.title);
      assert.deepEqual(await titles(['refactor']), ['Move into a helper']);
      assert.deepEqual(await titles(['source.fixAll']), [], 'no reliability fix is applied on save');
      assert.deepEqual(await actions('router'), []);
    });

    it('puts the accept comment above, indented, and leaves the reason to the person', async () => {
      await start(HANDLER);
      const accept = (await actions('fetch')).find((action) => action.title.startsWith('Accept'))!;
      const [edit] = edits(accept).edits as unknown as [{ range: unknown; snippet: { value: string } }];
      assert.deepEqual(edit.range, { start: { line: 1, character: 0 }, end: { line: 1, character: 0 } });
      assert.equal(edit.snippet.value, '  // sixlens-accept call-without-timeout: ${1:reason}\n');
    });

    it('sends whole edits to clients that cannot ask later, in the line ends of the file', async () => {
      const text = HANDLER.replaceAll('\n', '\r\n');
      await start(text, { capabilities: PLAIN });
      const [fix, , accept] = await actions('fetch');
      assert.match(applied(text, fix!.edit!.changes![uri]!), /\{ signal/);
      assert.match(
        applied(text, accept!.edit!.changes![uri]!),
        /=> \{\r\n {2}\/\/ sixlens-accept call-without-timeout: \r\n {2}await/,
      );
    });
  });

  describe('hover', () => {
    const value = (answer: Hover | null): string => (answer!.contents as { value: string }).value;

    it('has the bounds of a call and says what is assumed', async () => {
      await start(`router.post('/pay', async () => {\n  await pool.query(sql);\n});\n`);
      const answer = await hover('pool.query');
      assert.match(value(answer), /`pool\.query`\*\* · pg 8\.13\.1 · database read/);
      assert.match(value(answer), /\| acquire \| 2 s \|/);
      assert.match(value(answer), /\| whole call \| \*\*no bound\*\* \|/);
      assert.match(value(answer), /\| transaction \| BEGIN at line 3 \|/);
      assert.match(value(answer), /Assumed from the shape/);
      assert.deepEqual(answer!.range, rangeOf(client.text(uri), 'pool.query('));
    });

    it('says of a finding when it shows, what happens, how it is found out and what to do', async () => {
      await start(HANDLER);
      const text = value(await hover('fetch'));
      for (const part of [
        'call-without-timeout',
        'each request holds one worker',
        'when users complain',
        'pass a signal',
      ])
        assert.ok(text.includes(part), part);
    });

    it('has the open failure modes of a unit on its name line, and nothing elsewhere', async () => {
      await start(`${HANDLER}\nconst nothing = 1;\n`);
      assert.match(
        value(await hover("'/pay'")),
        /POST \/pay[\s\S]*No failure-mode table yet; the code shows one open failure mode/,
      );
      assert.equal(await hover('nothing'), null);
    });

    it('has the rows of the table once there is one', async () => {
      await start(HANDLER, {}, { '.sixlens/tables/src/pay/http-post-pay.yaml': TABLE });
      const text = value(await hover("'/pay'"));
      assert.match(text, /1 of 2 decided/);
      assert.match(text, /the provider sends it twice/);
      assert.match(text, /\| \*\*Clock\*\* \|/);
    });
  });

  describe('CodeLens', () => {
    const titles = async (): Promise<string[]> =>
      (await client.request<CodeLens[]>('textDocument/codeLens', { textDocument: { uri } })).map(
        (lens) => lens.command!.title,
      );

    it('offers to generate, then tells how far the table is', async () => {
      await start(HANDLER, { initializationOptions: { clientCommands: true } });
      assert.deepEqual(await titles(), ['Generate failure-mode table', 'Show inline']);
      workspace.write('.sixlens/tables/src/pay/http-post-pay.yaml', TABLE);
      assert.deepEqual(await titles(), [
        'Failure modes: 1 of 2 decided · 4 lenses not looked through',
        'Show inline',
      ]);
      const table = workspace.uri('.sixlens/tables/src/pay/http-post-pay.yaml');
      await client.open(
        table,
        TABLE.replace('verdict: undecided', 'verdict: detect\n    signal: alert late'),
        'yaml',
      );
      assert.deepEqual(
        (await titles())[0],
        'Failure modes: 2 of 2 decided · 4 lenses not looked through',
        'unsaved text counts',
      );
      await client.edit(table, 'verdict: detect', 'verdict: nonsense');
      assert.deepEqual((await titles())[0], 'Failure modes: table cannot be read');
    });
  });

  describe('table files', () => {
    const table = (): string => workspace.uri('.sixlens/tables/src/pay/http-post-pay.yaml');

    it('have errors at their place, in the open text', async () => {
      await start(HANDLER);
      await client.open(table(), TABLE, 'yaml');
      assert.deepEqual(
        (await client.diagnostics(table())).filter((one) => one.severity === 1),
        [],
      );
      await client.edit(table(), 'verdict: undecided', 'verdict: maybe');
      const [error] = (await client.diagnostics(table())).filter((one) => one.severity === 1);
      assert.match(String(error!.message), /maybe/);
      assert.deepEqual(error!.range, rangeOf(client.text(table()), 'maybe'));
    });

    it('complete verdicts, reasons, rules, fields and lenses', async () => {
      await start(HANDLER);
      await client.open(table(), TABLE, 'yaml');
      const after = async (part: string): Promise<string[]> => {
        const text = client.text(table());
        const items = await client.request<CompletionItem[]>('textDocument/completion', {
          textDocument: { uri: table() },
          position: rangeOf(text, part).end,
        });
        return items.map((item) => item.label);
      };
      assert.deepEqual(await after('verdict: '), ['undecided', 'detect', 'handle', 'accept', 'blocked']);
      assert.deepEqual(await after('    rule: '), ['call-without-timeout']);
      assert.deepEqual(await after('failure: the'), []);
      await client.edit(table(), 'verdict: undecided', 'because: ');
      assert.deepEqual(await after('because: '), [
        'rate',
        'blast-radius',
        'upstream-guarantee',
        'cost',
        'temporary',
      ]);
      await client.edit(table(), 'because: ', 'ho');
      assert.ok((await after('    ho')).includes('how'));
    });

    it('explain a row, a verdict and a rule on hover', async () => {
      await start(HANDLER);
      await client.open(table(), TABLE, 'yaml');
      const at = async (part: string): Promise<string> => {
        const answer = await client.request<Hover | null>('textDocument/hover', {
          textDocument: { uri: table() },
          position: rangeOf(client.text(table()), part).end,
        });
        return answer === null ? '' : (answer.contents as { value: string }).value;
      };
      assert.match(await at('clk-aaaaaaaa'), /undecided/i);
      assert.match(await at('verdict: hand'), /mechanism in code/);
      assert.match(await at('rule: call-without'), /nothing bounds/);
      assert.match(await at('    how'), /mechanism that handles it/);
      assert.equal(await at('failure: the provider'), '');
    });
  });
});

const TABLE = `# kept by the payments team
sixlens: 1
unit: POST /pay
kind: http
code: { file: src/pay.ts, symbol: 'router.post "/pay"' }
contract: one charge for each order

rows:
  cnc-bbbbbbbb:
    failure: the provider sends it twice
    verdict: handle
    how: unique key   # see the migration
    test: test/pay.test.ts > charges once

  clk-aaaaaaaa:
    failure: the call hangs
    rule: call-without-timeout
    at: fetch
    verdict: undecided
`;
