/** `sixlens lsp`: the language server, for editors that start it themselves. */
import type { CliContext } from '../context.ts';

const TRANSPORTS = ['stdio', 'node-ipc', 'socket', 'pipe'] as const;

export function runLsp(
  context: CliContext,
  options: Readonly<Record<string, string | boolean | undefined>>,
): Promise<number> {
  const words = Object.entries(options).map(([name, value]) =>
    value === true ? `--${name}` : `--${name}=${value}`,
  );
  if (!TRANSPORTS.some((name) => options[name] !== undefined)) words.unshift('--stdio');
  return context.runLanguageServer(words);
}
