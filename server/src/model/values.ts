/**
 * What an expression stands for, without types: follows names through initialisers, imports, classes, parameters,
 * factories and annotations, across files. Owns evaluation and its limits. What cannot be followed is a value of its
 * own (`unknown`, or a member of one), never a guess.
 */
import type { Binding, Call, Decl, Expr, New, PathStepFact, TypeRef } from '../facts/ir.ts';
import { uncast, walk } from '../facts/walk.ts';
import type { CallbackSpec, CallSpec, MemberSpec, Pack } from '../packs/contract.ts';
import { CyclicMemo, type MemoTable } from './cyclicMemo.ts';
import { inherited, memberOf, typeOf, type PackIndex } from './packIndex.ts';
import type { Project, SourceFile } from './project.ts';

export interface Origin {
  readonly file: SourceFile;
  readonly call: Call | New;
}

export interface Inst {
  readonly k: 'inst';
  readonly pack: Pack;
  readonly type: string;
  /** The call that made it; null when it was reached through a type or a module. */
  readonly origin: Origin | null;
  /** The instance it was taken or made from. */
  readonly from: Inst | null;
  /** Property through which it was reached from `from` (`user` in `prisma.user`). */
  readonly via: string | null;
  /** First type argument by name: `Repository<Order>` → `Order`. */
  readonly entity: string | null;
  /** The library's own ready-made instance (`axios`, `got`): nobody gave it options. */
  readonly shared?: true;
  /** The local class that inherits the type: its own members come first. */
  readonly own?: SelfValue;
}
export interface Method {
  readonly k: 'method';
  readonly pack: Pack;
  readonly spec: MemberSpec;
  readonly recv: Inst | null;
  readonly name: string;
}
export interface FnValue {
  readonly k: 'fn';
  readonly file: SourceFile;
  readonly fn: number;
  readonly self: SelfValue | null;
}
export interface SelfValue {
  readonly k: 'self';
  readonly file: SourceFile;
  readonly cls: number;
}
export type Value =
  | Inst
  | Method
  | FnValue
  | SelfValue
  | { readonly k: 'ext'; readonly pkg: string; readonly pack: Pack | null; readonly path: string }
  | { readonly k: 'cls'; readonly file: SourceFile; readonly cls: number }
  | { readonly k: 'node'; readonly file: SourceFile; readonly expr: Expr }
  | { readonly k: 'ns'; readonly file: SourceFile }
  | { readonly k: 'global'; readonly name: string }
  | { readonly k: 'shape'; readonly file: SourceFile; readonly type: TypeRef }
  | {
      readonly k: 'param';
      readonly file: SourceFile;
      readonly fn: number;
      readonly index: number;
      readonly path: readonly PathStepFact[];
    }
  | { readonly k: 'of'; readonly base: Value; readonly prop: string }
  | { readonly k: 'ret'; readonly callee: Value; readonly file: SourceFile; readonly call: Call | New }
  | { readonly k: 'unknown' };

export const UNKNOWN: Value = { k: 'unknown' };
const MAX_DEPTH = 40;
const MAX_RETURNS = 8;

const KNOWN = new Set(['inst', 'method', 'fn', 'self', 'cls', 'ns', 'ext']);
/** True when following further cannot tell more. */
export function isKnown(value: Value): boolean {
  return KNOWN.has(value.k);
}

export class Values {
  private readonly memo = new CyclicMemo<Value>(UNKNOWN, MAX_DEPTH);
  private readonly exprs: MemoTable<Expr, Value> = new WeakMap();
  private readonly bindings: MemoTable<Binding, Value> = new WeakMap();
  private readonly exported: MemoTable<string, Value> = new Map();
  private readonly fields = new WeakMap<SourceFile, Map<number, Map<string, Expr[]>>>();
  /** Annotations of parameters that are being read, with the level of the evaluation that reads them. */
  private readonly typing = new Map<TypeRef, number>();

  constructor(
    readonly project: Project,
    readonly packs: PackIndex,
  ) {}

  of(file: SourceFile, expr: Expr): Value {
    return this.memo.once(this.exprs, expr, () => this.evaluate(file, expr));
  }

