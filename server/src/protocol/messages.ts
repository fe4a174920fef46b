/**
 * Every payload that crosses a process border: between server and client, and between client and panel.
 *
 * Owns names and shapes only. Each side parses what it receives with these schemas, so that a version mismatch or a
 * forged message is an error with a name instead of an undefined value deep inside. Lines and characters count from 0
 * here, as in the Language Server Protocol; offsets are UTF-16 units.
 */
import * as z from 'zod/mini';

// ---------------------------------------------------------------------------------------------- shared shapes

const position = z.object({ line: z.number(), character: z.number() });
const range = z.object({ start: position, end: position });
export type WireRange = z.infer<typeof range>;

const location = z.object({ uri: z.string(), range });
export type WireLocation = z.infer<typeof location>;

/** Edits to one document. `version` is the version they were computed against; null when the file is not open. */
export const documentEditsSchema = z.object({
  uri: z.string(),
  version: z.nullable(z.number()),
  /** The file does not exist yet: create it, then insert. */
  create: z.boolean(),
  edits: z.array(z.object({ range, newText: z.string() })),
});
export type DocumentEdits = z.infer<typeof documentEditsSchema>;

export const VERDICTS = ['undecided', 'detect', 'handle', 'accept', 'blocked'] as const;
export type Verdict = (typeof VERDICTS)[number];

export const ACCEPT_BECAUSE = ['rate', 'blast-radius', 'upstream-guarantee', 'cost', 'temporary'] as const;

export const LENS_NAMES = [
  'boundaries',
  'hostile-input',
  'partial-failure',
  'concurrency',
  'resource-exhaustion',
  'clock',
] as const;
export type LensName = (typeof LENS_NAMES)[number];

/** The text fields that a verdict brings with it; which ones count is decided by the verdict. */
export const ROW_FIELDS = [
  'how',
  'test',
  'signal',
  'asserted',
  'because',
  'reason',
  'owner',
  'expires',
  'holds-while',
  'blocker',
  'to',
  'note',
  'ticket',
] as const;
export type RowField = (typeof ROW_FIELDS)[number];

export const ROW_STATES = [
  'undecided',
  'incomplete',
  'unproven',
  'closed',
  'stale',
  'blocked',
  'retired',
] as const;
export type RowState = (typeof ROW_STATES)[number];

const tableRow = z.object({
  id: z.string(),
  lens: z.enum(LENS_NAMES),
  failure: z.string(),
  rule: z.nullable(z.string()),
  at: z.nullable(z.string()),
  why: z.nullable(z.string()),
  verdict: z.enum(VERDICTS),
  fields: z.record(z.string(), z.string()),
  /** A mechanism that the analysis found and nobody has confirmed yet. */
  proposed: z.boolean(),
  state: z.enum(ROW_STATES),
  /** One sentence: what the state means for this row, or what is missing. */
  stateText: z.string(),
  /** Where the row's code is now; null when the anchor is not found or the row is about the whole unit. */
  place: z.nullable(location),
});
export type TableRow = z.infer<typeof tableRow>;

const tableLens = z.object({
  lens: z.enum(LENS_NAMES),
  /** `rows`: it has rows; `none`: shown to have no exposure; `open`: something was not seen; `unlooked`: nobody looked. */
  exposure: z.enum(['rows', 'none', 'open', 'unlooked']),
  text: z.nullable(z.string()),
  unresolved: z.array(z.string()),
  rows: z.array(tableRow),
});
export type TableLens = z.infer<typeof tableLens>;

const tableModel = z.object({
  unit: z.string(),
  kind: z.string(),
  code: z.object({ file: z.string(), symbol: z.string() }),
  place: z.nullable(location),
  domain: z.array(z.string()),
  contract: z.string(),
  owner: z.nullable(z.string()),
  lenses: z.array(tableLens),
  pruned: z.array(z.string()),
  summary: z.object({
    rows: z.number(),
    decided: z.number(),
    closed: z.number(),
    stale: z.number(),
    unlooked: z.number(),
  }),
});
export type TableModel = z.infer<typeof tableModel>;

const tableProblem = z.object({
  message: z.string(),
  severity: z.enum(['error', 'warning', 'note']),
  range,
});
export type TableProblem = z.infer<typeof tableProblem>;

const failure = z.object({ ok: z.literal(false), message: z.string() });

// ---------------------------------------------------------------------------------------------- client → server

const place = {
  uri: z.string(),
  offset: z.optional(z.number()),
  /** Unit id, when the caller knows it (CodeLens, table links). */
  unit: z.optional(z.string()),
};

export const generateTable = {
  method: 'sixlens/generateTable',
  params: z.object(place),
  result: z.union([
    z.object({
      ok: z.literal(true),
      unit: z.string(),
      tableUri: z.string(),
      created: z.boolean(),
      edit: documentEditsSchema,
    }),
    failure,
  ]),
};

export const openTable = {
  method: 'sixlens/openTable',
  params: z.object(place),
  /** `tableUri` is null when the unit has no table yet. */
  result: z.union([
    z.object({ ok: z.literal(true), unit: z.string(), tableUri: z.nullable(z.string()) }),
    failure,
  ]),
};

export const tableModelRequest = {
  method: 'sixlens/tableModel',
  params: z.object({ uri: z.string() }),
  /** `model` is null when the file is malformed; `problems` then says where. `version` is the document's, null if not open. */
  result: z.object({
    version: z.nullable(z.number()),
    model: z.nullable(tableModel),
    problems: z.array(tableProblem),
  }),
};
export type TableModelResult = z.infer<typeof tableModelRequest.result>;

const editResult = z.union([z.object({ ok: z.literal(true), edit: documentEditsSchema }), failure]);

