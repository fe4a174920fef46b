/**
 * How long a call can take: defaults by version, its own options, its instance, its signal, what runs around it.
 * Owns the joining of bounds. `unknown` means that something unreadable may bound it: the caller abstains.
 */
import type { Expr } from '../facts/ir.ts';
import { uncast } from '../facts/walk.ts';
import type { BoundPart, Pack, TimeoutSpec, Versioned } from '../packs/contract.ts';
import { dirOf } from '../resolve/paths.ts';
import { pickVersion, satisfies } from '../resolve/versions.ts';
import type { Frames } from './frames.ts';
import { booleanOf, isNothing, numberOf, readOption } from './options.ts';
import type { SourceFile } from './project.ts';
import type { Site, Sites } from './sites.ts';
import type { Inst } from './values.ts';

/** Milliseconds; null: unbounded; `set`: given, but not a number that can be read. */
export type Bound = number | null | 'set';

export interface Bounds {
  readonly parts: Readonly<Partial<Record<BoundPart, Bound>>>;
  /** What gives the total bound, as a phrase; null when nothing does. */
  readonly by: string | null;
  /** Something unreadable may bound it. */
  readonly unknown: boolean;
  /** `timer`: fires by itself; `given`: handed in by a caller; `other`: its origin cannot be read. */
  readonly signal: 'timer' | 'given' | 'other' | null;
  /** Options that are written but that this library does not read. */
  readonly ignored: readonly string[];
  /** Parts that the code bounds itself, by options of the call or of its client, beside the total. */
  readonly set: readonly BoundPart[];
  /** Timers that are set but end nothing: they warn, or emit an event that nobody turns into an end. */
  readonly toothless: readonly string[];
  readonly version: string;
  readonly versionFrom: string;
}

export function versionOf(
  sites: Sites,
  file: SourceFile,
  pack: { packages: readonly string[]; assumedVersion: string },
): { version: string; from: string } {
  const found = sites.values.project.versions.of(dirOf(file.path), pack.packages[0] ?? '');
  return found
    ? { version: found.version, from: found.from }
    : { version: pack.assumedVersion, from: 'assumed' };
}

/** The entry that holds for the version of a pack's library that a file has. */
export function atVersion<T>(
  sites: Sites,
  file: SourceFile,
  pack: { packages: readonly string[]; assumedVersion: string },
  entries: readonly Versioned<T>[],
): T | null {
  return pickVersion(entries, versionOf(sites, file, pack).version) ?? null;
}

export class BoundsReader {
  constructor(
    private readonly sites: Sites,
    private readonly frames: Frames,
  ) {}