  private evaluate(file: SourceFile, expr: Expr): Value {
    switch (expr.k) {
      case 'id': {
        const binding = file.facts.bindings[expr.b];
        if (binding) return this.binding(file, binding);
        const global = this.packs.global(expr.name);
        if (global) return this.fromSpec(global.pack, global.spec, expr.name);
        if (expr.name === 'undefined') return { k: 'node', file, expr };
        return { k: 'global', name: expr.name };
      }
      case 'mem':
        return this.member(this.of(file, expr.obj), expr.prop);
      case 'call':
        return this.call(file, expr);
      case 'new':
        return this.construct(file, expr);
      case 'tag': {
        const tag = this.of(file, expr.tag);
        const spec = this.tagSpec(tag);
        if (spec?.spec.returns && tag.k === 'inst') return this.returned(spec.spec, tag, null, file);
        return UNKNOWN;
      }
      case 'await':
        return this.of(file, expr.arg);
      case 'as': {
        const inner = this.of(file, expr.arg);
        return isKnown(inner) || !expr.type ? inner : this.orElse(this.type(file, expr.type), inner);
      }
      case 'this':
        return expr.cls < 0
          ? UNKNOWN
          : inStatic(file, expr)
            ? { k: 'cls', file, cls: expr.cls }
            : { k: 'self', file, cls: expr.cls };
      case 'super': {
        const cls = file.facts.classes[expr.cls];
        return cls?.extends ? this.instanceOf(this.of(file, cls.extends), null) : UNKNOWN;
      }
      case 'fn':
        return { k: 'fn', file, fn: expr.fn, self: null };
      case 'cls':
        return { k: 'cls', file, cls: expr.cls };
      case 'asg':
        return expr.op === '=' || expr.op === '??=' || expr.op === '||='
          ? this.of(file, expr.value)
          : UNKNOWN;
      case 'cond':
        return this.orElse(this.of(file, expr.yes), this.of(file, expr.no));
      case 'bin':
        if (expr.op === '??' || expr.op === '||')
          return this.orElse(this.of(file, expr.l), this.of(file, expr.r));
        if (expr.op === '&&') return this.of(file, expr.r);
        return { k: 'node', file, expr };
      case 'import': {
        const arg = expr.arg;
        return arg.k === 'lit' && typeof arg.value === 'string' ? this.module(file, arg.value, '*') : UNKNOWN;
      }
      case 'lit':
      case 'obj':
      case 'arr':
      case 'tmpl':
        return { k: 'node', file, expr };
      case 'un':
        return expr.op === '-' ? { k: 'node', file, expr } : UNKNOWN;
      case 'other':
        return expr.what === 'seq' && expr.kids.length > 0
          ? this.of(file, expr.kids.at(-1) as Expr)
          : UNKNOWN;
      case 'idx': {
        const base = this.of(file, expr.obj);
        return base.k === 'inst' ? this.member(base, '*') : UNKNOWN;
      }
      default:
        return UNKNOWN;
    }
  }

  private orElse(a: Value, b: Value): Value {
    if (isKnown(a)) return a;
    if (isKnown(b)) return b;
    return a.k === 'unknown' || (a.k === 'node' && a.expr.k === 'lit' && a.expr.value === null) ? b : a;
  }

  // ---- names

  binding(file: SourceFile, binding: Binding): Value {
    return this.memo.once(this.bindings, binding, () => this.bound(file, binding));
  }

  private bound(file: SourceFile, binding: Binding): Value {
    let value = binding.decl ? this.declared(file, binding.decl) : UNKNOWN;
    if (!isKnown(value) && binding.kind !== 'param' && binding.kind !== 'import')
      for (const write of binding.writes.slice(0, 4)) {
        const written = write ? this.of(file, write) : UNKNOWN;
        if (isKnown(written)) {
          value = written;
          break;
        }
      }
    // A name that is written again does not keep a literal value.
    return value.k === 'node' && binding.writes.length > 0 ? UNKNOWN : value;
  }

  private declared(file: SourceFile, decl: Decl): Value {
    switch (decl.k) {
      case 'import':
        return this.module(file, decl.from, decl.name);
      case 'fn':
        return { k: 'fn', file, fn: decl.fn, self: null };
      case 'cls':
        return { k: 'cls', file, cls: decl.cls };
      case 'init': {
        const value = this.along(this.of(file, decl.init), decl.path, file, decl.init);
        if (isKnown(value) || !decl.type) return value;
        const typed = this.type(file, decl.type);
        // An options object stays readable whatever its type is called.
        if (value.k === 'node' && typed.k === 'ext') return value;
        return isKnown(typed) ? typed : value;
      }
      case 'param':
        return this.parameter(file, decl.fn, decl.index, decl.path, decl.type);
      case 'each': {
        const iter = this.of(file, decl.iter);
        if (iter.k === 'node' && iter.expr.k === 'arr' && iter.expr.items[0])
          return this.along(this.of(iter.file, iter.expr.items[0]), decl.path, file, null);
        return iter.k === 'inst' ? this.along(this.member(iter, '*item'), decl.path, file, null) : UNKNOWN;
      }
      default:
        return UNKNOWN;
    }
  }

  /** Follows a destructuring path. */
  private along(value: Value, path: readonly PathStepFact[], file: SourceFile, init: Expr | null): Value {
    let at = value;
    for (const [i, step] of path.entries()) {
      if (step === '...' || step === '*') return UNKNOWN;
      if (typeof step === 'number') {
        const inner: Expr | null = init ? uncast(init.k === 'await' ? init.arg : init) : null;
        const item = i === 0 && inner?.k === 'call' ? this.itemOf(file, inner, step) : null;
        if (item) {
          at = item;
          continue;
        }
        if (at.k === 'node' && at.expr.k === 'arr' && at.expr.items[step])
          at = this.of(at.file, at.expr.items[step]);
        else return UNKNOWN;
      } else at = this.member(at, step);
    }
    return at;
  }

  /** Elements of results: `const [a, b] = await Promise.all([f(), g()])` and tuples that packs declare. */
  private itemOf(file: SourceFile, call: Call, index: number): Value | null {
    const callee = this.of(file, call.callee);
    if (
      callee.k === 'of' &&
      callee.prop === 'all' &&
      callee.base.k === 'global' &&
      callee.base.name === 'Promise'
    ) {
      const list = call.args[0];
      const item = list?.k === 'arr' ? list.items[index] : undefined;
      return item ? this.of(file, item) : null;
    }
    const spec = this.callSpec(callee);
    const type = spec?.spec.returnsItems?.[index];
    if (!spec || !type) return null;
    const made = this.inst(spec.pack, type, { file, call }, spec.recv, spec.recv?.entity ?? null);
    return spec.recv?.own ? { ...made, own: spec.recv.own } : made;
  }

