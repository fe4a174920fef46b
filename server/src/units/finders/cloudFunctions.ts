/** Functions that a cloud runs: Cloudflare Workers modules, Bun and Deno servers, Google, Firebase and Azure functions. */
import type { UnitKind } from '../../base/vocabulary.ts';
import type { Expr } from '../../facts/ir.ts';
import { uncast } from '../../facts/walk.ts';
import { defineFinder, type FinderContext, type UnitDraft } from '../finder.ts';
import { exportedExpr } from '../exported.ts';
import { baseName, rootName } from '../names.ts';

const WORKER_EVENTS: Readonly<Record<string, UnitKind>> = {
  fetch: 'http',
  scheduled: 'cron',
  queue: 'consumer',
  email: 'consumer',
};

/** Registering functions by name, where the file imports one of the packages. */
const PACKAGES = /^(?:@google-cloud\/functions-framework|firebase-functions(?:\/.*)?|@azure\/functions)$/;
const REGISTERS: readonly (readonly [RegExp, UnitKind])[] = [
  [/^(?:http|onRequest|get|post|put|patch|deleteRequest)$/, 'http'],
  [/^onCall(?:Genkit)?$/, 'rpc'],
  [/^(?:onSchedule|onRun|timer)$/, 'cron'],
  [
    /^(?:cloudEvent|onMessagePublished|onPublish|onTaskDispatched|onDispatch|serviceBus\w+|storage\w+|eventHub|eventGrid|cosmosDB)$/,
    'consumer',
  ],
  [/^on(?:Document|Value|Object|Custom)\w*$|^on(?:Create|Update|Write|Delete|Finalize)$/, 'consumer'],
  [/^beforeUser\w+$/, 'rpc'],
];

export const finder = defineFinder({
  id: 'cloud-function',
  applies: (file) =>
    file.facts.specifiers.some((s) => PACKAGES.test(s)) ||
    /\b(?:Bun|Deno)\.serve\(/.test(file.text) ||
    (/\bexport default\b/.test(file.text) && /\b(?:fetch|scheduled|queue)\b/.test(file.text)),
  find(ctx) {
    const out = workerModule(ctx);
    const registers = ctx.file.facts.specifiers.some((s) => PACKAGES.test(s));
    for (const { node } of ctx.sites) {
      if (node.k !== 'call') continue;
      const draft = serve(ctx, node) ?? (registers ? registered(ctx, node) : null);
      if (draft) out.push(draft);
    }
    return out;
  },
});

/** `export default { async fetch(request, env) {…}, async scheduled(event) {…} }`. */
function workerModule(ctx: FinderContext): UnitDraft[] {
  const expr = exportedExpr(ctx.file.facts, 'default');
  const table = expr ? uncast(expr.value) : null;
  if (table?.k !== 'obj') return [];
  const typed = expr?.value.k === 'as' && /ExportedHandler/.test(expr.value.type?.name ?? '');
  const out: UnitDraft[] = [];
  for (const p of table.props) {
    const kind = p.key ? WORKER_EVENTS[p.key] : undefined;
    const handler = kind ? ctx.handler(p.value) : null;
    const fact = handler?.file.facts.functions[handler.fn];
    if (!p.key || !kind || !handler || !fact) continue;
    // Other objects have methods of these names too: a worker's take the event and its environment.
    if (
      !typed &&
      !(
        fact.params.length >= 2 ||
        table.props.some((o) => o.key !== p.key && WORKER_EVENTS[o.key ?? ''] && o.kind !== 'spread')
      )
    )
      continue;
    const name = `${baseName(ctx.file.path)}.${p.key}`;
    out.push({ kind, name, symbol: `default.${p.key}`, at: { ...p.value, s: p.s, e: p.e } as Expr, handler });
  }
  return out;
}

/** `Bun.serve({ fetch(request) {…} })`, `Deno.serve(handler)`. */
function serve(ctx: FinderContext, node: Expr & { k: 'call' }): UnitDraft | null {
  const callee = uncast(node.callee);
  if (
    callee.k !== 'mem' ||
    callee.prop !== 'serve' ||
    callee.obj.k !== 'id' ||
    !/^(?:Bun|Deno)$/.test(callee.obj.name)
  )
    return null;
  const last = node.args.at(-1);
  const handler = last ? ctx.handler(last, ['fetch', 'handler']) : null;
  const name = `${callee.obj.name}.serve`;
  return handler ? { kind: 'http', name, symbol: name, at: node, handler } : null;
}

function registered(ctx: FinderContext, node: Expr & { k: 'call' }): UnitDraft | null {
  const callee = uncast(node.callee);
  const prop = callee.k === 'mem' ? callee.prop : callee.k === 'id' ? callee.name : '';
  const kind = REGISTERS.find(([p]) => p.test(prop))?.[1];
  const last = node.args.at(-1);
  if (!kind || !last || !fromPackage(ctx, callee)) return null;
  const handler = ctx.handler(last, ['handler']);
  if (!handler) return null;
  const first = node.args.length > 1 ? ctx.text(node.args[0]) : null;
  const binding = ctx.file.facts.bindings.find((b) => b.decl?.k === 'init' && uncast(b.decl.init) === node);
  const exported = commonJsName(ctx, node);
  const name = binding?.name ?? exported ?? first ?? prop;
  return { kind, name, symbol: `${rootName(callee)}.${prop} "${name}"`, route: first, at: node, handler };
}

/** `exports.pay = onCall(…)`. */
function commonJsName(ctx: FinderContext, node: Expr): string | null {
  return ctx.file.facts.exports.find((x) => x.expr !== null && uncast(x.expr) === node)?.name ?? null;
}

/** The chain begins at a name that comes from one of the packages. */
function fromPackage(ctx: FinderContext, callee: Expr): boolean {
  let at = uncast(callee);
  while (at.k === 'mem' || at.k === 'call') at = uncast(at.k === 'mem' ? at.obj : at.callee);
  if (at.k !== 'id') return false;
  const decl = ctx.file.facts.bindings[at.b]?.decl;
  if (decl?.k === 'import') return PACKAGES.test(decl.from);
  const init = decl?.k === 'init' ? uncast(decl.init) : undefined;
  const from =
    init?.k === 'call' && init.callee.k === 'id' && init.callee.name === 'require' ? init.args[0] : undefined;
  return from?.k === 'lit' && typeof from.value === 'string' && PACKAGES.test(from.value);
}
