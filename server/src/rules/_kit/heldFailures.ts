/** Functions that give their failure back as a value (Either, Result, `{ data, error }`) instead of throwing it. */
import type { Expr, FunctionFact, TypeRef } from '../../facts/ir.ts';
import { uncast } from '../../facts/walk.ts';
import type { SourceFile } from '../../model/project.ts';
import { returnsOf } from '../../model/values.ts';

const HOLDERS = /(?:^|\.)(?:Either|TaskEither|IOEither|ReaderTaskEither|Result|ResultAsync|AsyncResult)$/;
const MAKERS =
  /^(?:(?:E|Either|TE|TaskEither|Result|R)\.)?(?:left|right|ok|err|Ok|Err|okAsync|errAsync|fail|failure|success)$/;

/** By the annotation, or where none is written by what every `return` makes. */
export function holdsFailure(file: SourceFile, fact: FunctionFact): boolean {
  if (fact.ret) return isHolder(fact.ret.name === 'Promise' ? fact.ret.args[0] : fact.ret);
  const made = returnsOf(file, fact.id).map((r) => makerOf(r));
  return (
    made.length > 0 && made.every((name) => name !== null) && made.some((n) => /left|err|fail/i.test(n ?? ''))
  );
}

function isHolder(type: TypeRef | undefined): boolean {
  if (!type) return false;
  if (type.name === '|') return type.args.length > 0 && type.args.every(isHolder);
  if (HOLDERS.test(type.name)) return type.args.length > 0;
  return type.members !== null && 'error' in type.members && Object.keys(type.members).length > 1;
}

/** `E.left(…)` → `E.left`; null for anything that is no such call. */
function makerOf(expr: Expr): string | null {
  const inner = uncast(expr.k === 'await' ? expr.arg : expr);
  if (inner.k !== 'call') return null;
  const { callee } = inner;
  const name =
    callee.k === 'id'
      ? callee.name
      : callee.k === 'mem' && callee.obj.k === 'id'
        ? `${callee.obj.name}.${callee.prop}`
        : '';
  return MAKERS.test(name) ? name : null;
}