  private parameter(
    file: SourceFile,
    fn: number,
    index: number,
    path: readonly PathStepFact[],
    type: TypeRef | null,
  ): Value {
    if (type) {
      const typed = this.along(this.type(file, type), path, file, null);
      if (isKnown(typed)) return typed;
    }
    const given = this.givenParameter(file, fn, index);
    if (given) {
      const value = this.along(given, path, file, null);
      if (isKnown(value)) return value;
    }
    return { k: 'param', file, fn, index, path };
  }

  /** What the receiver of a callback hands to it. */
  private givenParameter(file: SourceFile, fn: number, index: number): Value | null {
    const site = file.index.argumentSite(fn);
    if (!site) return null;
    const callee = this.of(file, site.call.callee);
    const spec = this.callSpec(callee) ?? (site.call.k === 'new' ? this.constructorSpec(callee) : null);
    if (spec) {
      const callback = matchCallback(spec.spec.callbacks, site.arg, site.call.args.length, site.path);
      const given = callback?.params?.[index];
      if (given) return this.inst(spec.pack, given, { file, call: site.call }, spec.recv, null);
      return null;
    }
    if (callee.k === 'fn') return this.argumentGivenBy(callee, site.arg, site.path, index);
    return null;
  }

  /** A local function calls its parameter: what it hands over. */
  private argumentGivenBy(callee: FnValue, arg: number, path: string, index: number): Value | null {
    if (path !== '') return null;
    const fact = callee.file.facts.functions[callee.fn];
    const param = fact?.params[arg];
    if (!fact || !param) return null;
    const target = param.target.k === 'pdef' ? param.target.target : param.target;
    if (target.k !== 'pid' || target.b < 0) return null;
    let found: Value | null = null;
    for (const inner of callee.file.index.within(callee.fn)) {
      for (const call of callee.file.index.calls[inner.id] ?? []) {
        if (call.k !== 'call') continue;
        if (call.callee.k === 'id' && call.callee.b === target.b) {
          const given = call.args[index];
          if (given) found = this.of(callee.file, given);
        } else {
          // The function is handed on as it is: `return prisma.$transaction(fn)`.
          const at = call.args.findIndex(
            (a) => uncast(a).k === 'id' && (uncast(a) as { b: number }).b === target.b,
          );
          if (at < 0) continue;
          const next = this.of(callee.file, call.callee);
          const spec = this.callSpec(next);
          if (spec) {
            const type = matchCallback(spec.spec.callbacks, at, call.args.length, '')?.params?.[index];
            if (type) found = this.inst(spec.pack, type, { file: callee.file, call }, spec.recv, null);
          } else if (next.k === 'fn' && (next.fn !== callee.fn || next.file !== callee.file))
            found = this.argumentGivenBy(next, at, '', index);
        }
        if (found && isKnown(found)) return found;
      }
    }
    return found;
  }

  // ---- modules

  module(file: SourceFile, from: string, name: string): Value {
    const generated = this.packs.generated(from);
    if (
      generated &&
      (name === '*' ||
        name === '=' ||
        name === 'default' ||
        name in generated.exports ||
        (generated.typeNames && name in generated.typeNames) ||
        Object.keys(generated.exports).some((x) => x.startsWith(`${name}.`)))
    )
      return {
        k: 'ext',
        pkg: generated.packages[0] ?? from,
        pack: generated,
        path: name === '*' || name === '=' || name === 'default' ? '' : name,
      };
    const pack = this.packs.of(from);
    const resolved = this.project.modules.resolve(file.path, from);
    if (resolved.k === 'file') {
      const target = this.project.file(resolved.path);
      if (target) return this.moduleExport(target, name);
      if (!pack) return UNKNOWN;
    }
    return {
      k: 'ext',
      pkg: resolved.k === 'package' ? resolved.name : from,
      pack,
      path: name === '*' || name === '=' ? '' : name,
    };
  }

  private moduleExport(target: SourceFile, name: string): Value {
    if (name === '*') return { k: 'ns', file: target };
    if (name === '=') {
      const whole = target.facts.exports.some((x) => x.name === '=') ? this.export(target, '=') : UNKNOWN;
      return whole.k === 'unknown' ? { k: 'ns', file: target } : whole;
    }
    return this.export(target, name);
  }

  export(file: SourceFile, name: string): Value {
    return this.memo.once(this.exported, `${file.path}\0${name}`, () => this.findExport(file, name));
  }

  private findExport(file: SourceFile, name: string): Value {
    let stars: string[] | null = null;
    for (const x of file.facts.exports) {
      if (x.name === name) {
        if (x.from !== null) return this.module(file, x.from, x.imported ?? name);
        const binding = file.facts.bindings[x.local];
        if (binding) {
          const value = this.binding(file, binding);
          if (value.k !== 'unknown' || !x.expr) return value;
        }
        if (x.expr) return this.of(file, x.expr);
      } else if (x.name === '*' && x.from !== null) (stars ??= []).push(x.from);
    }
    // A package behind a star may hold any name; a file of the project that holds it is surer.
    let external: Value | null = null;
    for (const from of stars ?? []) {
      if (!this.mayExport(file, from, name)) continue;
      const value = this.module(file, from, name);
      if (!isKnown(value)) continue;
      if (value.k !== 'ext') return value;
      if (value.pack) external ??= value;
    }
    if (external) return external;
    const whole = file.facts.exports.find((x) => x.name === '=');
    if (whole?.expr) {
      const value = this.of(file, whole.expr);
      return name === 'default' ? value : this.member(value, name);
    }
    return UNKNOWN;
  }

