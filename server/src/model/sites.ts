/**
 * Call sites with what they do. Owns the step from a resolved callee to an effect: HTTP method, SQL text, chained
 * refinements, the roles that shape alone shows ("assumed").
 */
import type { CallLike } from '../facts/fileIndex.ts';
import type { Call, Expr, FunctionFact, New } from '../facts/ir.ts';
import { uncast } from '../facts/walk.ts';
import type { CallSpec, EffectKind, EffectOp, EffectSpec, OptionAt, Pack } from '../packs/contract.ts';
import { readOption, stringOf } from './options.ts';
import type { SourceFile } from './project.ts';
import { looksLikeSql, readSql, type SqlInfo } from './sql.ts';
import type { FnValue, Inst, Value, Values } from './values.ts';

export type Target =
  | {
      readonly k: 'lib';
      readonly pack: Pack;
      readonly spec: CallSpec;
      readonly recv: Inst | null;
      readonly name: string;
      /** Type that `new` makes; null for calls. */
      readonly makes: string | null;
    }
  | { readonly k: 'fn'; readonly value: FnValue }
  | { readonly k: 'class'; readonly file: SourceFile; readonly cls: number }
  /** A global function or method: `setTimeout`, `Promise.all`, `JSON.parse`. */
  | { readonly k: 'builtin'; readonly name: string }
  /** A package that no pack describes. */
  | { readonly k: 'package'; readonly pkg: string; readonly path: string }
  | { readonly k: 'unresolved'; readonly prop: string | null; readonly base: Value };

export interface Effect {
  readonly kind: EffectKind;
  readonly op: EffectOp;
  readonly spec: EffectSpec;
  /** Null when only the shape tells. */
  readonly pack: Pack | null;
  /** Name for messages: the npm package, or `SQL`. */
  readonly library: string;
  /** HTTP method in capitals; null when unknown or none. */
  readonly method: string | null;
  /** Table, model or collection in lower case; null when unknown. */
  readonly entity: string | null;
  readonly sql: SqlInfo | null;
  /** Changes something outside the process. */
  readonly write: boolean;
  /** Leaves the process and waits for an answer. */
  readonly network: boolean;
  readonly confidence: 'shown' | 'assumed';
}

export interface Site {
  readonly file: SourceFile;
  readonly fn: number;
  readonly node: CallLike;
  readonly target: Target;
  readonly effect: Effect | null;
  /** The outermost call of the chain that starts here: `db.insert(x).values(y)`. */
  readonly top: Expr;
  /** Calls chained on: method name and node, in order. */
  readonly chain: readonly {
    readonly name: string;
    readonly node: Call;
    readonly refines: CallSpec['refines'];
    readonly effective: boolean;
  }[];
}

const NETWORK: ReadonlySet<EffectKind> = new Set(['http', 'sdk', 'rpc', 'db', 'cache', 'queue', 'mail']);
const WRITE_OPS: ReadonlySet<EffectOp> = new Set([
  'insert',
  'update',
  'upsert',
  'delete',
  'write',
  'increment',
  'publish',
  'send',
  'create',
  'charge',
]);

export class Sites {
  private readonly byFunction = new WeakMap<object, readonly Site[]>();
  private readonly byNode = new WeakMap<CallLike, Site>();
  private readonly calling = new WeakMap<SourceFile, ReadonlyMap<FunctionFact, readonly Site[]>>();

  constructor(readonly values: Values) {}

  /** Sites written directly in one function, in source order. */
  of(file: SourceFile, fn: number): readonly Site[] {
    const fact = file.facts.functions[fn];
    if (!fact) return [];
    const known = this.byFunction.get(fact);
    if (known) return known;
    const list = (file.index.calls[fn] ?? []).map((node) => this.site(file, fn, node));
    this.byFunction.set(fact, list);
    for (const site of list) this.byNode.set(site.node, site);
    return list;
  }

  all(file: SourceFile): Site[] {
    return file.facts.functions.flatMap((f) => this.of(file, f.id));
  }

  /** Sites of `from` that call a local function, which may be in another file; in the order of `all`. */
  callersIn(from: SourceFile, file: SourceFile, fn: number): readonly Site[] {
    let known = this.calling.get(from);
    if (!known) {
      const made = new Map<FunctionFact, Site[]>();
      for (const site of this.all(from)) {
        if (site.target.k !== 'fn') continue;
        const fact = site.target.value.file.facts.functions[site.target.value.fn];
        if (!fact) continue;
        const list = made.get(fact);
        if (list) list.push(site);
        else made.set(fact, [site]);
      }
      this.calling.set(from, (known = made));
    }
    const fact = file.facts.functions[fn];
    return (fact && known.get(fact)) ?? [];
  }

  /** The site of one call node. */
  at(file: SourceFile, node: CallLike): Site | null {
    const known = this.byNode.get(node);
    if (known) return known;
    this.of(file, file.index.functionOf(node));
    return this.byNode.get(node) ?? null;
  }

