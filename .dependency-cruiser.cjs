// The import table of ARCHITECTURE.md as rules: which folder may import which. A folder may always import itself.

/** Folders of server/src and what each may import. A name in `types` may be imported for its types only. */
const MAY_IMPORT = {
  base: [],
  protocol: [],
  host: ['base'],
  syntax: ['base'],
  packs: ['base'],
  facts: ['base', 'syntax'],
  resolve: ['base', 'host', 'facts'],
  schema: ['base', 'host', 'facts'],
  config: ['base', 'host', 'facts'],
  // The model reads a file's text and has it parsed when something first asks for that file.
  model: ['base', 'facts', 'resolve', 'schema', 'packs', 'host', 'syntax'],
  units: ['base', 'facts', 'resolve', 'packs', 'model'],
  fixes: ['base', 'syntax', 'packs'],
  // Facts are what a rule looks at; it never sees a syntax tree.
  rules: ['base', 'facts', 'model', 'units', 'schema', 'fixes'],
  types: ['base', 'syntax', 'host'],
  tables: ['base', 'host', 'model', 'units', 'fixes', 'rules'],
  discipline: ['base', 'model', 'tables'],
  // Inverses read facts and what packs say of options; runners and verdicts read reports and text.
  proof: ['base', 'facts', 'host', 'model', 'fixes', 'rules', 'tables'],
  incidents: ['base', 'model', 'tables'],
  reports: ['base', 'model', 'units', 'rules', 'tables', 'incidents'],
  node: ['base', 'host'],
  lsp: ['base', 'protocol', 'config', 'service', 'node'],
  // The command line prints what the reports render; everything else it asks of the service.
  cli: ['base', 'protocol', 'config', 'service', 'node', 'reports'],
  mcp: ['base', 'protocol', 'config', 'service', 'node'],
};
const TYPES_ONLY = {
  proof: ['packs'],
  fixes: ['facts'],
  rules: ['packs', 'config'],
  lsp: ['host'],
  cli: ['host'],
  mcp: ['host'],
};
/** The analysis proper: everything but the outermost layers, which `service` must not know. */
const OUTER = ['node', 'lsp', 'cli', 'mcp', 'protocol'];

const folders = (names) => `^server/src/(${names.join('|')})/`;

const table = Object.entries(MAY_IMPORT).map(([folder, allowed]) => ({
  name: `layer-${folder}`,
  severity: 'error',
  comment: `${folder} may import ${[...allowed, ...(TYPES_ONLY[folder] ?? [])].join(', ') || 'nothing of ours'}`,
  from: { path: folders([folder]) },
  to: {
    path: '^(server|client|media)/',
    pathNot: folders([folder, ...allowed, ...(TYPES_ONLY[folder] ?? [])]),
  },
}));

const typesOnly = Object.entries(TYPES_ONLY).map(([folder, names]) => ({
  name: `types-only-${folder}`,
  severity: 'error',
  comment: `${folder} may use ${names.join(' and ')} for types only`,
  from: { path: folders([folder]) },
  to: { path: folders(names), dependencyTypesNot: ['type-only'] },
}));

module.exports = {
  forbidden: [
    ...table,
    ...typesOnly,
    {
      name: 'layer-service',
      severity: 'error',
      comment: 'service joins the analysis and knows no editor, disk or terminal',
      from: { path: folders(['service']) },
      to: { path: `^(client|media)/|${folders(OUTER)}` },
    },
    {
      name: 'layer-client',
      severity: 'error',
      comment: 'client and panel share with the server the protocol only, which is validated at run time',
      from: { path: '^(client|media)/' },
      to: { path: '^server/', pathNot: folders(['protocol']) },
    },
    {
      name: 'layer-panel',
      severity: 'error',
      comment: 'client and panel talk through messages; the panel runs in a browser',
      from: { path: '^media/' },
      to: { path: '^client/' },
    },
    {
      name: 'no-rule-imports-a-rule',
      severity: 'error',
      comment: 'what two rules share belongs to rules/_kit',
      from: { path: '^server/src/rules/', pathNot: 'registry\\.generated\\.ts$' },
      to: { path: '^server/src/rules/[^/]+\\.ts$' },
    },
    {
      name: 'no-pack-imports-a-pack',
      severity: 'error',
      comment: 'a pack knows one library; commands that two libraries share are in packs/_kit',
      from: { path: '^server/src/packs/[^/]+\\.ts$', pathNot: 'registry\\.generated\\.ts$' },
      to: { path: '^server/src/packs/', pathNot: '^server/src/packs/(contract\\.ts$|_kit/)' },
    },
    {
      name: 'vscode-in-client-only',
      severity: 'error',
      from: { path: '^(server|media)/' },
      to: { path: '^vscode$|node_modules/(@types/)?vscode/|vscode-languageclient' },
    },
    {
      name: 'language-server-in-lsp-only',
      severity: 'error',
      from: { path: '^(server|client|media)/', pathNot: folders(['lsp']) },
      to: { path: 'vscode-languageserver(?!-protocol|-types)' },
    },
    {
      name: 'compiler-where-syntax-is-read-or-written',
      severity: 'error',
      comment: 'rules, model and resolve see facts, never syntax trees',
      from: { path: '^(server|client|media)/', pathNot: folders(['syntax', 'facts', 'fixes', 'types']) },
      to: { path: '^typescript$|node_modules/(typescript|ts-morph|@ts-morph)/' },
    },
    {
      name: 'node-built-ins-at-the-edge',
      severity: 'error',
      comment: 'the analysis reaches the machine through host/ only',
      from: {
        path: '^(server|media)/',
        pathNot: `${folders(['node'])}|^server/src/(cli|lsp|mcp)/main\\.ts$`,
      },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'no-circular',
      severity: 'error',
      comment: 'modules that need each other at run time are one module or lack a third',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'no-tests-in-product',
      severity: 'error',
      from: { path: '^(server|client|media)/' },
      to: { path: '^(test|scripts)/' },
    },
    {
      name: 'not-to-dev-dependency',
      severity: 'error',
      comment: 'what the product needs at run time is a dependency; the compiler comes with ts-morph',
      from: { path: '^(server|client|media)/' },
      to: {
        dependencyTypes: ['npm-dev'],
        dependencyTypesNot: ['type-only'],
        pathNot: 'node_modules/(typescript|@types/[^/]+)/',
      },
    },
    {
      name: 'resolvable',
      severity: 'error',
      from: { path: '^(server|client|media)/' },
      to: { couldNotResolve: true, pathNot: '^vscode$' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'node', 'default'],
    },
  },
};