  /** Barrels name many files: one whose text does not hold the name, nor stars of its own, need not be parsed. */
  private mayExport(file: SourceFile, from: string, name: string): boolean {
    const resolved = this.project.modules.resolve(file.path, from);
    if (resolved.k !== 'file') return true;
    const text = this.project.sourceText(resolved.path);
    return text !== null && (text.includes(name) || text.includes('export *') || text.includes('exports'));
  }

  // ---- members

  member(base: Value, prop: string): Value {
    switch (base.k) {
      case 'inst': {
        if (base.own) {
          const local = this.ownMember(base.own, prop);
          if (local) return local;
        }
        const spec = memberOf(base.pack, base.type, prop);
        if (!spec) return { k: 'of', base, prop };
        return this.fromMember(base, spec, prop);
      }
      case 'ext':
        return this.externalMember(base, prop);
      case 'ns': {
        const value = this.export(base.file, prop);
        return value.k === 'unknown' ? { k: 'of', base, prop } : value;
      }
      case 'self':
        return this.classMember(base, prop, false);
      case 'cls':
        return this.classMember({ k: 'self', file: base.file, cls: base.cls }, prop, true);
      case 'node':
        return this.literalMember(base.file, base.expr, prop) ?? { k: 'of', base, prop };
      case 'shape': {
        const type = base.type.members?.[prop];
        return type ? this.type(base.file, type) : { k: 'of', base, prop };
      }
      case 'param': {
        const path = [...base.path, prop];
        const type = base.file.facts.functions[base.fn]?.params[base.index]?.type;
        // An annotation can name the parameter it belongs to (`x: typeof x`): asking it again ends there.
        if (!type) return { ...base, path };
        const reader = this.typing.get(type);
        if (reader !== undefined) {
          this.memo.lean(reader);
          return { ...base, path };
        }
        this.typing.set(type, this.memo.current);
        const typed = this.along(this.type(base.file, type), path, base.file, null);
        this.typing.delete(type);
        return isKnown(typed) ? typed : { ...base, path };
      }
      case 'global':
        if (base.name === 'globalThis' || base.name === 'global' || base.name === 'window') {
          const global = this.packs.global(prop);
          return global ? this.fromSpec(global.pack, global.spec, prop) : { k: 'global', name: prop };
        }
        return { k: 'of', base, prop };
      default:
        return { k: 'of', base, prop };
    }
  }

  private fromMember(base: Inst, spec: MemberSpec, prop: string): Value {
    if (spec.type && !spec.call)
      return {
        k: 'inst',
        pack: base.pack,
        type: spec.type,
        origin: base.origin,
        from: base,
        via: prop,
        entity: base.entity ?? (typeOf(base.pack, spec.type)?.role === 'repository' ? prop : null),
        ...(base.own ? { own: base.own } : {}),
      };
    return { k: 'method', pack: base.pack, spec, recv: base, name: prop };
  }

  private externalMember(base: Value & { k: 'ext' }, prop: string): Value {
    if (!base.pack)
      return { k: 'ext', pkg: base.pkg, pack: null, path: base.path === '' ? prop : `${base.path}.${prop}` };
    if (base.path !== '') {
      const own = this.externalSpec(base);
      if (own?.type) {
        const through = memberOf(base.pack, own.type, prop);
        if (through) return this.fromMember(this.sharedInst(base.pack, own.type), through, prop);
      }
      if (base.path !== 'default') {
        const nested = `${base.path}.${prop}`;
        return { k: 'ext', pkg: base.pkg, pack: base.pack, path: nested };
      }
    } else if (!Object.hasOwn(base.pack.exports, prop)) {
      // `const axios = require('axios')`: the module is its default export.
      const own = base.pack.exports['default'];
      const through = own?.type ? memberOf(base.pack, own.type, prop) : null;
      if (own?.type && through) return this.fromMember(this.sharedInst(base.pack, own.type), through, prop);
    }
    return { k: 'ext', pkg: base.pkg, pack: base.pack, path: prop };
  }

  private literalMember(file: SourceFile, expr: Expr, prop: string): Value | null {
    if (expr.k !== 'obj') return null;
    for (let i = expr.props.length - 1; i >= 0; i--) {
      const p = expr.props[i];
      if (!p) continue;
      if (p.key === prop && p.kind !== 'set') {
        const value = this.of(file, p.value);
        return p.kind === 'get' && value.k === 'fn' ? this.result(value, null, file) : value;
      }
      if (p.kind === 'spread') {
        const spread = this.member(this.of(file, p.value), prop);
        if (isKnown(spread) || spread.k === 'node') return spread;
      }
    }
    return null;
  }