  of(site: Site): Bounds | null {
    const spec = site.effect?.spec.timeout;
    const pack = site.effect?.pack;
    if (!spec || !pack) return null;
    const { version, from } = versionOf(this.sites, site.file, pack);
    const parts: Partial<Record<BoundPart, Bound>> = { ...(pickVersion(spec.defaults, version) ?? {}) };
    let by: string | null = typeof parts.total === 'number' ? `${pack.packages[0]} ${version} default` : null;
    let unknown = false;
    const set = new Set<BoundPart>();
    const toothless: string[] = [];
    // The instance's options, from the oldest to the newest, then the call's own.
    const recv = site.target.k === 'lib' ? site.target.recv : null;
    for (const inst of lineage(recv)) {
      if (!inst.origin) continue;
      for (const option of spec.instance ?? []) {
        const read = readOption(this.sites.values, inst.origin.file, inst.origin.call, option);
        if (read.k === 'unknown') unknown = true;
        if (read.k !== 'value' || !inRange(option.range, version)) continue;
        if (isObject(uncast(read.expr))) continue;
        const bound = this.milliseconds(read.file, read.expr, option.unit);
        if (option.needs && !this.truthy(inst, option.arg, option.needs)) {
          if (bound !== null) toothless.push(option.path);
          continue;
        }
        parts[option.bounds] = bound;
        if (bound !== null && option.bounds !== 'total') set.add(option.bounds);
        if (option.bounds === 'total' && bound !== null) by = 'the client it is made on';
      }
    }
    for (const option of recv ? (spec.assigned ?? []) : []) {
      const bound = this.assignedBound(site, recv as Inst, option.path);
      if (bound === undefined) continue;
      parts[option.bounds] = bound;
      if (option.bounds === 'total' && bound !== null) by = 'the client it is made on';
    }
    if (!by && recv && !originKnown(recv) && (spec.instance?.length ?? 0) > 0) unknown = true;
    for (const option of spec.call ?? []) {
      const read = readOption(this.sites.values, site.file, site.node, option);
      if (read.k === 'unknown' && inRange(option.range, version)) unknown = true;
      if (read.k !== 'value' || !inRange(option.range, version)) continue;
      if (isObject(uncast(read.expr))) continue;
      const bound = this.milliseconds(read.file, read.expr, option.unit);
      parts[option.bounds] = bound;
      if (bound !== null && option.bounds !== 'total') set.add(option.bounds);
      if (option.bounds === 'total') by = bound === null ? null : `its \`${option.path || 'timeout'}\``;
    }
    for (const link of site.chain)
      if (link.refines === 'timeout' || link.refines === 'signal') {
        parts.total = 'set';
        by = `.${link.name}()`;
      }
    let signal: Bounds['signal'] = null;
    for (const at of spec.signal ?? []) {
      const read = readOption(this.sites.values, site.file, site.node, at);
      if (read.k === 'unknown') unknown = true;
      if (read.k !== 'value' || isNothing(uncast(read.expr))) continue;
      signal = this.signalKind(read.file, read.expr, 0);
      if (signal === 'timer') {
        parts.total = this.signalTime(read.file, read.expr) ?? 'set';
        by = 'its abort signal';
      }
    }
    const around = this.policyAround(site);
    if (around === 'bounded') {
      parts.total ??= 'set';
      by ??= 'the call around it';
      if (parts.total === null) parts.total = 'set';
    } else if (around === 'unknown') unknown = true;
    if (spec.timerEvent && parts.total === null) {
      const ended = this.endedByTimer(site, spec.timerEvent, set.has('idle'));
      if (ended === 'ended') {
        parts.total = 'set';
        by = 'its timeout listener';
      } else if (ended === 'unknown') unknown = true;
      else if (ended === 'toothless') toothless.push('timeout');
    }
    const ignored = (spec.ignored ?? [])
      .filter(
        (at) =>
          inRange(at.range, version) && readOption(this.sites.values, site.file, site.node, at).k === 'value',
      )
      .map((at) => at.path);
    return { parts, by, unknown, signal, ignored, set: [...set], toothless, version, versionFrom: from };
  }

  /** `client.defaults.timeout = n` in the file of the call or of the client; undefined when nothing is assigned there. */
  private assignedBound(site: Site, recv: Inst, path: string): Bound | undefined {
    const names = path.split('.');
    const last = names.at(-1) ?? '';
    const origins = lineage(recv).map((i) => i.origin?.call ?? null);
    const files = new Set([site.file, ...lineage(recv).flatMap((i) => (i.origin ? [i.origin.file] : []))]);
    for (const file of files) {
      for (const { op, target, value } of file.index.assigned.get(last) ?? []) {
        if (op !== '=') continue;
        let obj: Expr = uncast(target.obj);
        let matches = true;
        for (const name of names.slice(0, -1).reverse()) {
          if (obj.k !== 'mem' || obj.prop !== name) matches = false;
          else obj = uncast(obj.obj);
        }
        if (!matches) continue;
        const of = this.sites.values.of(file, obj);
        const made = of.k === 'inst' ? (of.origin?.call ?? null) : null;
        const same =
          of.k === 'inst'
            ? origins.includes(made) || (made === null && origins.every((o) => o === null))
            : of.k === 'ext' && of.pack === recv.pack;
        if (same) return this.milliseconds(file, value, undefined);
      }
    }
    return undefined;
  }

