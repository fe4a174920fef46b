/** Entry of the language server: fills its parts from this process. The only file of `lsp/` that knows Node. */
import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createConnection } from 'vscode-languageserver/node';
import { version } from '../../../package.json';
import { createNodeFileHost } from '../node/nodeFileHost.ts';
import { toSlashes } from '../node/slashes.ts';
import { userCacheFolder } from '../node/userCacheFolder.ts';
import { createAnalysis } from '../service/analysisService.ts';
import { ruleInfos } from '../service/registry.ts';
import { createTableDocuments } from '../service/tableDocuments.ts';
import { serve } from './server.ts';

const TRANSPORT = /^--(?:stdio|node-ipc|socket|pipe)(?:=|$)/;

// Every editor that starts a server by hand means stdio.
if (!process.argv.slice(2).some((word) => TRANSPORT.test(word))) process.argv.push('--stdio');

const here = path.dirname(fileURLToPath(import.meta.url));
// Beside dist/ when bundled, at the top of the repository when run from source.
const ruleDocs = ['../docs/rules', '../../../docs/rules']
  .map((to) => path.resolve(here, to))
  .find((to) => existsSync(to));
const host = createNodeFileHost({ cacheDir: userCacheFolder(process.env) });

const connection = createConnection();

// Requests guard themselves; this is for what nobody awaits. Losing one notification beats losing the server.
process.on('unhandledRejection', (reason) => {
  connection.console.error(
    `Unhandled: ${reason instanceof Error ? (reason.stack ?? reason.message) : String(reason)}`,
  );
});

serve(connection, {
  createAnalysis: (root, settings) =>
    createAnalysis({ root, host, ...(settings.preset ? { preset: settings.preset } : {}) }),
  tables: createTableDocuments({
    random: Math.random,
    today,
    evidence: (path) => host.readText(path)?.text ?? null,
  }),
  files: host,
  rules: () => ruleInfos,
  ruleDocs: ruleDocs === undefined ? null : toSlashes(ruleDocs),
  today,
  person: person(),
  version,
});

/** The day where the person is, not in Greenwich. */
function today(): string {
  const now = new Date();
  const two = (n: number): string => String(n).padStart(2, '0');
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}

function person(): string {
  try {
    return userInfo().username;
  } catch {
    return 'unknown';
  }
}