  private site(file: SourceFile, fn: number, node: CallLike): Site {
    const target = this.target(file, node);
    const { chain, top } = this.chain(file, node);
    const refined = { file, fn, node, target, chain, top };
    return { ...refined, effect: this.effect(file, node, target, chain) };
  }

  target(file: SourceFile, node: CallLike): Target {
    if (node.k === 'tag') {
      const spec = this.values.tagSpec(this.values.of(file, node.tag));
      if (spec) return { k: 'lib', ...spec, makes: null };
      return {
        k: 'unresolved',
        prop: node.tag.k === 'mem' ? node.tag.prop : null,
        base: this.values.of(file, node.tag),
      };
    }
    const callee = this.values.of(file, node.callee);
    if (node.k === 'new') {
      const made = this.values.constructorSpec(callee);
      if (made)
        return {
          k: 'lib',
          pack: made.pack,
          spec: made.spec,
          recv: made.recv,
          name: made.type,
          makes: made.type,
        };
      if (callee.k === 'cls') return { k: 'class', file: callee.file, cls: callee.cls };
    } else {
      const spec = this.values.callSpec(callee);
      if (spec) return { k: 'lib', ...spec, makes: null };
      if (callee.k === 'fn') return { k: 'fn', value: callee };
    }
    if (callee.k === 'global') return { k: 'builtin', name: callee.name };
    if (callee.k === 'of' && callee.base.k === 'global')
      return { k: 'builtin', name: `${callee.base.name}.${callee.prop}` };
    if (callee.k === 'ext') return { k: 'package', pkg: callee.pkg, path: callee.path };
    return {
      k: 'unresolved',
      prop: node.callee.k === 'mem' ? node.callee.prop : node.callee.k === 'id' ? node.callee.name : null,
      base: callee.k === 'of' ? callee.base : callee,
    };
  }

  private chain(file: SourceFile, node: CallLike): { chain: Site['chain']; top: Expr } {
    const chain: Site['chain'][number][] = [];
    let top: Expr = node;
    for (;;) {
      const member = file.index.parent(top);
      if (member?.k !== 'mem' || member.obj !== top) break;
      const call = file.index.parent(member);
      if (call?.k !== 'call' || call.callee !== member) break;
      const spec = this.values.callSpec(this.values.of(file, member));
      chain.push({
        name: member.prop,
        node: call,
        refines: spec?.spec.refines,
        effective: spec?.spec.effect !== undefined,
      });
      top = call;
    }
    return { chain, top };
  }

  private effect(file: SourceFile, node: CallLike, target: Target, chain: Site['chain']): Effect | null {
    if (target.k === 'lib') {
      const spec = target.spec.effect;
      if (!spec) return null;
      // A builder's opening call does nothing of its own where a later call of the chain says what is done.
      if (target.spec.lazy && chain.some((c) => c.effective)) return null;
      return this.build(file, node, this.variant(file, node, spec), target.pack, target.recv, chain, 'shown');
    }
    return this.assumed(file, node, target);
  }

  private build(
    file: SourceFile,
    node: CallLike,
    spec: EffectSpec,
    pack: Pack | null,
    recv: Inst | null,
    chain: Site['chain'],
    confidence: 'shown' | 'assumed',
  ): Effect {
    let op = spec.op;
    let sql: SqlInfo | null = null;
    if (spec.sqlAt !== undefined) {
      const text = this.sqlText(file, node, spec.sqlAt);
      if (text !== null) {
        sql = readSql(text);
        op = opOfSql(sql);
      }
    }
    if (chain.some((c) => c.refines === 'upsert') && op === 'insert') op = 'upsert';
    const method = spec.kind === 'http' ? this.method(file, node, spec) : (spec.method ?? null);
    const write =
      WRITE_OPS.has(op) || (spec.kind === 'http' && method !== null && !/^(GET|HEAD|OPTIONS)$/.test(method));
    return {
      kind: spec.kind,
      op,
      spec,
      pack,
      library: pack?.packages[0] ?? 'SQL',
      method,
      entity: this.entity(file, node, spec, recv) ?? sql?.table ?? null,
      sql,
      write,
      network: NETWORK.has(spec.kind) || (spec.kind === 'connection' && op === 'connect'),
      confidence,
    };
  }

  /** The effect that the name of a command or member stands for. */
  private variant(file: SourceFile, node: CallLike, spec: EffectSpec): EffectSpec {
    if (!spec.variants || node.k === 'tag') return spec;
    const name =
      spec.variants.at === 'member' ? memberName(node) : this.constructedName(file, node, spec.variants.at);
    const found = name === null ? undefined : spec.variants.list.find((v) => new RegExp(v.match).test(name));
    return found ? { ...spec, ...found.effect } : spec;
  }

