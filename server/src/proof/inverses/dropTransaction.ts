/** Lets the statements of a transaction run each on its own: the callback is called with the plain client, or begin and commit go. */
import type { Call, Expr } from '../../facts/ir.ts';
import { uncast, type AnyNode } from '../../facts/walk.ts';
import type { SourceFile } from '../../model/project.ts';
import { calledWith, lastName, waited, wholeStatement } from './cut.ts';
import { bodiesAround, edit, framesAround, textOf, type Edit, type Inverse, type Spot } from './inverse.ts';

export const dropTransaction: Inverse = {
  id: 'unwrap-transaction',
  what: 'the transaction',
  rules: [
    'writes-without-transaction',
    'outer-handle-in-transaction',
    'transaction-on-pool',
    'dedup-outside-transaction',
  ],
  words: /transaction|atomic|all or nothing|rolls? back|commit/i,
  remove(spot) {
    const out = new Map<Call, Edit>();
    const take = (file: SourceFile, call: Call, arg: Expr | undefined): void => {
      const replaced = arg && unwrapped(spot, file, call, arg);
      if (replaced !== undefined && !out.has(call)) out.set(call, edit(file, call, replaced));
    };
    const { node } = spot;
    if (node.k === 'call' && NAMED.test(lastName(spot.file, node))) take(spot.file, node, givenTo(node));
    for (const { file, frame } of framesAround(spot)) {
      if (frame.k !== 'callback' || frame.call.k !== 'call') continue;
      const local = spot.model.sites.at(file, frame.call)?.target.k === 'fn';
      if (!local && (frame.roles.has('transaction') || NAMED.test(lastName(file, frame.call))))
        take(file, frame.call, frame.call.args[frame.arg]);
    }
    const list = listAround(spot);
    if (list) take(spot.file, list, list.args[0]);
    return out.size > 0 ? [...out.values()] : manual(spot);
  },
};

const NAMED = /^\$?(?:with|in|run|do|start)?_?(?:transaction|tx|trx)(?:al|ally)?$/i;

function givenTo(call: Call): Expr | undefined {
  return call.args.find((arg) => ['fn', 'arr'].includes(uncast(arg).k));
}

function unwrapped(spot: Spot, file: SourceFile, call: Call, arg: Expr): string | undefined {
  if (uncast(arg).k === 'arr') return `Promise.all(${textOf(file, arg)})`;
  const site = spot.model.sites.at(file, call);
  const pack = site?.target.k === 'lib' ? site.target.pack.id : '';
  // Its transactions are functions that are called later.
  if (pack === 'sqlite') return `(${textOf(file, arg)})`;
  return calledWith(file, arg, handle(file, call, pack));
}

/** What stands for the transaction's own client when there is none. */
function handle(file: SourceFile, call: Call, pack: string): string {
  const callee = uncast(call.callee);
  if (callee.k !== 'mem')
    return call.args[0] && uncast(call.args[0]).k !== 'fn' ? textOf(file, call.args[0]) : 'undefined';
  if (pack === 'sequelize' || pack === 'mongoose' || pack === 'mongodb') return 'undefined';
  let at = uncast(callee.obj);
  // `db.transaction().setIsolationLevel(…).execute(cb)`
  while (at.k === 'call') {
    const inner = uncast(at.callee);
    if (inner.k !== 'mem') break;
    at = uncast(inner.obj);
  }
  const text = textOf(file, at);
  return pack === 'typeorm' && !/manager$/i.test(text) ? `${text}.manager` : text;
}

/** `prisma.$transaction([a, b])` around one of its operations. */
function listAround({ file, node }: Spot): Call | null {
  let child: AnyNode = waited(file, node);
  for (let up = file.index.parent(child); up; child = up, up = file.index.parent(up)) {
    if (up.k === 'call') {
      if (up.args[0] === child && NAMED.test(lastName(file, up))) return up;
      if (up.callee !== child) return null;
    } else if (up.k !== 'arr' && up.k !== 'mem' && up.k !== 'as') return null;
  }
  return null;
}

/** Begin, commit and rollback as statements of their own, here or in the helper that runs the callback. */
function manual(spot: Spot): Edit[] {
  const out: Edit[] = [];
  const visit = (file: SourceFile, fn: number): void => {
    for (const site of spot.model.sitesWithin(file, fn)) {
      const op = site.effect?.op;
      if (op !== 'begin' && op !== 'commit' && op !== 'rollback') continue;
      const statement = wholeStatement(file, site.top);
      if (statement) out.push(edit(file, statement, '{}'));
    }
  };
  for (const { file, fact } of bodiesAround(spot))
    if (fact.id === spot.model.outermost(file, fact.id)) visit(file, fact.id);
  for (const { file, frame } of framesAround(spot)) {
    if (frame.k !== 'callback') continue;
    const target = spot.model.sites.at(file, frame.call)?.target;
    if (target?.k === 'fn') visit(target.value.file, target.value.fn);
  }
  return out;
}
