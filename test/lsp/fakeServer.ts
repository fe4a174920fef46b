/** A server process like the shipped one, except for the analysis, which is the fake. */
import { createConnection } from 'vscode-languageserver/node';
import { serve } from '../../server/src/lsp/server.ts';
import { createNodeFileHost } from '../../server/src/node/nodeFileHost.ts';
import type { RuleInfo } from '../../server/src/service/contract.ts';
import { createTableDocuments } from '../../server/src/service/tableDocuments.ts';
import { createFakeAnalysis } from './fakeAnalysis.ts';

const today = (): string => '2026-11-30';

const rule: RuleInfo = {
  id: 'call-without-timeout',
  lens: 'clock',
  axis: 'cascading-failure',
  faultClass: 'network',
  severity: 'high',
  blocking: true,
  stage: 'stable',
  since: '0.1.0',
  fixKind: 'safe',
  docs: {
    what: 'A call that nothing bounds.',
    why: 'It hangs as long as the other side.',
    remedy: 'Bound it.',
    whenNot: 'Never.',
  },
  examples: [],
};

serve(createConnection(), {
  createAnalysis: (root, settings) => createFakeAnalysis(root, settings.preset),
  tables: createTableDocuments({ random: Math.random, today }),
  files: createNodeFileHost(),
  rules: () => [rule],
  // Tests start the server at the top of the repository.
  ruleDocs: `${process.cwd().replaceAll('\\', '/')}/test/lsp/ruleDocs`,
  today,
  person: 'li',
  version: '0.0.0-test',
});
