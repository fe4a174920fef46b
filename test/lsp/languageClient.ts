/**
 * A language client for tests: starts a server process, speaks the protocol, and keeps what the server sends unasked.
 * It answers the server's own requests the way an editor does.
 */
import type { ChildProcess } from 'node:child_process';
import { fork, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import type {
  ApplyWorkspaceEditParams,
  ClientCapabilities,
  Diagnostic,
  DocumentDiagnosticReport,
  InitializeParams,
  InitializeResult,
  MessageConnection,
  ProtocolConnection,
  PublishDiagnosticsParams,
  TextEdit,
} from 'vscode-languageserver-protocol/node';
import {
  IPCMessageReader,
  IPCMessageWriter,
  StreamMessageReader,
  StreamMessageWriter,
  createProtocolConnection,
} from 'vscode-languageserver-protocol/node';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
export const FAKE_SERVER = path.join(ROOT, 'test/lsp/fakeServer.ts');
export const REAL_SERVER = path.join(ROOT, 'server/src/lsp/main.ts');

/** What a modern editor can do. */
export const EDITOR: ClientCapabilities = {
  workspace: {
    configuration: true,
    didChangeConfiguration: { dynamicRegistration: true },
    didChangeWatchedFiles: { dynamicRegistration: true },
    workspaceFolders: true,
    diagnostics: { refreshSupport: true },
    codeLens: { refreshSupport: true },
    workspaceEdit: {
      documentChanges: true,
      resourceOperations: ['create'],
      changeAnnotationSupport: {},
      snippetEditSupport: true,
    },
  },
  textDocument: {
    diagnostic: { relatedInformation: true, codeDescriptionSupport: true },
    hover: { contentFormat: ['markdown'] },
    codeAction: {
      dataSupport: true,
      resolveSupport: { properties: ['edit'] },
      codeActionLiteralSupport: { codeActionKind: { valueSet: ['quickfix', 'refactor.rewrite'] } },
    },
  },
  window: { workDoneProgress: true, showDocument: { support: true } },
};

/** An old one: no pull, no lazy edits, no versioned edits, no settings of its own. */
export const PLAIN: ClientCapabilities = {
  textDocument: {
    publishDiagnostics: {},
    codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: ['quickfix'] } } },
  },
  window: { showDocument: { support: true } },
};

export class Workspace {
  readonly path = realpathSync(mkdtempSync(path.join(tmpdir(), 'sixlens-lsp-'))).replaceAll('\\', '/');

  constructor(files: Readonly<Record<string, string>>) {
    for (const [file, text] of Object.entries(files)) this.write(file, text);
  }

  write(file: string, text: string): void {
    const full = path.join(this.path, file);
    mkdirSync(path.dirname(full), { recursive: true });
    writeFileSync(full, text);
  }

