/** The connection to the language server. Owns how it is started and what of our protocol is checked on arrival. */
import * as vscode from 'vscode';
import type * as z from 'zod/mini';
import type { LanguageClientOptions, ServerOptions } from 'vscode-languageclient/node';
import { LanguageClient, TransportKind } from 'vscode-languageclient/node';

export const SOURCE_LANGUAGES = ['typescript', 'typescriptreact', 'javascript', 'javascriptreact'];
export const TABLE_PATTERN = '**/.sixlens/tables/**/*.{yaml,yml}';

/** Documents that the server hears of. */
export const SELECTOR = [
  ...SOURCE_LANGUAGES.map((language) => ({ scheme: 'file', language })),
  { scheme: 'file', pattern: TABLE_PATTERN },
];

export function createLanguageClient(
  context: vscode.ExtensionContext,
  output: vscode.LogOutputChannel,
): LanguageClient {
  const module = context.asAbsolutePath('dist/server.cjs');
  const server: ServerOptions = {
    run: { module, transport: TransportKind.ipc },
    debug: { module, transport: TransportKind.ipc, options: { execArgv: ['--nolazy', '--inspect=6019'] } },
  };
  const options: LanguageClientOptions = {
    documentSelector: SELECTOR,
    outputChannel: output,
    diagnosticCollectionName: 'sixlens',
    initializationOptions: { clientCommands: true, settings: plainSettings() },
  };
  return new LanguageClient('sixlens', 'Sixlens', server, options);
}

function plainSettings(): unknown {
  // A configuration object carries functions; only its data crosses.
  return JSON.parse(JSON.stringify(vscode.workspace.getConfiguration('sixlens'))) as unknown;
}

interface RequestShape<P extends z.ZodMiniType, R extends z.ZodMiniType> {
  readonly method: string;
  readonly params: P;
  readonly result: R;
}

/** Sends one of our requests and checks the answer's shape. Rejects with an `Error` whose message can be shown. */
export async function ask<P extends z.ZodMiniType, R extends z.ZodMiniType>(
  client: LanguageClient,
  request: RequestShape<P, R>,
  params: z.input<P>,
  token?: vscode.CancellationToken,
): Promise<z.output<R>> {
  const raw: unknown = await client.sendRequest(request.method, params, token);
  const parsed = request.result.safeParse(raw);
  if (!parsed.success)
    throw new Error(
      vscode.l10n.t(
        'The Sixlens server gave an answer of an unknown form to {0}; reload the window.',
        request.method,
      ),
    );
  return parsed.data;
}