/** Null removes a field. Fields that the new verdict does not use are left where they are. */
const rowFields = z.record(z.string(), z.nullable(z.string()));

export const setVerdict = {
  method: 'sixlens/setVerdict',
  params: z.object({
    uri: z.string(),
    row: z.string(),
    verdict: z.optional(z.enum(VERDICTS)),
    fields: z.optional(rowFields),
    /** Who decided; written to `seen.by`. */
    by: z.optional(z.string()),
  }),
  result: editResult,
};

export const setTableText = {
  method: 'sixlens/setTableText',
  params: z.object({ uri: z.string(), contract: z.string() }),
  result: editResult,
};

export const addRow = {
  method: 'sixlens/addRow',
  params: z.object({ uri: z.string(), lens: z.enum(LENS_NAMES), failure: z.string() }),
  result: z.union([z.object({ ok: z.literal(true), row: z.string(), edit: documentEditsSchema }), failure]),
};

export const inlineTable = {
  method: 'sixlens/inlineTable',
  params: z.object({ uri: z.string(), position: z.optional(position), unit: z.optional(z.string()) }),
  /** Null where no unit is. `range` is the unit's name line. */
  result: z.nullable(
    z.object({ unit: z.string(), range, markdown: z.string(), tableUri: z.nullable(z.string()) }),
  ),
};

export const whySilent = {
  method: 'sixlens/whySilent',
  params: z.object({ uri: z.string(), offset: z.optional(z.number()) }),
  result: z.object({ reasons: z.array(z.object({ code: z.string(), text: z.string() })) }),
};

export const checkWorkspace = {
  method: 'sixlens/checkWorkspace',
  params: z.object({ workDoneToken: z.optional(z.union([z.string(), z.number()])) }),
  result: z.object({
    files: z.number(),
    findings: z.number(),
    blocking: z.number(),
    problems: z.number(),
    cancelled: z.boolean(),
  }),
};

// ---------------------------------------------------------------------------------------------- server → client

export const statusNotification = {
  method: 'sixlens/status',
  params: z.object({
    state: z.enum(['starting', 'analysing', 'ready', 'off']),
    /** One sentence for people. */
    detail: z.string(),
    findings: z.number(),
    /** Problems of the run itself: unreadable manifests, a rule that failed. */
    problems: z.array(z.string()),
  }),
};
export type ServerStatus = z.infer<typeof statusNotification.params>;

/** Code or tables changed so that open panels and inline tables may show something old. */
export const tablesChanged = { method: 'sixlens/tablesChanged', params: z.object({}) };

// ---------------------------------------------------------------------------------------------- settings

export const settingsSchema = z.object({
  enable: z._default(z.boolean(), true),
  /** Null: as `.sixlens/config.yaml` says, else recommended. */
  preset: z._default(z.nullable(z.enum(['essential', 'recommended', 'strict'])), null),
  check: z._default(z.object({ scope: z._default(z.enum(['openFiles', 'workspace']), 'workspace') }), {
    scope: 'workspace',
  }),
  codeLens: z._default(z.object({ enable: z._default(z.boolean(), true) }), { enable: true }),
  hover: z._default(z.object({ enable: z._default(z.boolean(), true) }), { enable: true }),
  inlineTable: z._default(z.object({ enable: z._default(z.boolean(), true) }), { enable: true }),
});
export type Settings = z.infer<typeof settingsSchema>;

/** What our own client tells the server at start; other clients leave it out. */
export const initializationSchema = z.object({
  /** The client registers `sixlens.openTable` and the like itself, so the server must not. */
  clientCommands: z._default(z.boolean(), false),
});

// ---------------------------------------------------------------------------------------------- panel ↔ client

/** From the panel. Each is answered by a message `{ id, type: 'answer' }` of the same id. */
export const panelRequestSchema = z.discriminatedUnion('type', [
  z.object({ id: z.number(), type: z.literal('ready') }),
  z.object({
    id: z.number(),
    type: z.literal('setVerdict'),
    row: z.string(),
    verdict: z.optional(z.enum(VERDICTS)),
    fields: z.optional(rowFields),
  }),
  z.object({ id: z.number(), type: z.literal('setContract'), contract: z.string() }),
  z.object({ id: z.number(), type: z.literal('addRow'), lens: z.enum(LENS_NAMES), failure: z.string() }),
  z.object({ id: z.number(), type: z.literal('openCode'), row: z.nullable(z.string()) }),
  z.object({ id: z.number(), type: z.literal('openRule'), rule: z.string() }),
  z.object({ id: z.number(), type: z.literal('openText'), line: z.optional(z.number()) }),
]);
export type PanelRequest = z.infer<typeof panelRequestSchema>;

/** To the panel: an answer to its request, or a model pushed because the document or the code changed. */
export const panelMessageSchema = z.discriminatedUnion('type', [
  z.object({
    id: z.number(),
    type: z.literal('answer'),
    error: z.nullable(z.string()),
    row: z.optional(z.string()),
  }),
  z.object({
    id: z.number(),
    type: z.literal('model'),
    uri: z.string(),
    file: z.string(),
    version: z.nullable(z.number()),
    model: z.nullable(tableModel),
    problems: z.array(tableProblem),
    /** Today, `yyyy-mm-dd`, and who would be written as the owner of an accept. */
    today: z.string(),
    person: z.string(),
    /** Row to select and scroll to. */
    reveal: z.optional(z.string()),
  }),
]);
export type PanelMessage = z.infer<typeof panelMessageSchema>;

/** The panel's word that it has taken a pushed model. */
export const panelReceiptSchema = z.object({ id: z.number(), type: z.literal('received') });
