/**
 * Functions that take part in a transaction when they are given its handle and go on without one when they are not.
 * Owns telling such a parameter, and whether a call leaves it out.
 */
import type { FunctionFact, Pattern, TypeRef } from '../../facts/ir.ts';
import { uncast, walk } from '../../facts/walk.ts';
import type { SourceFile } from '../../model/project.ts';
import type { Site } from '../../model/sites.ts';

/** Where a function takes the handle: a whole parameter (`key` null), or a property of one. */
interface HandlePlace {
  readonly name: string;
  readonly index: number;
  readonly key: string | null;
}

const SURE_NAME =
  /^_?(?:tx|trx|txn|transaction|dbTransaction|prismaTx|dbTx|tx(?:Client|Prisma|Db|Manager)|transaction(?:Client|Manager)|transactionalEntityManager|existingTransaction|outerTx)$/;
const TYPED_NAME =
  /^_?(?:client|db|prisma|prismaClient|manager|entityManager|em|conn|connection|session|executor|queryRunner|t|dbSession)$/;
const HANDLE_TYPE = /Transaction|\bTx\b|Trx|ClientSession|QueryRunner|EntityManager|DbOrTx|DatabaseOrTx/;

const places = new WeakMap<FunctionFact, HandlePlace | null>();

/** The optional handle that the function takes; null when it takes none, or cannot do without it. */
function handlePlace(file: SourceFile, fact: FunctionFact): HandlePlace | null {
  const known = places.get(fact);
  if (known !== undefined) return known;
  const found = find(file, fact);
  places.set(fact, found);
  return found;
}

function find(file: SourceFile, fact: FunctionFact): HandlePlace | null {
  for (const [index, param] of fact.params.entries()) {
    if (param.rest) continue;
    const hasDefault = param.target.k === 'pdef';
    const target = param.target.k === 'pdef' ? param.target.target : param.target;
    const typeText = textOf(file, param.type);
    if (target.k === 'pid') {
      const after = file.text.slice(target.e, param.e);
      const optional = hasDefault || /^\s*\?/.test(after) || /\b(?:undefined|null)\b/.test(typeText);
      if (optional && isHandle(target.name, typeText) && used(file, target.b))
        return { name: target.name, index, key: null };
      const key = optionalMember(param.type, typeText);
      if (key && readsMember(file, fact, target.b, key)) return { name: key, index, key };
    } else if (target.k === 'pobj') {
      for (const p of target.props) {
        if (p.key === null || !SURE_NAME.test(p.key)) continue;
        const optional = p.value.k === 'pdef' || isOptionalKey(typeText, p.key);
        const local = boundTo(p.value);
        if (optional && local >= 0 && used(file, local)) return { name: p.key, index, key: p.key };
      }
    }
  }
  return null;
}

function isHandle(name: string, typeText: string): boolean {
  return SURE_NAME.test(name) || (TYPED_NAME.test(name) && HANDLE_TYPE.test(typeText));
}

function textOf(file: SourceFile, type: TypeRef | null): string {
  return type ? file.text.slice(type.s, type.e) : '';
}

function isOptionalKey(typeText: string, key: string): boolean {
  return (
    new RegExp(`\\b${key}\\?\\s*:`).test(typeText) ||
    new RegExp(`\\b${key}\\s*:[^;,}]*\\b(?:undefined|null)\\b`).test(typeText)
  );
}

function optionalMember(type: TypeRef | null, typeText: string): string | null {
  for (const key of Object.keys(type?.members ?? {}))
    if (SURE_NAME.test(key) && isOptionalKey(typeText, key)) return key;
  return null;
}

function boundTo(pattern: Pattern): number {
  const target = pattern.k === 'pdef' ? pattern.target : pattern;
  return target.k === 'pid' ? target.b : -1;
}

function used(file: SourceFile, binding: number): boolean {
  return (file.facts.bindings[binding]?.reads ?? 0) > 0;
}

function readsMember(file: SourceFile, fact: FunctionFact, binding: number, key: string): boolean {
  let found = false;
  for (const st of fact.body)
    walk(st, (n) => {
      if (n.k === 'mem' && n.prop === key && n.obj.k === 'id' && n.obj.b === binding) found = true;
    });
  return found && used(file, binding);
}

/** The handle that the called function takes and this call leaves out, by its name; null when it is given or nothing is taken. */
export function leftOutHandle(site: Site): string | null {
  const { target, node } = site;
  if (target.k !== 'fn' || node.k === 'tag') return null;
  const fact = target.value.file.facts.functions[target.value.fn];
  if (!fact || node.args.some((a) => a.k === 'spread')) return null;
  const place = handlePlace(target.value.file, fact);
  if (!place) return null;
  const given = node.args[place.index];
  if (!given) return place.name;
  if (place.key === null) return null;
  const value = uncast(given);
  if (
    value.k !== 'obj' ||
    value.props.some((p) => p.kind === 'spread' || p.key === place.key || p.key === null)
  )
    return null;
  return place.name;
}
