import { strict as assert } from 'node:assert';
import type { WorkspaceDiagnosticReport } from 'vscode-languageserver-protocol/node';
import { CancellationTokenSource } from 'vscode-languageserver-protocol/node';
import { Client, EDITOR, PLAIN, Workspace, pause, until } from './languageClient.ts';

const HANDLER = `router.post('/pay', async (req, res) => {
  await fetch(url);
});
`;

describe('lsp diagnostics', function () {
  this.timeout(60_000);
  let workspace: Workspace;
  let client: Client;
  afterEach(async () => {
    await client.stop();
    workspace.remove();
  });

  const start = async (files: Record<string, string>, options = {}): Promise<void> => {
    workspace = new Workspace(files);
    client = await Client.start(workspace, options);
  };

  describe('pulled', () => {
    it('has the rule, its severity, the path of calls and data for fixes', async () => {
      await start({ 'src/pay.ts': HANDLER });
      const uri = workspace.uri('src/pay.ts');
      await client.open(uri, HANDLER);
      const [diagnostic, ...rest] = await client.diagnostics(uri);
      assert.deepEqual(rest, []);
      assert.deepEqual(diagnostic!.range, {
        start: { line: 1, character: 8 },
        end: { line: 1, character: 18 },
      });
      assert.equal(diagnostic!.code, 'call-without-timeout');
      assert.equal(diagnostic!.severity, 2);
      assert.equal(diagnostic!.message, 'if url hangs, this hangs with it: no bound');
      assert.equal(diagnostic!.relatedInformation![0]!.message, 'reached from POST /pay');
      assert.equal(diagnostic!.relatedInformation![0]!.location.uri, uri);
      assert.equal((diagnostic!.data as { lens: string }).lens, 'clock');
      assert.match(
        diagnostic!.codeDescription!.href,
        /^file:\/\/\/.*\/test\/lsp\/ruleDocs\/call-without-timeout\.md$/,
      );
      assert.equal(client.published.length, 0, 'a client that pulls is never pushed to');
    });

    it('answers unchanged for the same findings, and anew after an edit', async () => {
      await start({ 'src/pay.ts': HANDLER });
      const uri = workspace.uri('src/pay.ts');
      await client.open(uri, HANDLER);
      const first = await client.pull(uri);
      assert.equal((await client.pull(uri, first.resultId)).kind, 'unchanged');
      await client.edit(uri, 'fetch(url)', 'fetch(url, { signal })');
      const third = await client.pull(uri, first.resultId);
      assert.equal(third.kind, 'full');
      assert.deepEqual(third.kind === 'full' && third.items, []);
    });

    it('sees edits by position in texts with CRLF and characters outside the BMP', async () => {
      const text = `// 😀 first\r\nawait fetch(url);\r\n`;
      await start({ 'src/a.ts': text });
      const uri = workspace.uri('src/a.ts');
      await client.open(uri, text);
      await client.edit(uri, '😀 first', '😀 second and\r\n// third');
      const [diagnostic] = await client.diagnostics(uri);
      assert.deepEqual(diagnostic!.range.start, { line: 2, character: 6 });
    });

    it('goes back to the text on disk when a document is closed', async () => {
      await start({ 'src/a.ts': 'await fetch(url);\n' });
      const uri = workspace.uri('src/a.ts');
      await client.open(uri, 'nothing here\n');
      assert.deepEqual(await client.diagnostics(uri), []);
      await client.close(uri);
      assert.equal((await client.diagnostics(uri)).length, 1);
    });

    it('keeps what is on screen when a rule crashes, says so, and goes on with the rest', async () => {
      await start({ 'a.ts': 'CRASH', 'b.ts': 'fetch(url)' });
      await client.open(workspace.uri('a.ts'), 'CRASH fetch(url)');
      await assert.rejects(client.pull(workspace.uri('a.ts')), /could not analyse this file/);
      assert.ok(client.logs.some((line) => line.includes('told to crash')));
      assert.equal((await client.diagnostics(workspace.uri('b.ts'))).length, 1);
      const status = await until('a status that names the fault', () =>
        client.notifications.find(
          (one) => one.method === 'sixlens/status' && JSON.stringify(one.params).includes('A request failed'),
        ),
      );
      assert.ok(status);
    });

    it('has problems of half-typed code without the weight of an error', async () => {
      await start({ 'a.ts': 'HALF' });
      const [problem] = await client.diagnostics(workspace.uri('a.ts'));
      assert.equal(problem!.code, 'syntax');
      assert.equal(problem!.severity, 3);
    });

    it('answers a cancelled request as cancelled', async () => {
      await start({ 'a.ts': 'SLOW fetch(url)' });
      const uri = workspace.uri('a.ts');
      await client.open(uri, 'SLOW fetch(url)');
      const source = new CancellationTokenSource();
      const first = client.pull(uri);
      const second = client.connection.sendRequest(
        'textDocument/diagnostic',
        { textDocument: { uri: workspace.uri('a.ts') } },
        source.token,
      );
      source.cancel();
      await assert.rejects(second, (error: { code: number }) => error.code === -32800);
      assert.equal((await first).kind, 'full');
    });

    it('is silent about what is no file of a folder', async () => {
      await start({ 'a.ts': '' });
      for (const uri of ['untitled:Untitled-1', 'git:/a.ts', 'not a uri', `${workspace.uri('a.ts')}%zz`]) {
        await client.open(uri, 'fetch(url)');
        assert.deepEqual(await client.diagnostics(uri), [], uri);
      }
    });
  });

  describe('of the workspace', () => {
    const workspaceReport = (
      previousResultIds: { uri: string; value: string }[] = [],
    ): Promise<WorkspaceDiagnosticReport> =>
      client.request('workspace/diagnostic', { identifier: 'sixlens', previousResultIds });

    it('covers every file, then holds the next request until something changes', async () => {
      await start({ 'a.ts': 'fetch(url)', 'b.ts': 'fetch(url)', 'c.ts': '' });
      const first = await workspaceReport();
      assert.deepEqual(first.items.map((item) => item.uri).sort(), [
        workspace.uri('a.ts'),
        workspace.uri('b.ts'),
      ]);
      const ids = first.items.map((item) => ({ uri: item.uri, value: item.resultId! }));
      let answered = false;
      const second = workspaceReport(ids).then((report) => {
        answered = true;
        return report;
      });
      await pause(300);
      assert.equal(answered, false, 'nothing changed, so nothing is answered');
      await client.open(workspace.uri('a.ts'), 'fixed');
      const report = await second;
      const changed = report.items.filter((item) => item.kind === 'full');
      assert.deepEqual(
        changed.map((item) => [item.uri, item.kind === 'full' && item.items.length]),
        [[workspace.uri('a.ts'), 0]],
      );
      assert.deepEqual(
        report.items.filter((item) => item.kind === 'unchanged').map((item) => item.uri),
        [workspace.uri('b.ts')],
      );
    });

    it('ends a held request when the client gives up', async () => {
      await start({ 'a.ts': 'fetch(url)' });
      const first = await workspaceReport();
      const source = new CancellationTokenSource();
      const held = client.connection.sendRequest(
        'workspace/diagnostic',
        { previousResultIds: first.items.map((item) => ({ uri: item.uri, value: item.resultId! })) },
        source.token,
      );
      await pause(50);
      source.cancel();
      await assert.rejects(held, (error: { code: number }) => error.code === -32800);
    });

    it('keeps to open files when asked, until the workspace is checked once', async () => {
      await start({ 'a.ts': 'fetch(url)' }, { settings: { check: { scope: 'openFiles' } } });
      await until('settings were read', () =>
        client.requests.find((one) => one.method === 'workspace/configuration'),
      );
      await pause(100);
      assert.deepEqual((await workspaceReport()).items, []);
      const held = workspaceReport();
      const answer = await client.request('sixlens/checkWorkspace', {});
      assert.deepEqual(answer, { files: 1, findings: 1, blocking: 1, problems: 0, cancelled: false });
      assert.deepEqual(
        (await held).items.map((item) => item.uri),
        [workspace.uri('a.ts')],
      );
    });

    it('hears of files that change on disk', async () => {
      await start({ 'a.ts': 'fetch(url)' });
      await until('watchers', () =>
        client.requests.find(
          (one) =>
            one.method === 'client/registerCapability' && JSON.stringify(one.params).includes('tsconfig'),
        ),
      );
      const first = await workspaceReport();
      const held = workspaceReport(first.items.map((item) => ({ uri: item.uri, value: item.resultId! })));
      await pause(50);
      workspace.write('a.ts', 'gone');
      await client.connection.sendNotification('workspace/didChangeWatchedFiles', {
        changes: [{ uri: workspace.uri('a.ts'), type: 2 }],
      });
      assert.deepEqual(
        (await held).items.map((item) => [item.uri, item.kind === 'full' && item.items.length]),
        [[workspace.uri('a.ts'), 0]],
      );
      assert.ok(client.requests.some((one) => one.method === 'workspace/diagnostic/refresh'));
    });
  });

  it('does not start again for the sources of dependencies, but does for their versions', async () => {
    await start({ 'a.ts': '' });
    const changed = (file: string): Promise<void> =>
      client.connection.sendNotification('workspace/didChangeWatchedFiles', {
        changes: [{ uri: workspace.uri(file), type: 2 }],
      });
    const refreshes = (): number =>
      client.requests.filter((one) => one.method === 'workspace/diagnostic/refresh').length;
    for (const file of ['node_modules/a/index.js', 'node_modules/a/lib/package.json', '.git/HEAD'])
      await changed(file);
    await client.diagnostics(workspace.uri('a.ts'));
    await pause(50);
    assert.equal(refreshes(), 0);
    await changed('node_modules/@s/a/package.json');
    await until('a refresh', () => refreshes() === 1);
  });

  describe('pushed', () => {
    it('comes once after a burst of edits, for the last version, and goes when the file is closed', async () => {
      await start({ 'a.ts': '' }, { capabilities: PLAIN });
      const uri = workspace.uri('a.ts');
      assert.equal(client.result.capabilities.diagnosticProvider, undefined);
      await client.open(uri, 'fetch(u)');
      for (const name of ['ur', 'url', 'url2']) {
        await client.edit(uri, client.text(uri), `fetch(${name})`);
        await pause(10);
      }
      await until('diagnostics', () => client.published.length > 0);
      await pause(300);
      assert.deepEqual(
        client.published.map((one) => [one.version, one.diagnostics.map((diagnostic) => diagnostic.message)]),
        [[4, ['if url2 hangs, this hangs with it: no bound']]],
      );
      await client.close(uri);
      await until('empty diagnostics', () => client.published.at(-1)!.diagnostics.length === 0);
    });
  });

  describe('settings', () => {
    it('off means off, on every surface, and back on again', async () => {
      await start({ 'a.ts': HANDLER });
      const uri = workspace.uri('a.ts');
      await client.open(uri, HANDLER);
      assert.equal((await client.diagnostics(uri)).length, 1);
      client.settings = { enable: false };
      await client.connection.sendNotification('workspace/didChangeConfiguration', { settings: null });
      await until('a status that says off', () =>
        client.notifications.find(
          (one) => one.method === 'sixlens/status' && (one.params as { state: string }).state === 'off',
        ),
      );
      const textDocument = { uri };
      assert.deepEqual(await client.diagnostics(uri), []);
      assert.deepEqual(await client.request('textDocument/codeLens', { textDocument }), []);
      assert.equal(
        await client.request('textDocument/hover', { textDocument, position: { line: 0, character: 3 } }),
        null,
      );
      const range = { start: { line: 1, character: 9 }, end: { line: 1, character: 9 } };
      assert.deepEqual(
        await client.request('textDocument/codeAction', {
          textDocument,
          range,
          context: { diagnostics: [] },
        }),
        [],
      );
      const why = await client.request<{ reasons: { code: string }[] }>('sixlens/whySilent', { uri });
      assert.deepEqual(
        why.reasons.map((reason) => reason.code),
        ['off'],
      );
      client.settings = {};
      await client.connection.sendNotification('workspace/didChangeConfiguration', { settings: null });
      await pause(100);
      assert.equal((await client.diagnostics(uri)).length, 1);
    });

    it('uses a new preset at once', async () => {
      await start({ 'a.ts': HANDLER });
      const uri = workspace.uri('a.ts');
      await client.open(uri, HANDLER);
      assert.equal((await client.diagnostics(uri))[0]!.severity, 2);
      client.settings = { preset: 'essential' };
      await client.connection.sendNotification('workspace/didChangeConfiguration', { settings: null });
      await until('a refresh', () =>
        client.requests.find((one) => one.method === 'workspace/diagnostic/refresh'),
      );
      assert.equal((await client.diagnostics(uri))[0]!.severity, 4);
    });

    it('names a setting it cannot use and keeps the others', async () => {
      await start({ 'a.ts': HANDLER }, { settings: { preset: 'loud', hover: { enable: false } } });
      const status = await until('a status with the setting', () =>
        client.notifications.find(
          (one) => one.method === 'sixlens/status' && JSON.stringify(one.params).includes('sixlens.preset'),
        ),
      );
      assert.match(JSON.stringify(status.params), /is not used/);
      const uri = workspace.uri('a.ts');
      await client.open(uri, HANDLER);
      const range = { textDocument: { uri }, position: { line: 1, character: 10 } };
      assert.equal(await client.request('textDocument/hover', range), null);
      assert.equal((await client.diagnostics(uri)).length, 1);
    });
  });

  describe('folders', () => {
    it('has an analysis each, nested ones the nearest, and forgets one that is removed', async () => {
      await start(
        { 'one/a.ts': 'fetch(url)', 'one/inner/b.ts': 'fetch(url)', 'two/a.ts': 'fetch(url)' },
        { folders: ['one', 'one/inner', 'two'] },
      );
      const report = await client.request<WorkspaceDiagnosticReport>('workspace/diagnostic', {
        previousResultIds: [],
      });
      assert.deepEqual(
        report.items.map((item) => item.uri).sort(),
        ['one/a.ts', 'one/inner/b.ts', 'two/a.ts'].map((file) => workspace.uri(file)),
        'each file once',
      );
      const held = client.request<WorkspaceDiagnosticReport>('workspace/diagnostic', {
        previousResultIds: report.items.map((item) => ({ uri: item.uri, value: item.resultId! })),
      });
      await client.connection.sendNotification('workspace/didChangeWorkspaceFolders', {
        event: { added: [], removed: [{ uri: workspace.uri('two'), name: 'two' }] },
      });
      const changed = (await held).items.filter((item) => item.kind === 'full');
      assert.deepEqual(
        changed.map((item) => item.uri),
        [workspace.uri('two/a.ts')],
      );
    });
  });

  it('hears of a folder that is removed while the client still answers the registrations', async () => {
    await start(
      { 'one/a.ts': 'fetch(url)', 'two/a.ts': 'fetch(url)' },
      { folders: ['one', 'two'], registersAfter: 300 },
    );
    await client.connection.sendNotification('workspace/didChangeWorkspaceFolders', {
      event: { added: [], removed: [{ uri: workspace.uri('two'), name: 'two' }] },
    });
    const report = await client.request<WorkspaceDiagnosticReport>('workspace/diagnostic', {
      previousResultIds: [],
    });
    assert.deepEqual(
      report.items.map((item) => item.uri),
      [workspace.uri('one/a.ts')],
    );
  });

  it('speaks node IPC too', async () => {
    await start({ 'a.ts': 'fetch(url)' }, { transport: 'ipc', capabilities: EDITOR });
    assert.equal((await client.diagnostics(workspace.uri('a.ts'))).length, 1);
  });

  it('survives malformed messages and answers each with what is wrong', async () => {
    await start({ 'a.ts': 'fetch(url)' });
    await assert.rejects(
      client.request('sixlens/generateTable', { uri: 7 }),
      (error: { code: number; message: string }) => {
        assert.equal(error.code, -32602);
        assert.match(error.message, /sixlens\/generateTable: uri/);
        return true;
      },
    );
    await assert.rejects(
      client.request('sixlens/setVerdict', null),
      (error: { code: number }) => error.code === -32602,
    );
    await assert.rejects(
      client.request('sixlens/unknown', {}),
      (error: { code: number }) => error.code === -32601,
    );
    assert.equal(await client.request('textDocument/hover', {}), null);
    await client.connection.sendNotification('textDocument/didChange', { textDocument: { uri: 'x' } });
    await client.connection.sendNotification('textDocument/didOpen', {});
    await client.connection.sendNotification('workspace/didChangeWatchedFiles', {
      changes: [{ uri: ':', type: 9 }],
    });
    assert.equal((await client.diagnostics(workspace.uri('a.ts'))).length, 1);
    assert.ok(client.alive);
  });
});