  private constructedName(file: SourceFile, node: Call | New, at: OptionAt): string | null {
    const read = readOption(this.values, file, node, at);
    if (read.k !== 'value') return null;
    const inner = uncast(read.expr);
    const decl = inner.k === 'id' ? read.file.facts.bindings[inner.b]?.decl : undefined;
    const made = decl?.k === 'init' && decl.path.length === 0 ? uncast(decl.init) : inner;
    if (made.k !== 'new') return null;
    const value = this.values.of(read.file, made.callee);
    if (value.k === 'ext') return value.path.split('.').at(-1) ?? null;
    return made.callee.k === 'id' ? made.callee.name : made.callee.k === 'mem' ? made.callee.prop : null;
  }

  private method(file: SourceFile, node: CallLike, spec: EffectSpec): string | null {
    if (spec.method) return spec.method;
    for (const at of spec.methodAt ?? []) {
      const option = readOption(this.values, file, node, at);
      if (option.k === 'value') return stringOf(this.values, option.file, option.expr)?.toUpperCase() ?? null;
      if (option.k === 'unknown') return null;
    }
    return spec.methodDefault ?? 'GET';
  }

  private sqlText(file: SourceFile, node: CallLike, at: number | 'tag'): string | null {
    if (at === 'tag') return node.k === 'tag' ? node.quasis.join('$?') : null;
    if (node.k === 'tag') return node.quasis.join('$?');
    const arg = node.args[at];
    if (!arg) return null;
    const inner = uncast(arg);
    if (inner.k === 'tag') return inner.quasis.join('$?');
    if (inner.k === 'obj') {
      const text = inner.props.find((p) => p.key === 'text' || p.key === 'sql');
      return text ? stringOf(this.values, file, text.value) : null;
    }
    return stringOf(this.values, file, inner);
  }

  private entity(file: SourceFile, node: CallLike, spec: EffectSpec, recv: Inst | null): string | null {
    if (!spec.entity) return null;
    if (spec.entity === 'receiver-member') return recv?.via?.toLowerCase() ?? null;
    if (spec.entity === 'receiver-type') return recv?.entity?.toLowerCase() ?? null;
    if (node.k === 'tag') return null;
    const option = readOption(this.values, file, node, spec.entity);
    if (option.k !== 'value') return null;
    const expr = uncast(option.expr);
    const text = stringOf(this.values, option.file, expr);
    if (text !== null) return text.toLowerCase();
    if (expr.k === 'id') return expr.name.toLowerCase();
    return expr.k === 'mem' ? expr.prop.toLowerCase() : null;
  }

  /** SQL text handed to something that cannot be followed still is SQL. */
  private assumed(file: SourceFile, node: CallLike, target: Target): Effect | null {
    if (node.k === 'new') return null;
    if (target.k !== 'unresolved' && target.k !== 'package') return null;
    const prop =
      node.k === 'tag'
        ? 'tag'
        : node.callee.k === 'mem'
          ? node.callee.prop
          : node.callee.k === 'id'
            ? node.callee.name
            : null;
    if (prop === null) return null;
    if (node.k !== 'tag' && !SQL_METHODS.has(prop)) return null;
    const text = this.sqlText(file, node, node.k === 'tag' ? 'tag' : 0);
    if (text === null || !looksLikeSql(text)) return null;
    return this.build(file, node, ASSUMED_SQL, null, null, [], 'assumed');
  }
}

const SQL_METHODS = new Set([
  'query',
  'execute',
  'run',
  'exec',
  'raw',
  'one',
  'oneOrNone',
  'none',
  'any',
  'many',
  'manyOrNone',
  'unsafe',
  'all',
  'get',
  'executeSql',
  'queryRaw',
  'executeRaw',
  '$queryRaw',
  '$executeRaw',
  '$queryRawUnsafe',
  '$executeRawUnsafe',
]);

const ASSUMED_SQL: EffectSpec = { kind: 'db', op: 'raw', sqlAt: 0 };

function opOfSql(sql: SqlInfo): EffectOp {
  switch (sql.verb) {
    case 'select':
      return 'read';
    case 'insert':
      return sql.onConflict ? 'upsert' : 'insert';
    case 'update':
      return sql.relative ? 'increment' : 'update';
    case 'delete':
      return 'delete';
    case 'begin':
      return 'begin';
    case 'commit':
      return 'commit';
    case 'rollback':
      return 'rollback';
    case 'ddl':
      return 'write';
    default:
      return 'raw';
  }
}

/** Repeating it leaves the same state. */
export function isIdempotent(effect: Effect): boolean {
  if (effect.spec.idempotent !== undefined) return effect.spec.idempotent;
  if (effect.kind === 'http')
    return effect.method === null || /^(GET|HEAD|OPTIONS|PUT|DELETE)$/.test(effect.method);
  switch (effect.op) {
    case 'insert':
    case 'increment':
    case 'publish':
    case 'send':
    case 'create':
    case 'charge':
      return false;
    case 'request':
      return effect.method === null || /^(GET|HEAD|OPTIONS|PUT|DELETE)$/.test(effect.method);
    default:
      return true;
  }
}

function memberName(node: Call | New): string | null {
  return node.callee.k === 'mem' ? node.callee.prop : node.callee.k === 'id' ? node.callee.name : null;
}