  private classMember(self: SelfValue, prop: string, isStatic: boolean): Value {
    const cls = self.file.facts.classes[self.cls];
    if (!cls) return UNKNOWN;
    for (const id of cls.methods) {
      const m = self.file.facts.functions[id];
      if (!m || m.name !== prop || m.static !== isStatic) continue;
      const fn: FnValue = { k: 'fn', file: self.file, fn: id, self };
      if (m.kind === 'getter') return this.result(fn, null, self.file);
      if (
        m.kind === 'method' &&
        (m.body.length > 0 ||
          m.exprBody ||
          !cls.methods.some((o) => o !== id && self.file.facts.functions[o]?.name === prop))
      )
        return fn;
    }
    let best: Value = UNKNOWN;
    for (const p of cls.props) {
      if (p.name !== prop || p.static !== isStatic) continue;
      if (p.init) best = this.of(self.file, p.init);
      if (!isKnown(best) && p.type) best = this.orElse(this.type(self.file, p.type), best);
      if (isKnown(best)) return best;
    }
    if (!isStatic) {
      const ctor = cls.methods
        .map((id) => self.file.facts.functions[id])
        .find((f) => f?.kind === 'constructor');
      for (const [i, p] of (ctor?.params ?? []).entries()) {
        const target = p.target.k === 'pdef' ? p.target.target : p.target;
        if (p.property && target.k === 'pid' && target.name === prop) {
          const given = this.parameter(self.file, ctor?.id ?? 0, i, [], p.type);
          // What it is when nobody hands in another one.
          return p.target.k === 'pdef' ? this.orElse(given, this.of(self.file, p.target.value)) : given;
        }
      }
      for (const written of this.fieldWrites(self).get(prop) ?? []) {
        const value = this.of(self.file, written);
        if (isKnown(value)) return value;
        if (best.k === 'unknown') best = value;
      }
    }
    if (cls.extends) {
      const parent = this.of(self.file, cls.extends);
      const inherited =
        parent.k === 'cls'
          ? this.classMember({ k: 'self', file: parent.file, cls: parent.cls }, prop, isStatic)
          : this.memberOfLibraryClass(parent, self, prop, isStatic);
      if (isKnown(inherited)) return inherited;
    }
    return best.k === 'unknown' ? { k: 'of', base: self, prop } : best;
  }

  /** A member that a local class inherits from a class of a library. */
  private memberOfLibraryClass(parent: Value, self: SelfValue, prop: string, isStatic: boolean): Value {
    const made = this.libraryInstance(parent, self, isStatic);
    if (!made) return isStatic ? UNKNOWN : this.member(this.instanceOf(parent, null), prop);
    const spec = memberOf(made.pack, made.type, prop);
    return spec ? this.fromMember(made, spec, prop) : UNKNOWN;
  }

  /** What a local class (or an instance of it) is to the library whose class it extends. */
  private libraryInstance(parent: Value, self: SelfValue, isStatic: boolean): Inst | null {
    const made = this.constructorSpec(parent);
    const construct =
      parent.k === 'inst'
        ? inherited(parent.pack, parent.type, 'construct')
        : parent.k === 'ext'
          ? this.externalSpec(parent)?.construct
          : parent.k === 'method'
            ? parent.spec.construct
            : undefined;
    const type = isStatic ? construct?.statics : construct?.type;
    if (!made || !type) return null;
    const name = self.file.facts.classes[self.cls]?.name ?? null;
    return { k: 'inst', pack: made.pack, type, origin: null, from: null, via: null, entity: name, own: self };
  }

  private ownMember(self: SelfValue, prop: string): Value | null {
    const cls = self.file.facts.classes[self.cls];
    if (!cls) return null;
    const declared = cls.methods.some((id) => {
      const m = self.file.facts.functions[id];
      return m?.name === prop && !m.static;
    });
    return declared ? this.classMember(self, prop, false) : null;
  }

  /** Values assigned to `this.x` anywhere in a class. */
  private fieldWrites(self: SelfValue): ReadonlyMap<string, readonly Expr[]> {
    let byClass = this.fields.get(self.file);
    if (!byClass) {
      byClass = new Map();
      for (const list of self.file.index.assigned.values())
        for (const { op, target, value } of list) {
          if (target.obj.k !== 'this' || op === '+=') continue;
          const fields = byClass.get(target.obj.cls) ?? new Map<string, Expr[]>();
          byClass.set(target.obj.cls, fields);
          const values = fields.get(target.prop) ?? [];
          fields.set(target.prop, values);
          values.push(value);
        }
      this.fields.set(self.file, byClass);
    }
    return byClass.get(self.cls) ?? new Map<string, Expr[]>();
  }

  // ---- calls

  private externalSpec(value: Value & { k: 'ext' }): MemberSpec | null {
    const pack = value.pack;
    if (!pack) return null;
    const path = value.path === '' ? 'default' : value.path;
    if (Object.hasOwn(pack.exports, path)) return pack.exports[path] ?? null;
    return pack.restExport ?? null;
  }

  private fromSpec(pack: Pack, spec: MemberSpec, name: string): Value {
    if (spec.type && !spec.call && !spec.construct) return this.sharedInst(pack, spec.type);
    return { k: 'method', pack, spec, recv: null, name };
  }

  /** How a value behaves when called; null when no pack says. */
  callSpec(value: Value): { pack: Pack; spec: CallSpec; recv: Inst | null; name: string } | null {
    if (value.k === 'method')
      return value.spec.call
        ? { pack: value.pack, spec: value.spec.call, recv: value.recv, name: value.name }
        : null;
    if (value.k === 'inst') {
      const call = inherited(value.pack, value.type, 'call');
      return call ? { pack: value.pack, spec: call, recv: value, name: value.via ?? value.type } : null;
    }
    if (value.k === 'ext') {
      const spec = this.externalSpec(value);
      if (!value.pack || !spec) return null;
      if (spec.call) return { pack: value.pack, spec: spec.call, recv: null, name: value.path || 'default' };
      const call = spec.type ? inherited(value.pack, spec.type, 'call') : undefined;
      return call && spec.type
        ? { pack: value.pack, spec: call, recv: this.sharedInst(value.pack, spec.type), name: value.path }
        : null;
    }
    return null;
  }