  uri(file: string): string {
    return pathToFileURL(path.join(this.path, file)).href;
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

const bundles = new Map<string, Promise<string>>();

/** One file of our own code, once for all tests: starting it takes a third of the time that the sources take. */
function bundled(entry: string): Promise<string> {
  let bundle = bundles.get(entry);
  if (!bundle) {
    const outfile = path.join(
      ROOT,
      'test/.tmp/lsp',
      `${path.basename(path.dirname(entry))}-${path.basename(entry, '.ts')}.mjs`,
    );
    bundle = build({
      absWorkingDir: ROOT,
      entryPoints: [entry],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      packages: 'external',
      logLevel: 'error',
    }).then(() => outfile);
    bundles.set(entry, bundle);
  }
  return bundle;
}

export interface StartOptions {
  readonly entry?: string;
  readonly capabilities?: ClientCapabilities;
  readonly folders?: readonly string[];
  readonly settings?: unknown;
  readonly initializationOptions?: unknown;
  readonly transport?: 'stdio' | 'ipc';
  /** How long the client takes to answer `client/registerCapability`. Milliseconds. */
  readonly registersAfter?: number;
}

export class Client {
  readonly published: PublishDiagnosticsParams[] = [];
  readonly logs: string[] = [];
  readonly notifications: { method: string; params: unknown }[] = [];
  readonly requests: { method: string; params: unknown }[] = [];
  settings: unknown;
  private registersAfter = 0;
  result!: InitializeResult;
  private readonly versions = new Map<string, number>();
  private readonly texts = new Map<string, string>();

  private constructor(
    readonly connection: ProtocolConnection,
    private readonly child: ChildProcess,
  ) {}

  static async start(workspace: Workspace, options: StartOptions = {}): Promise<Client> {
    const entry = await bundled(options.entry ?? FAKE_SERVER);
    let child: ChildProcess;
    let connection: ProtocolConnection;
    if (options.transport === 'ipc') {
      child = fork(entry, ['--node-ipc'], {
        execArgv: [],
        cwd: ROOT,
        stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      });
      connection = createProtocolConnection(new IPCMessageReader(child), new IPCMessageWriter(child));
    } else {
      child = spawn(process.execPath, [entry, '--stdio'], { cwd: ROOT, stdio: ['pipe', 'pipe', 'pipe'] });
      connection = createProtocolConnection(
        new StreamMessageReader(child.stdout!),
        new StreamMessageWriter(child.stdin!),
      );
    }
    const client = new Client(connection, child);
    child.stderr!.on('data', (chunk: Buffer) => client.logs.push(String(chunk)));
    client.settings = options.settings ?? {};
    client.registersAfter = options.registersAfter ?? 0;
    client.listen();
    const folders = options.folders ?? ['.'];
    const params: InitializeParams = {
      processId: process.pid,
      rootUri: null,
      capabilities: options.capabilities ?? EDITOR,
      workspaceFolders: folders.map((name) => ({ uri: workspace.uri(name).replace(/\/$/, ''), name })),
      initializationOptions: options.initializationOptions,
    };
    client.result = await connection.sendRequest('initialize', params);
    await connection.sendNotification('initialized', {});
    return client;
  }

  private listen(): void {
    const { connection } = this;
    connection.onNotification('textDocument/publishDiagnostics', (params: PublishDiagnosticsParams) => {
      this.published.push(params);
    });
    connection.onNotification('window/logMessage', ({ message }: { message: string }) => {
      this.logs.push(message);
    });
    // The protocol's own type leaves out the handlers for everything else, which the connection has.
    const whatever = connection as unknown as MessageConnection;
    whatever.onNotification((method, params) => {
      this.notifications.push({ method, params });
    });
    whatever.onRequest(async (method, params) => {
      this.requests.push({ method, params });
      if (method === 'client/registerCapability' && this.registersAfter > 0) await pause(this.registersAfter);
      if (method === 'workspace/configuration')
        return (params as unknown as { items: unknown[] }).items.map(() => this.settings);
      if (method === 'workspace/applyEdit') return { applied: true };
      if (method === 'window/showDocument') return { success: true };
      return null;
    });
    connection.listen();
  }

  async stop(): Promise<void> {
    await this.connection.sendRequest('shutdown');
    const gone = new Promise((resolve) => this.child.once('exit', resolve));
    await this.connection.sendNotification('exit');
    const timer = setTimeout(() => this.child.kill('SIGKILL'), 5000);
    await gone;
    clearTimeout(timer);
    this.connection.dispose();
  }

  get alive(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  // ------------------------------------------------------------------------------------------ documents

  async open(uri: string, text: string, languageId = 'typescript'): Promise<void> {
    this.versions.set(uri, 1);
    this.texts.set(uri, text);
    await this.connection.sendNotification('textDocument/didOpen', {
      textDocument: { uri, languageId, version: 1, text },
    });
  }

  /** Replaces the first occurrence of `from` by an incremental change, as typing does. */
  async edit(uri: string, from: string, to: string): Promise<void> {
    const text = this.texts.get(uri)!;
    const at = text.indexOf(from);
    if (at < 0) throw new Error(`${JSON.stringify(from)} is not in ${uri}`);
    const version = this.versions.get(uri)! + 1;
    this.versions.set(uri, version);
    this.texts.set(uri, text.slice(0, at) + to + text.slice(at + from.length));
    const range = { start: positionAt(text, at), end: positionAt(text, at + from.length) };
    await this.connection.sendNotification('textDocument/didChange', {
      textDocument: { uri, version },
      contentChanges: [{ range, text: to }],
    });
  }

  async close(uri: string): Promise<void> {
    this.texts.delete(uri);
    await this.connection.sendNotification('textDocument/didClose', { textDocument: { uri } });
  }

  text(uri: string): string {
    return this.texts.get(uri)!;
  }

  version(uri: string): number {
    return this.versions.get(uri)!;
  }

  // ------------------------------------------------------------------------------------------ requests

  request<T>(method: string, params: unknown): Promise<T> {
    return this.connection.sendRequest<T>(method, params);
  }

  async pull(uri: string, previousResultId?: string): Promise<DocumentDiagnosticReport> {
    return this.request('textDocument/diagnostic', {
      textDocument: { uri },
      identifier: 'sixlens',
      previousResultId,
    });
  }

  async diagnostics(uri: string): Promise<Diagnostic[]> {
    const report = await this.pull(uri);
    if (report.kind !== 'full') throw new Error('a full report was expected');
    return report.items;
  }

  applied(): ApplyWorkspaceEditParams[] {
    return this.requests
      .filter((one) => one.method === 'workspace/applyEdit')
      .map((one) => one.params as ApplyWorkspaceEditParams);
  }
}

export function positionAt(text: string, offset: number): { line: number; character: number } {
  const before = text.slice(0, offset).split(/\r\n|\r|\n/);
  return { line: before.length - 1, character: before.at(-1)!.length };
}

export function rangeOf(
  text: string,
  part: string,
): { start: ReturnType<typeof positionAt>; end: ReturnType<typeof positionAt> } {
  const at = text.indexOf(part);
  if (at < 0) throw new Error(`${JSON.stringify(part)} is not in the text`);
  return { start: positionAt(text, at), end: positionAt(text, at + part.length) };
}

/** Applies protocol edits to a text. */
export function applied(text: string, edits: readonly TextEdit[]): string {
  const lines = [0];
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\r' && text[i + 1] === '\n') i++;
    if (text[i] === '\n' || text[i] === '\r') lines.push(i + 1);
  }
  const at = ({ line, character }: { line: number; character: number }): number =>
    Math.min((lines[line] ?? text.length) + character, text.length);
  return [...edits]
    .map((edit, order) => ({ edit, order }))
    .sort((a, b) => at(b.edit.range.start) - at(a.edit.range.start) || b.order - a.order)
    .reduce(
      (now, { edit }) => now.slice(0, at(edit.range.start)) + edit.newText + now.slice(at(edit.range.end)),
      text,
    );
}

/** Polls until the value is there; fails with `what` after five seconds. */
export async function until<T>(what: string, look: () => T | undefined | false | null): Promise<T> {
  const limit = Date.now() + 5000;
  for (;;) {
    const value = look();
    if (value) return value;
    if (Date.now() > limit) throw new Error(`never happened: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
