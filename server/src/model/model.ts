/**
 * The joined view of a project that rules, units and tables ask. Owns reach over the call graph; everything is derived
 * from facts when first asked for and dropped as a whole when a file changes.
 */
import type { FunctionFact } from '../facts/ir.ts';
import { BoundsReader } from './bounds.ts';
import { Frames } from './frames.ts';
import { NO_HINTS, type Hints } from './hints.ts';
import type { PackIndex } from './packIndex.ts';
import type { Project, SourceFile } from './project.ts';
import { Sites, type Site } from './sites.ts';
import { Values } from './values.ts';

/** A call site that running a function leads to, with the calls that lead there (outermost first, empty when direct). */
export interface Reached {
  readonly site: Site;
  readonly via: readonly Site[];
}

const MAX_REACH_DEPTH = 7;
const MAX_REACHED = 600;

export class Model {
  readonly values: Values;
  readonly sites: Sites;
  readonly frames: Frames;
  readonly bounds: BoundsReader;
  private readonly sitesInside = new WeakMap<object, readonly Site[]>();
  private readonly reached = new WeakMap<object, readonly Reached[]>();

  constructor(
    readonly project: Project,
    readonly packs: PackIndex,
    readonly hints: Hints = NO_HINTS,
  ) {
    this.values = new Values(project, packs);
    this.sites = new Sites(this.values);
    this.frames = new Frames(this.sites, hints);
    this.bounds = new BoundsReader(this.sites, this.frames);
  }

  /** A function and those written inside it (callbacks, helpers), in source order. */
  within(file: SourceFile, fn: number): readonly FunctionFact[] {
    const root = file.facts.functions[fn];
    return fn === 0 && root ? [root] : file.index.within(fn);
  }

  /** Sites of a function and of the functions written inside it, in source order. */
  sitesWithin(file: SourceFile, fn: number): readonly Site[] {
    const fact = file.facts.functions[fn];
    if (!fact) return [];
    const known = this.sitesInside.get(fact);
    if (known) return known;
    const inner = this.within(file, fn);
    const list =
      inner.length === 1
        ? this.sites.of(file, fn)
        : inner.flatMap((f) => this.sites.of(file, f.id)).sort((a, b) => a.node.s - b.node.s);
    this.sitesInside.set(fact, list);
    return list;
  }

  /**
   * Every site that running the function can lead to: its own, those of functions written inside it, and those of the
   * local functions it calls, up to seven calls deep.
   */
  reach(file: SourceFile, fn: number): readonly Reached[] {
    const fact = file.facts.functions[fn];
    if (!fact) return [];
    const known = this.reached.get(fact);
    if (known) return known;
    const out: Reached[] = [];
    const seen = new Set<FunctionFact>();
    const visit = (at: SourceFile, id: number, via: readonly Site[]): void => {
      const f = at.facts.functions[id];
      if (!f || seen.has(f) || out.length > MAX_REACHED) return;
      for (const inner of this.within(at, id)) seen.add(inner);
      for (const site of this.sitesWithin(at, id)) {
        out.push({ site, via });
        const { target } = site;
        if (via.length >= MAX_REACH_DEPTH) continue;
        if (target.k === 'fn') visit(target.value.file, target.value.fn, [...via, site]);
        // A local function handed on by name runs as part of this one: `withRetry(sendMail)`.
        if (site.node.k !== 'tag')
          for (const arg of site.node.args) {
            if (arg.k !== 'id' && arg.k !== 'mem') continue;
            const value = this.values.of(at, arg);
            if (value.k === 'fn') visit(value.file, value.fn, [...via, site]);
          }
      }
    };
    visit(file, fn, []);
    this.reached.set(fact, out);
    return out;
  }

  /** The named function (or class member, or module) that a callback is part of. */
  outermost(file: SourceFile, fn: number): number {
    let at = fn;
    for (let guard = 0; guard < 64; guard++) {
      const fact = file.facts.functions[at];
      if (!fact || fact.parent <= 0 || fact.cls >= 0) return at;
      at = fact.parent;
    }
    return at;
  }
}