  tagSpec(value: Value): { pack: Pack; spec: CallSpec; recv: Inst | null; name: string } | null {
    if (value.k === 'method')
      return value.spec.tag
        ? { pack: value.pack, spec: value.spec.tag, recv: value.recv, name: value.name }
        : null;
    if (value.k === 'inst') {
      const tag = inherited(value.pack, value.type, 'tag');
      return tag ? { pack: value.pack, spec: tag, recv: value, name: value.via ?? value.type } : null;
    }
    if (value.k === 'ext') {
      const spec = this.externalSpec(value);
      if (!value.pack || !spec) return null;
      if (spec.tag) return { pack: value.pack, spec: spec.tag, recv: null, name: value.path };
      const tag = spec.type ? inherited(value.pack, spec.type, 'tag') : undefined;
      return tag && spec.type
        ? { pack: value.pack, spec: tag, recv: this.sharedInst(value.pack, spec.type), name: value.path }
        : null;
    }
    return null;
  }

  /** What `new` on a value does when a pack says so: the instance type, with the callbacks the constructor takes. */
  constructorSpec(value: Value): { pack: Pack; spec: CallSpec; type: string; recv: Inst | null } | null {
    if (value.k === 'inst') {
      const construct = inherited(value.pack, value.type, 'construct');
      return construct
        ? { pack: value.pack, spec: { returns: construct.type }, type: construct.type, recv: value }
        : null;
    }
    const spec = value.k === 'ext' ? this.externalSpec(value) : value.k === 'method' ? value.spec : null;
    const pack = value.k === 'ext' || value.k === 'method' ? value.pack : null;
    if (!pack || !spec?.construct) return null;
    return {
      pack,
      spec: spec.call ?? { returns: spec.construct.type },
      type: spec.construct.type,
      recv: value.k === 'method' ? value.recv : null,
    };
  }

  private call(file: SourceFile, call: Call): Value {
    if (call.callee.k === 'id' && call.callee.b < 0 && call.callee.name === 'require') {
      const arg = call.args[0];
      return arg?.k === 'lit' && typeof arg.value === 'string' ? this.module(file, arg.value, '=') : UNKNOWN;
    }
    if (call.callee.k === 'super') return UNKNOWN;
    const callee = this.of(file, call.callee);
    const spec = this.callSpec(callee);
    if (spec) return this.returned(spec.spec, spec.recv, call, file, spec.pack);
    if (callee.k === 'fn') {
      const made = this.result(callee, call, file);
      return (made.k === 'fn' && this.wrappedBy(made, callee, call, file)) || made;
    }
    if (
      callee.k === 'of' &&
      callee.base.k === 'global' &&
      callee.base.name === 'Object' &&
      callee.prop === 'freeze'
    )
      return call.args[0] ? this.of(file, call.args[0]) : UNKNOWN;
    if (callee.k === 'of' && (callee.prop === 'bind' || callee.prop === 'then')) {
      if (callee.prop === 'bind') return callee.base;
      const fn = call.args[0] ? this.of(file, call.args[0]) : UNKNOWN;
      return fn.k === 'fn' ? this.result(fn, null, file) : UNKNOWN;
    }
    return { k: 'ret', callee, file, call };
  }

  private returned(
    spec: CallSpec,
    recv: Inst | null,
    call: Call | New | null,
    file: SourceFile,
    pack = recv?.pack,
  ): Value {
    if (!pack || !spec.returns) {
      const callback = spec.callbacks?.find(
        (c) => c.role === 'transaction' || c.role === 'lock' || c.role === 'retry',
      );
      return callback && call ? this.callbackResult(callback, call, file) : UNKNOWN;
    }
    if (spec.returns === 'self') return recv ?? UNKNOWN;
    if (spec.returns === 'callback') {
      const callback = spec.callbacks?.[0];
      return callback && call ? this.callbackResult(callback, call, file) : UNKNOWN;
    }
    const entityArg = call?.args[0];
    const entity =
      (spec.resultEntity === 'argument' ? null : recv?.entity) ??
      (spec.resultEntity === 'receiver'
        ? null
        : entityArg?.k === 'id'
          ? entityArg.name
          : entityArg?.k === 'lit' && typeof entityArg.value === 'string'
            ? entityArg.value
            : null);
    const made = this.inst(pack, spec.returns, call ? { file, call } : null, recv, entity);
    return recv?.own ? { ...made, own: recv.own } : made;
  }

  /** `traced(work)`: a function that only calls the one it was given stands for that one. */
  private wrappedBy(made: FnValue, callee: FnValue, call: Call, file: SourceFile): FnValue | null {
    const outer = callee.file.facts.functions[callee.fn];
    const inner = made.file.facts.functions[made.fn];
    if (
      !outer ||
      !inner ||
      made.file !== callee.file ||
      inner.s < outer.s ||
      inner.e > outer.e ||
      inner === outer
    )
      return null;
    for (const [i, param] of outer.params.entries()) {
      const arg = call.args[i];
      if (!arg || param.target.k !== 'pid') continue;
      const { b } = param.target;
      const runs = made.file.index
        .within(made.fn)
        .some((f) =>
          (made.file.index.calls[f.id] ?? []).some(
            (c) =>
              c.k === 'call' &&
              ((c.callee.k === 'id' && c.callee.b === b) ||
                (c.callee.k === 'mem' &&
                  /^(?:call|apply)$/.test(c.callee.prop) &&
                  c.callee.obj.k === 'id' &&
                  c.callee.obj.b === b)),
          ),
        );
      if (!runs) continue;
      const value = this.of(file, arg);
      return value.k === 'fn' ? value : null;
    }
    return null;
  }

