import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { DocumentEdits, TableModelResult } from '../../server/src/protocol/messages.ts';
import {
  documentEditsSchema,
  generateTable,
  inlineTable,
  tableModelRequest,
} from '../../server/src/protocol/messages.ts';
import { Client, PLAIN, Workspace, applied } from './languageClient.ts';

const HANDLER = `router.post('/pay', async (req, res) => {
  await fetch(url);
});
`;

type Answer =
  | { ok: true; edit: DocumentEdits; tableUri: string; created: boolean; row: string }
  | { ok: false; message: string };

describe('lsp tables', function () {
  this.timeout(60_000);
  let workspace: Workspace;
  let client: Client;
  let source: string;
  let table: string;
  afterEach(async () => {
    await client.stop();
    workspace.remove();
  });

  const start = async (
    options = {},
    files: Record<string, string> = { 'src/pay.ts': HANDLER },
  ): Promise<void> => {
    workspace = new Workspace(files);
    client = await Client.start(workspace, options);
    source = workspace.uri('src/pay.ts');
    table = workspace.uri('.sixlens/tables/src/pay/http-post-pay.yaml');
  };
  const ask = async (method: string, params: object): Promise<Extract<Answer, { ok: true }>> => {
    const answer = await client.request<Answer>(method, params);
    assert.ok(answer.ok, answer.ok ? '' : answer.message);
    return answer;
  };
  /** Generates and opens the table as the editor does. */
  const generated = async (): Promise<string> => {
    const { edit } = await ask('sixlens/generateTable', { uri: source, offset: 30 });
    const text = edit.edits.map((one) => one.newText).join('');
    await client.open(table, text, 'yaml');
    return text;
  };
  const model = async (): Promise<TableModelResult> =>
    tableModelRequest.result.parse(await client.request('sixlens/tableModel', { uri: table }));

  it('makes the text of a new table at the unit’s place, and no file', async () => {
    await start();
    const raw = await client.request('sixlens/generateTable', { uri: source, offset: 30 });
    const answer = generateTable.result.parse(raw);
    assert.ok(answer.ok && answer.created);
    assert.equal(answer.tableUri, table);
    assert.equal(answer.edit.create, true);
    const text = answer.edit.edits[0]!.newText;
    assert.match(text, /^sixlens: 1\nunit: POST \/pay\n/);
    assert.match(text, /rule: call-without-timeout/);
    assert.throws(() => readFileSync(fileURLToPath(table)), /ENOENT/);
    const again = await ask('sixlens/generateTable', { uri: source, unit: 'src/pay.ts#router.post "/pay"' });
    assert.deepEqual(again.edit.edits, answer.edit.edits, 'the same code gives the same table');
  });

  it('merges into a table that only an editor holds yet, and says when nothing is new', async () => {
    await start();
    const text = await generated();
    const same = await ask('sixlens/generateTable', { uri: source, offset: 30 });
    assert.deepEqual([same.created, same.edit.version, same.edit.edits], [false, 1, []]);
    await client.edit(table, 'sixlens: 1', '# ours\nsixlens: 1');
    await client.open(source, HANDLER);
    await client.edit(source, '  await fetch(url);', '  await fetch(url);\n  await fetch(other);');
    const more = await ask('sixlens/generateTable', { uri: source, offset: 30 });
    assert.equal(more.edit.version, 2);
    const merged = applied(client.text(table), more.edit.edits);
    assert.ok(merged.startsWith('# ours\n'));
    assert.equal(
      merged.split('rule: call-without-timeout').length - 1,
      text.split('rule: call-without-timeout').length,
    );
  });

  it('gives the panel rows with state and place, and where a broken file is broken', async () => {
    await start();
    const text = await generated();
    const { model: shown, version } = await model();
    assert.equal(version, 1);
    assert.equal(shown!.unit, 'POST /pay');
    assert.deepEqual(shown!.domain, ['payments']);
    assert.equal(shown!.place!.uri, source);
    const clock = shown!.lenses.find((lens) => lens.lens === 'clock')!;
    assert.deepEqual([clock.rows[0]!.rule, clock.rows[0]!.state], ['call-without-timeout', 'undecided']);
    assert.deepEqual(clock.rows[0]!.place, {
      uri: source,
      range: { start: { line: 1, character: 8 }, end: { line: 1, character: 18 } },
    });
    assert.deepEqual(shown!.lenses.find((lens) => lens.lens === 'boundaries')!.unresolved, ['loader.run']);
    await client.edit(table, text.slice(0, 10), 'sixlens: 99');
    const broken = await model();
    assert.equal(broken.model, null);
    assert.equal(broken.problems[0]!.severity, 'error');
    assert.equal(broken.problems[0]!.range.start.line, 0);
  });

  it('turns a verdict into edits of that version that keep every other byte', async () => {
    await start();
    await generated();
    await client.edit(table, 'rows:', '# decided in the review\nrows:');
    const row = (await model()).model!.lenses.find((lens) => lens.lens === 'clock')!.rows[0]!.id;
    const fields = { because: 'rate', reason: 'twice a year', owner: 'li', expires: '2027-05-29' };
    const { edit } = await ask('sixlens/setVerdict', {
      uri: table,
      row,
      verdict: 'accept',
      fields,
      by: 'ana',
    });
    documentEditsSchema.parse(edit);
    assert.equal(edit.version, client.version(table));
    const before = client.text(table);
    const after = applied(before, edit.edits);
    assert.match(after, /# decided in the review\nrows:/);
    assert.match(
      after,
      /verdict: accept\n {4}because: rate\n {4}reason: twice a year\n {4}owner: li\n {4}expires: "2027-05-29"/,
    );
    assert.match(after, /seen: \{ code: s0fake01, date: "2026-11-30", by: ana \}/);
    const lines = after.split('\n');
    const lost = before
      .split('\n')
      .filter((line) => !lines.includes(line) || (lines.splice(lines.indexOf(line), 1), false));
    assert.deepEqual(lost, ['    verdict: undecided'], 'nothing else went');
    await client.edit(table, before, after);
    const shown = (await model()).model!;
    assert.equal(shown.lenses.find((lens) => lens.lens === 'clock')!.rows[0]!.state, 'closed');
    const removal = await ask('sixlens/setVerdict', { uri: table, row, fields: { reason: null } });
    assert.doesNotMatch(applied(after, removal.edit.edits), /reason: twice a year/);
  });

  it('shows a row that the code contradicts, or whose accept is over, in the table and at the call', async () => {
    await start();
    await client.open(source, HANDLER);
    const text = await generated();
    const row = (await model()).model!.lenses.find((lens) => lens.lens === 'clock')!.rows[0]!.id;
    const told = async (uri: string, code: string): Promise<[string, number] | undefined> => {
      const found = (await client.diagnostics(uri)).find((one) => one.code === code);
      return found && [String(found.message), found.range.start.line];
    };
    const decide = async (verdict: string, fields: object): Promise<string> => {
      const { edit } = await ask('sixlens/setVerdict', { uri: table, row, verdict, fields, by: 'ana' });
      const after = applied(client.text(table), edit.edits);
      await client.edit(table, client.text(table), after);
      return after;
    };
    const handled = await decide('handle', { how: 'bounded by the client', test: 'a.test.ts > ends' });
    const stale = await told(table, 'row-stale');
    assert.match(stale?.[0] ?? '', /^row says handled, code does not: /);
    const lines = handled.split('\n');
    assert.ok(lines[stale![1]]!.includes('verdict: handle'));
    assert.deepEqual(await told(source, 'row-stale'), [stale![0], 0]);

    const over = { because: 'rate', reason: 'twice a year', owner: 'li', expires: '2026-11-29' };
    await decide('accept', { ...over, how: null, test: null });
    const expired = await told(table, 'accept-expired');
    assert.match(expired?.[0] ?? '', /2026-11-29.*twice a year/);
    assert.equal((await told(source, 'accept-expired'))?.[0], expired?.[0]);
    assert.equal(await told(source, 'row-stale'), undefined);

    await client.edit(table, client.text(table), text.replace('router.post "/pay"', 'router.post "/gone"'));
    assert.match(
      (await told(table, 'row-stale'))?.[0] ?? '',
      /^anchor lost: there is no unit router\.post "\/gone"/,
    );
  });

  it('refuses what it cannot do with a sentence, and changes nothing', async () => {
    await start();
    const text = await generated();
    const refused = async (method: string, params: object): Promise<string> => {
      const answer = await client.request<Answer>(method, params);
      assert.equal(answer.ok, false);
      return answer.ok ? '' : answer.message;
    };
    assert.match(
      await refused('sixlens/setVerdict', { uri: table, row: 'clk-nosuchrw', verdict: 'detect' }),
      /no row/,
    );
    const row = (await model()).model!.lenses.find((lens) => lens.lens === 'clock')!.rows[0]!.id;
    assert.match(
      await refused('sixlens/setVerdict', { uri: table, row, fields: { expires: 'soon' } }),
      /expires/,
    );
    assert.match(
      await refused('sixlens/setVerdict', { uri: source, row, verdict: 'detect' }),
      /no failure-mode table/,
    );
    assert.match(
      await refused('sixlens/generateTable', { uri: source, unit: 'src/pay.ts#gone' }),
      /no handler/,
    );
    assert.match(await refused('sixlens/generateTable', { uri: 'untitled:1', offset: 0 }), /saved on disk/);
    await client.edit(table, text, 'rows: [\n');
    assert.match(await refused('sixlens/setVerdict', { uri: table, row, verdict: 'detect' }), /line \d/);
    assert.match(await refused('sixlens/generateTable', { uri: source, offset: 30 }), /left alone/);
  });

  it('writes the contract and adds a row under its lens', async () => {
    await start();
    await generated();
    const contract = await ask('sixlens/setTableText', { uri: table, contract: 'one charge: "always"' });
    assert.match(applied(client.text(table), contract.edit.edits), /contract: .*one charge: .*always/);
    const added = await ask('sixlens/addRow', {
      uri: table,
      lens: 'hostile-input',
      failure: 'a forged event',
    });
    assert.match(added.row, /^inp-[0-9a-z]{8}$/);
    assert.match(
      applied(client.text(table), added.edit.edits),
      new RegExp(`  ${added.row}:\\n    failure: a forged event\\n    verdict: undecided`),
    );
  });

  it('has the inline table with links to our commands alone', async () => {
    await start();
    const before = inlineTable.result.parse(
      await client.request('sixlens/inlineTable', { uri: source, position: { line: 1, character: 4 } }),
    );
    assert.match(before!.markdown, /\[Generate failure-mode table\]\(command:sixlens\.generateTable\?/);
    await generated();
    const after = inlineTable.result.parse(
      await client.request('sixlens/inlineTable', { uri: source, unit: before!.unit }),
    );
    assert.equal(after!.tableUri, table);
    assert.deepEqual(after!.range.start.line, 0);
    const commands = [...after!.markdown.matchAll(/\]\((\w+:[\w.]+)/g)].map((match) => match[1]);
    assert.ok(commands.length > 1);
    assert.deepEqual([...new Set(commands)], ['command:sixlens.openTable']);
    assert.equal(
      await client.request('sixlens/inlineTable', { uri: source, position: { line: 9, character: 0 } }),
      null,
    );
  });

  it('keeps the tables of a nested project with it', async () => {
    await start({}, { 'packages/api/.sixlens/config.yaml': '', 'packages/api/src/pay.ts': HANDLER });
    const nested = workspace.uri('packages/api/src/pay.ts');
    const answer = await ask('sixlens/generateTable', { uri: nested, offset: 30 });
    assert.equal(answer.tableUri, workspace.uri('packages/api/.sixlens/tables/src/pay/http-post-pay.yaml'));
    assert.match(answer.edit.edits[0]!.newText, /code: \{ file: src\/pay\.ts,/);
    table = answer.tableUri;
    await client.open(table, answer.edit.edits[0]!.newText, 'yaml');
    const shown = (await model()).model!;
    assert.equal(shown.place!.uri, nested);
    assert.equal(shown.lenses.find((lens) => lens.lens === 'clock')!.rows[0]!.place!.uri, nested);
  });

  it('runs its commands itself for clients that have none', async () => {
    await start({ capabilities: PLAIN });
    await client.request('workspace/executeCommand', {
      command: 'sixlens.generateTable',
      arguments: [{ uri: source, offset: 30 }],
    });
    const [applyEdit] = client.applied();
    assert.match(applyEdit!.edit.changes![table]![0]!.newText, /^sixlens: 1/);
    assert.ok(client.requests.some((one) => one.method === 'window/showDocument'));
    await client.request('workspace/executeCommand', {
      command: 'sixlens.openTable',
      arguments: ['nonsense'],
    });
    assert.ok(
      client.requests.some(
        (one) =>
          one.method === 'window/showMessageRequest' &&
          JSON.stringify(one.params).includes('needs an argument'),
      ),
    );
  });
});