  /** What becomes of a timer that only emits an event: a listener that ends the call, none, or one that cannot be read. */
  private endedByTimer(
    site: Site,
    timer: NonNullable<TimeoutSpec['timerEvent']>,
    optionSet: boolean,
  ): 'ended' | 'toothless' | 'unknown' | 'none' {
    const { file, node } = site;
    const links: { name: string; args: readonly Expr[] }[] = site.chain.map((l) => ({
      name: l.name,
      args: l.node.args,
    }));
    const binding = boundName(file, site.top);
    if (binding >= 0)
      for (const list of file.index.calls)
        for (const call of list)
          if (call.k === 'call' && call.callee.k === 'mem') {
            const obj = uncast(call.callee.obj);
            // `req.setTimeout(…)`, and chains that start at the name.
            let root: Expr = obj;
            while (root.k === 'call' && root.callee.k === 'mem') root = uncast(root.callee.obj);
            if (root.k === 'id' && root.b === binding)
              links.push({ name: call.callee.prop, args: call.args });
          }
    let timed = optionSet;
    for (const { name, args } of links) {
      const listener =
        name === timer.setter
          ? args[1]
          : (name === 'on' || name === 'once') && args[0]?.k === 'lit' && args[0].value === timer.event
            ? args[1]
            : undefined;
      if (name === timer.setter) timed = true;
      if (!listener) continue;
      const value = this.sites.values.of(file, listener);
      if (value.k !== 'fn') return 'unknown';
      const fact = value.file.facts.functions[value.fn];
      const text = fact ? value.file.text.slice(fact.s, fact.e) : '';
      if (timer.ends.some((end) => new RegExp(`\\b${end}\\s*\\(`).test(text))) return 'ended';
      // A listener that rejects at least lets the caller go on.
      if (/\breject\s*\(|\bthrow\b|\bcallback\s*\(|\bcb\s*\(/.test(text)) return 'ended';
      if (timed) return 'toothless';
    }
    if (timed) return 'toothless';
    // Handed to somebody else, it may get a timer there.
    if (binding < 0 && !isStatementAlone(file, site.top)) return 'unknown';
    return binding >= 0 &&
      /\bsetTimeout\s*\([^;]*?(?:destroy|abort)/s.test(file.text.slice(node.s, node.s + 4000))
      ? 'ended'
      : 'none';
  }

  /**
   * What bounds every call of a client, from where it is made; null when the library's clients take no total bound
   * there. `spec` is that of a call whose own options say nothing.
   */
  ofClient(inst: Inst): { readonly spec: TimeoutSpec; readonly bounds: Bounds } | null {
    const { origin, pack } = inst;
    const spec = origin ? clientSpec(pack, inst.type) : null;
    if (!origin || !spec) return null;
    const { version, from } = versionOf(this.sites, origin.file, pack);
    const parts: Partial<Record<BoundPart, Bound>> = { ...(pickVersion(spec.defaults, version) ?? {}) };
    let unknown = origin.call.args.some((a) => a.k === 'spread');
    const set = new Set<BoundPart>();
    const toothless: string[] = [];
    let by: string | null = null;
    for (const at of lineage(inst)) {
      if (!at.origin) continue;
      for (const option of spec.instance ?? []) {
        const read = readOption(this.sites.values, at.origin.file, at.origin.call, option);
        if (read.k === 'unknown') unknown = true;
        if (read.k !== 'value' || !inRange(option.range, version) || isObject(uncast(read.expr))) continue;
        const bound = this.milliseconds(read.file, read.expr, option.unit);
        if (option.needs && !this.truthy(at, option.arg, option.needs)) {
          if (bound !== null) toothless.push(option.path);
          continue;
        }
        parts[option.bounds] = bound;
        if (bound === null) continue;
        if (option.bounds === 'total') by = 'the client';
        else set.add(option.bounds);
      }
    }
    for (const option of spec.assigned ?? []) {
      const names = option.path.split('.');
      if (new RegExp(`\\.${names.join('\\s*\\.\\s*')}\\s*=`).test(origin.file.text)) unknown = true;
    }
    // An interceptor or middleware may bound each call.
    if (
      /interceptors\s*\.\s*request|middlewareStack/.test(origin.file.text) &&
      /timeout|signal|cancelToken/i.test(origin.file.text.replace(/\btimeout\s*:/g, ''))
    )
      unknown = true;
    return {
      spec,
      bounds: {
        parts,
        by,
        unknown,
        signal: null,
        ignored: [],
        set: [...set],
        toothless,
        version,
        versionFrom: from,
      },
    };
  }

  private truthy(inst: Inst, arg: number | 'last', path: string): boolean {
    if (!inst.origin) return false;
    const read = readOption(this.sites.values, inst.origin.file, inst.origin.call, { arg, path });
    return (
      read.k === 'unknown' ||
      (read.k === 'value' && booleanOf(this.sites.values, read.file, read.expr) !== false)
    );
  }

  private milliseconds(file: SourceFile, expr: Expr, unit: 'ms' | 's' | undefined): Bound {
    const inner = uncast(expr);
    if (isNothing(inner) || (inner.k === 'lit' && inner.value === false)) return null;
    const n = numberOf(this.sites.values, file, expr);
    if (n === null) return 'set';
    if (n === 0 || !Number.isFinite(n)) return null;
    return unit === 's' ? n * 1000 : n;
  }

  /** Where an abort signal comes from. */
  signalKind(file: SourceFile, expr: Expr, depth: number): 'timer' | 'given' | 'other' {
    if (depth > 8) return 'other';
    const inner = uncast(expr);
    if (inner.k === 'cond') {
      const yes = isNothing(uncast(inner.yes)) ? null : this.signalKind(file, inner.yes, depth + 1);
      const no = isNothing(uncast(inner.no)) ? null : this.signalKind(file, inner.no, depth + 1);
      return yes === 'timer' || no === 'timer' ? 'timer' : (yes ?? no ?? 'other');
    }
    if (inner.k === 'bin') {
      const l = this.signalKind(file, inner.l, depth + 1);
      const r = this.signalKind(file, inner.r, depth + 1);
      return l === 'timer' || r === 'timer' ? 'timer' : l === 'given' ? l : r;
    }
    if (inner.k === 'call') {
      const target = this.sites.target(file, inner);
      if (target.k === 'builtin' && target.name === 'AbortSignal.timeout') return 'timer';
      if (target.k === 'builtin' && target.name === 'AbortSignal.any') {
        const list = inner.args[0];
        const items = list?.k === 'arr' ? list.items : [];
        const kinds = items.map((i) => this.signalKind(file, i.k === 'spread' ? i.arg : i, depth + 1));
        return kinds.includes('timer') ? 'timer' : kinds.includes('given') ? 'given' : 'other';
      }
      if (target.k === 'fn') {
        // A helper that makes the signal: look whether it arms a timer.
        const { file: at, fn } = target.value;
        const fact = at.facts.functions[fn];
        const text = fact ? at.text.slice(fact.s, fact.e) : '';
        return /AbortSignal\.timeout|setTimeout/.test(text) ? 'timer' : 'other';
      }
      return 'other';
    }
    if (inner.k === 'mem' && inner.prop === 'signal' && inner.obj.k === 'id') {
      const binding = file.facts.bindings[inner.obj.b];
      if (binding?.decl?.k === 'param') return 'given';
      if (binding?.decl?.k === 'init' && this.timerAborts(file, inner.obj.b)) return 'timer';
      if (binding?.decl?.k === 'init' && uncast(binding.decl.init).k === 'call') return 'timer';
      return 'other';
    }
    if (inner.k === 'mem' && inner.prop === 'signal')
      return /req|request|ctx|context|c$/i.test(file.text.slice(inner.obj.s, inner.obj.e))
        ? 'given'
        : 'other';
    if (inner.k === 'id') {
      const binding = file.facts.bindings[inner.b];
      if (binding?.decl?.k === 'param') return 'given';
      if (binding?.decl?.k === 'init') {
        if (binding.decl.path.length === 0) return this.signalKind(file, binding.decl.init, depth + 1);
        const from = uncast(binding.decl.init);
        if (from.k === 'id' && this.timerAborts(file, from.b)) return 'timer';
        if (from.k === 'new' || from.k === 'call') return this.timerAbortsAny(file) ? 'timer' : 'other';
      }
    }
    return 'other';
  }

  /** `setTimeout(() => controller.abort(), …)` somewhere for this controller. */
  private timerAborts(file: SourceFile, binding: number): boolean {
    const name = file.facts.bindings[binding]?.name;
    if (!name) return false;
    return new RegExp(`setTimeout\\([^;]*?\\b${name.replace(/\$/g, '\\$')}\\s*\\.\\s*abort`, 's').test(
      file.text,
    );
  }

  private timerAbortsAny(file: SourceFile): boolean {
    return /setTimeout\([^;]*?\babort\b/s.test(file.text);
  }

  private signalTime(file: SourceFile, expr: Expr): number | null {
    const inner = uncast(expr);
    if (inner.k === 'id') {
      const decl = file.facts.bindings[inner.b]?.decl;
      return decl?.k === 'init' && decl.path.length === 0 ? this.signalTime(file, decl.init) : null;
    }
    if (inner.k !== 'call') return null;
    const target = this.sites.target(file, inner);
    if (target.k !== 'builtin') return null;
    if (target.name === 'AbortSignal.timeout' && inner.args[0])
      return numberOf(this.sites.values, file, inner.args[0]);
    if (target.name === 'AbortSignal.any' && inner.args[0]?.k === 'arr') {
      const times = inner.args[0].items
        .map((i) => this.signalTime(file, i))
        .filter((n): n is number => n !== null);
      return times.length > 0 ? Math.min(...times) : null;
    }
    return null;
  }

  /** A policy that ends waiting: a timeout wrapper, a race against a timer, an effect system. */
  private policyAround(site: Site): 'bounded' | 'unknown' | null {
    const { file } = site;
    for (let at = file.index.parent(site.node); at; at = file.index.parent(at)) {
      if (at.k !== 'call') continue;
      const target = this.sites.target(file, at);
      if (target.k === 'builtin' && target.name === 'Promise.race') return 'bounded';
      if (target.k === 'lib' && target.spec.callbacks?.some((c) => c.role === 'timeout')) return 'bounded';
      if (
        target.k === 'fn' &&
        /timeout|deadline/i.test(target.value.file.facts.functions[target.value.fn]?.name ?? '')
      )
        return 'bounded';
      if (
        (target.k === 'unresolved' || target.k === 'package') &&
        /timeout|deadline/i.test(calleeText(file, at.callee))
      )
        return 'bounded';
    }
    for (const frame of this.frames.around(file, site.node, site.fn)) {
      if (frame.k !== 'callback') continue;
      if (frame.roles.has('timeout')) return 'bounded';
      if (/timeout|deadline/i.test(calleeText(file, frame.call.callee))) return 'bounded';
      if (!frame.resolved && /^(Effect|pipe|Micro|ZIO|TE|IO)\b/.test(calleeText(file, frame.call.callee)))
        return 'unknown';
    }
    return null;
  }
}

function calleeText(file: SourceFile, callee: Expr): string {
  return file.text.slice(callee.s, callee.e);
}

/** An instance and those it came from, oldest first. */
export function lineage(inst: Inst | null): Inst[] {
  const out: Inst[] = [];
  for (let at = inst; at; at = at.from) out.unshift(at);
  return out;
}

function originKnown(inst: Inst): boolean {
  return lineage(inst).some((i) => i.origin !== null || i.shared);
}

export function inRange(range: string | undefined, version: string): boolean {
  return range === undefined || satisfies(version, range);
}

/** Phases of a timeout object are options of their own. */
function isObject(expr: Expr): boolean {
  return expr.k === 'obj';
}

/** The binding that an expression is the initialiser or the new value of; -1 when there is none. */
function boundName(file: SourceFile, top: Expr): number {
  const parent = file.index.parent(top);
  if (parent?.k === 'var') {
    const decl = parent.decls.find((d) => d.init === top);
    return decl?.target.k === 'pid' ? decl.target.b : -1;
  }
  if (parent?.k === 'asg' && parent.target.k === 'id') return parent.target.b;
  return -1;
}

function isStatementAlone(file: SourceFile, top: Expr): boolean {
  return file.index.parent(top)?.k === 'expr';
}

const clientSpecs = new WeakMap<Pack, Map<string, TimeoutSpec | null>>();
/** The timeout of a client's calls, where its maker takes a total bound. */
export function clientSpec(pack: Pack, type: string): TimeoutSpec | null {
  let known = clientSpecs.get(pack);
  if (!known) clientSpecs.set(pack, (known = new Map()));
  const cached = known.get(type);
  if (cached !== undefined) return cached;
  const found = findSpec(pack, type, 0);
  const usable = found?.instance?.some((o) => o.bounds === 'total') ? found : null;
  known.set(type, usable);
  return usable;
}

function findSpec(pack: Pack, type: string, depth: number): TimeoutSpec | null {
  const spec = pack.types[type];
  if (!spec || depth > 4 || (depth === 0 && spec.role !== 'client')) return null;
  for (const member of [...Object.values(spec.members ?? {}), ...(spec.rest ? [spec.rest] : [])]) {
    const effect = member.call?.effect;
    // Stores bound their commands one by one, and some connections wait on purpose.
    if (effect?.timeout && (effect.kind === 'db' || effect.kind === 'cache' || effect.kind === 'connection'))
      return null;
    if (effect?.timeout) return effect.timeout;
    const nested = member.type && member.type !== type ? findSpec(pack, member.type, depth + 1) : null;
    if (nested) return nested;
  }
  return spec.extends ? findSpec(pack, spec.extends, depth + 1) : null;
}