  private callbackResult(callback: CallbackSpec, call: Call | New, file: SourceFile): Value {
    const arg = call.args[callback.arg === 'last' ? call.args.length - 1 : callback.arg];
    const fn = arg ? this.of(file, arg) : UNKNOWN;
    return fn.k === 'fn' ? this.result(fn, null, file) : UNKNOWN;
  }

  private construct(file: SourceFile, expr: New): Value {
    const callee = this.of(file, expr.callee);
    if (callee.k === 'cls') return { k: 'self', file: callee.file, cls: callee.cls };
    const made = this.constructorSpec(callee);
    if (made) {
      const entity = expr.targs?.[0]?.name ?? made.recv?.entity ?? null;
      return this.inst(made.pack, made.type, { file, call: expr }, made.recv, entity);
    }
    return { k: 'ret', callee, file, call: expr };
  }

  /** The instance that a class value makes, without a construction site. */
  private instanceOf(value: Value, entity: string | null): Value {
    if (value.k === 'cls') return { k: 'self', file: value.file, cls: value.cls };
    const named =
      value.k === 'ext' && value.pack?.typeNames && Object.hasOwn(value.pack.typeNames, value.path)
        ? value.pack.typeNames[value.path]
        : undefined;
    if (value.k === 'ext' && value.pack && named) return this.inst(value.pack, named, null, null, entity);
    const made = this.constructorSpec(value);
    if (made && value.k !== 'inst') return this.inst(made.pack, made.type, null, null, entity);
    if (value.k === 'ext' && value.pack) {
      const name = value.path === 'default' || value.path === '' ? 'default' : value.path;
      const type = value.pack.typeNames?.[name] ?? name;
      if (typeOf(value.pack, type)) return this.inst(value.pack, type, null, null, entity);
    }
    return value;
  }

  private sharedInst(pack: Pack, type: string): Inst {
    return { ...this.inst(pack, type, null, null, null), shared: true };
  }

  inst(pack: Pack, type: string, origin: Origin | null, from: Inst | null, entity: string | null): Inst {
    return { k: 'inst', pack, type, origin, from, via: null, entity };
  }

  /** What a local function gives back; a parameter that comes straight back is taken from the call. */
  result(fn: FnValue, call: Call | null, file: SourceFile): Value {
    const fact = fn.file.facts.functions[fn.fn];
    if (!fact || fact.generator) return UNKNOWN;
    let best: Value = UNKNOWN;
    let seen = 0;
    for (const returned of returnsOf(fn.file, fn.fn)) {
      if (++seen > MAX_RETURNS) break;
      let value = this.of(fn.file, returned);
      if (call) value = this.substitute(value, fn, call, file);
      if (isKnown(value)) return value;
      if (best.k === 'unknown') best = value;
    }
    if (fact.ret) {
      const typed = this.type(fn.file, fact.ret);
      if (isKnown(typed)) return typed;
      if (best.k === 'unknown') best = typed;
    }
    return call ? this.orElse(best, this.producedBy(fn, call, file)) : best;
  }

  /** `once('db', () => new Client())`: a helper that keeps what the function it is given makes, and hands that out. */
  private producedBy(fn: FnValue, call: Call, file: SourceFile): Value {
    const fact = fn.file.facts.functions[fn.fn];
    if (!fact) return UNKNOWN;
    for (const [i, param] of fact.params.entries()) {
      const arg = call.args[i];
      if (arg?.k !== 'fn' || param.target.k !== 'pid') continue;
      const { b } = param.target;
      const called = (fn.file.index.calls[fn.fn] ?? []).some(
        (c) => c.k === 'call' && c.callee.k === 'id' && c.callee.b === b,
      );
      if (called) return this.result({ k: 'fn', file, fn: arg.fn, self: null }, null, file);
    }
    return UNKNOWN;
  }

  private substitute(value: Value, fn: FnValue, call: Call, file: SourceFile): Value {
    if (value.k === 'param' && value.file === fn.file && value.fn === fn.fn && value.path.length === 0) {
      const arg = call.args[value.index];
      return arg ? this.of(file, arg) : UNKNOWN;
    }
    if (
      value.k === 'ret' &&
      value.callee.k === 'param' &&
      value.callee.file === fn.file &&
      value.callee.fn === fn.fn
    ) {
      const arg = call.args[value.callee.index];
      const made = arg && value.callee.path.length === 0 ? this.of(file, arg) : UNKNOWN;
      return made.k === 'fn' ? this.result(made, null, file) : UNKNOWN;
    }
    return value;
  }

  // ---- types

  /** The instance that an annotation promises. */
  type(file: SourceFile, type: TypeRef): Value {
    return this.memo.nested(() => this.typeValue(file, type));
  }

  private typeValue(file: SourceFile, type: TypeRef): Value {
    if (
      type.name === 'Promise' ||
      type.name === 'Awaited' ||
      type.name === 'Readonly' ||
      type.name === 'Partial' ||
      type.name === 'Required' ||
      type.name === 'NonNullable' ||
      type.name === 'Omit' ||
      type.name === 'Pick'
    )
      return type.args[0] ? this.type(file, type.args[0]) : UNKNOWN;
    if (type.name === '|' || type.name === '&') {
      for (const part of type.args) {
        const value = this.type(file, part);
        if (isKnown(value)) return value;
      }
      const shape = type.args.find((a) => a.members);
      return shape ? { k: 'shape', file, type: shape } : UNKNOWN;
    }
    if (type.name === '{}') return { k: 'shape', file, type };
    if (type.name === 'typeof') {
      const inner = type.args[0];
      if (!inner) return UNKNOWN;
      const [head, ...rest] = inner.name.split('.');
      const binding = inner.b >= 0 ? file.facts.bindings[inner.b] : undefined;
      let value = binding
        ? this.binding(file, binding)
        : head
          ? ({ k: 'global', name: head } as Value)
          : UNKNOWN;
      for (const part of rest) value = this.member(value, part);
      return value;
    }
    if (type.name === 'ReturnType' || type.name === 'InstanceType') {
      const of = type.args[0] ? this.type(file, type.args[0]) : UNKNOWN;
      return of.k === 'fn' ? this.result(of, null, file) : this.instanceOf(of, null);
    }
    if (type.name.startsWith('import:')) {
      const [, from = '', name = ''] = /^import:(.*):([^:]*)$/.exec(type.name) ?? [];
      return this.instanceOf(this.module(file, from, name), null);
    }
    const binding = type.b >= 0 ? file.facts.bindings[type.b] : undefined;
    if (!binding) return UNKNOWN;
    const entity = type.args[0] ? entityName(type.args[0]) : null;
    const [, ...rest] = type.name.split('.');
    return this.typeOfBinding(file, binding, rest, entity);
  }

  private typeOfBinding(
    file: SourceFile,
    binding: Binding,
    rest: readonly string[],
    entity: string | null,
  ): Value {
    const decl = binding.decl;
    if (binding.kind === 'type') {
      if (decl?.k === 'type' && decl.type) return this.type(file, decl.type);
      const shape = file.facts.interfaces.find((i) => i.name === binding.name);
      if (!shape) return UNKNOWN;
      for (const parent of shape.extends) {
        const value = this.type(file, parent);
        if (isKnown(value)) return value;
      }
      return {
        k: 'shape',
        file,
        type: { name: '{}', args: [], b: -1, members: shape.members, s: binding.s, e: binding.s },
      };
    }
    if (decl?.k === 'import') {
      const resolved = this.project.modules.resolve(file.path, decl.from);
      if (resolved.k === 'file') {
        const target = this.project.file(resolved.path);
        if (target)
          return this.exportedType(target, decl.name === '*' ? (rest[0] ?? '*') : decl.name, entity, 0);
      }
    }
    let value = this.binding(file, binding);
    for (const part of rest) value = this.member(value, part);
    return this.instanceOf(value, entity);
  }

  private exportedType(file: SourceFile, name: string, entity: string | null, hops: number): Value {
    if (hops > 6) return UNKNOWN;
    for (const x of file.facts.exports) {
      if (x.name !== name && x.name !== '*') continue;
      if (x.from !== null) {
        const resolved = this.project.modules.resolve(file.path, x.from);
        const wanted = x.name === '*' ? name : (x.imported ?? name);
        if (x.name === '*' && !this.mayExport(file, x.from, name)) continue;
        if (resolved.k === 'file') {
          const target = this.project.file(resolved.path);
          const value = target ? this.exportedType(target, wanted, entity, hops + 1) : UNKNOWN;
          if (value.k !== 'unknown') return value;
        } else if (x.name !== '*') return this.instanceOf(this.module(file, x.from, wanted), entity);
        continue;
      }
      if (x.name === '*') continue;
      const binding = file.facts.bindings[x.local];
      if (binding) return this.typeOfBinding(file, binding, [], entity);
      if (x.expr) return this.instanceOf(this.of(file, x.expr), entity);
    }
    return UNKNOWN;
  }
}

function entityName(type: TypeRef): string | null {
  return /^[\w$.]+$/.test(type.name) ? (type.name.split('.').at(-1) ?? null) : null;
}

export function matchCallback(
  list: readonly CallbackSpec[] | undefined,
  arg: number,
  count: number,
  path: string,
): CallbackSpec | null {
  return (
    list?.find(
      (c) =>
        (c.arg === 'last' ? arg === count - 1 : c.arg === arg) && ((c.path ?? '') === path || c.path === '*'),
    ) ?? null
  );
}

/** `this` in a static method is the class itself; arrows have the `this` of what surrounds them. */
function inStatic(file: SourceFile, expr: Expr): boolean {
  for (let fn = file.index.functionOf(expr); fn > 0; fn = file.facts.functions[fn]?.parent ?? 0) {
    const fact = file.facts.functions[fn];
    if (!fact || fact.cls >= 0 || fact.kind !== 'arrow')
      return fact?.static === true || fact?.kind === 'static-block';
  }
  return false;
}

const returnCache = new WeakMap<object, readonly Expr[]>();
/** Arguments of the `return` statements of a function, nested functions left out. */
export function returnsOf(file: SourceFile, fn: number): readonly Expr[] {
  const fact = file.facts.functions[fn];
  if (!fact) return [];
  const known = returnCache.get(fact);
  if (known) return known;
  const found: Expr[] = [];
  for (const st of fact.body)
    walk(st, (node) => {
      if (node.k === 'ret' && node.arg) found.push(node.arg);
    });
  returnCache.set(fact, found);
  return found;
}
