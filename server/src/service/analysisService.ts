/**
 * One analysed root: files in, findings, units and fixes out. Owns the life of the model (built lazily, dropped on
 * change), which files are judged, suppression and levels. Synchronous; callers yield between files.
 */
import type { Problem } from '../base/problem.ts';
import type { Preset } from '../base/vocabulary.ts';
import { createLevels, type Levels } from '../config/levels.ts';
import { loadConfig } from '../config/loadConfig.ts';
import type { ConfigRead } from '../config/parseConfig.ts';
import { CONFIG_FILE } from '../config/schema.ts';
import { createSourceFilter, type SourceFilter } from '../config/sourceFilter.ts';
import { applySuppressions, parseAccepts } from '../config/suppressions.ts';
import type { FunctionFact } from '../facts/ir.ts';
import type { FileHost } from '../host/fileHost.ts';
import type { Finding, Fix } from '../model/finding.ts';
import { readConstant } from '../model/constants.ts';
import { Model } from '../model/model.ts';
import { PackIndex } from '../model/packIndex.ts';
import { isBrowserPackage, LEFT_OUT, placeOf, placeOfPath, placeOfText } from '../model/place.ts';
import { Project, type SourceFile } from '../model/project.ts';
import { isTelling } from '../model/telling.ts';
import { dirOf } from '../resolve/paths.ts';
import type { Rule } from '../rules/_kit/rule.ts';
import { discoverUnits, type UnitRef } from '../units/discover.ts';
import { presenceAnswers, type PresenceAnswers } from '../types/presence.ts';
import type { Unit } from '../units/unit.ts';
import { callInfoAt } from './callInfo.ts';
import type {
  Analysis,
  CancelToken,
  CheckOptions,
  CheckResult,
  CodeRange,
  SuppressedFinding,
} from './contract.ts';
import { Importers, specifiersOf } from './importers.ts';
import { mergeRootCauses } from './rootCauses.ts';
import { needlessGuards, PRUNE_RULES, type NeedlessCode } from './needlessGuards.ts';
import { allFinders, allPacks, allRules } from './registry.ts';
import { secondParses } from './secondParse.ts';
import { runRules, type LiveFinding } from './runRules.ts';
import { unitOfFunction } from './unitOfFunction.ts';
import { functionsOf } from './unitSlices.ts';
import { viewUnit } from './unitView.ts';
import { whySilent } from './whySilent.ts';

export interface AnalysisSettings {
  /** Absolute, with `/`, without a slash at its end. */
  readonly root: string;
  readonly host: FileHost;
  /** Beats the config's. */
  readonly preset?: Preset;
  /** Also judge tests, examples, migrations, generated and browser code when a folder is checked. */
  readonly includeAll?: boolean;
  /** For tests: other rules than the shipped ones. */
  readonly rules?: readonly Rule[];
}

interface FileState {
  /** Findings before levels and suppression; null until the file is checked. */
  live: readonly LiveFinding[] | null;
  units: readonly UnitRef[] | null;
  /** Code that guards against what cannot be, types not asked; null until somebody asks. */
  needless: readonly NeedlessCode[] | null;
  readonly quarantined: Set<string>;
}

/** Above this many files a run first looks at texts to see which are worth parsing. */
const SMALL_RUN = 40;
const CONFIG_LIKE =
  /(?:^|\/)(?:package\.json|tsconfig[^/]*\.json|jsconfig\.json|pnpm-workspace\.yaml|[^/]*lock[^/]*)$/;

export function createAnalysis(settings: AnalysisSettings): Analysis {
  return new AnalysisService(settings);
}

class AnalysisService implements Analysis {
  readonly root: string;
  private readonly project: Project;
  private readonly packs = new PackIndex(allPacks);
  private readonly rules: readonly Rule[];
  private readonly ruleById: ReadonlyMap<string, Rule>;
  private model: Model;
  private readonly states = new Map<string, FileState>();
  private importers: Importers;
  private readonly browserPackages = new WeakMap<object, boolean>();
  private readonly ruleProblems = new Map<string, Problem>();
  private config: ConfigRead | null = null;
  private levels: Levels | null = null;
  private filter: SourceFilter | null = null;
  /** Units by the functions they reach; null until somebody asks after a change. */
  private reaching: Map<FunctionFact, UnitRef[]> | null = null;
  /** Loaded by the first question. */
  private types: PresenceAnswers | null = null;
  private readonly reachedFiles = new Set<string>();
  /** Files for which every module that leads to them has been noted. */
  private readonly ledTo = new Set<string>();

  constructor(private readonly settings: AnalysisSettings) {
    this.root = settings.root;
    this.project = new Project(settings.root, settings.host);
    this.rules = settings.rules ?? allRules;
    this.ruleById = new Map(this.rules.map((r) => [r.id, r]));
    this.model = this.newModel();
    this.importers = new Importers(this.project);
  }

  // ---- state

  setOverlay(file: string, text: string | null): void {
    if (text !== null && this.project.file(file)?.text === text) {
      this.project.keepOverlay(file, text);
      return;
    }
    const before = this.project.peekText(file);
    this.project.setOverlay(file, text);
    const after = this.project.peekText(file);
    if (imports(before) !== imports(after)) this.importers = new Importers(this.project);
    this.changed(file);
  }

  invalidate(files: readonly string[]): void {
    this.project.invalidate(files);
    this.importers = new Importers(this.project);
    for (const file of files) this.states.delete(file);
    if (files.some((f) => f === CONFIG_FILE)) {
      this.config = null;
      this.levels = null;
      this.filter = null;
    }
    if (files.some((f) => CONFIG_LIKE.test(f) || f === CONFIG_FILE)) this.states.clear();
    this.changed(null);
  }

  /** Everything derived may look across files: it is dropped, and rebuilt only as far as it is asked for. */
  private changed(file: string | null): void {
    this.model = this.newModel();
    this.reaching = null;
    this.reachedFiles.clear();
    this.ledTo.clear();
    this.types = null;
    this.states.clear();
    if (file) this.ruleProblems.clear();
  }

  private newModel(): Model {
    const { wrappers, timeouts } = this.configRead().config;
    return new Model(this.project, this.packs, { wrappers, timeouts });
  }

  private state(file: string): FileState {
    let state = this.states.get(file);
    if (!state) {
      state = { live: null, units: null, needless: null, quarantined: new Set() };
      this.states.set(file, state);
    }
    return state;
  }

  private configRead(): ConfigRead {
    return (this.config ??= loadConfig(
      this.settings.host,
      this.root,
      this.rules.map((r) => r.id),
    ));
  }

  private levelsNow(): Levels {
    return (this.levels ??= createLevels(this.configRead().config, this.settings.preset ?? null));
  }

  private filterNow(): SourceFilter {
    return (this.filter ??= createSourceFilter(this.configRead().config));
  }

  // ---- units

  units(files: readonly string[]): readonly Unit[] {
    return files.flatMap((f) => this.unitRefs(f).map((u) => u.unit));
  }

  private unitRefs(path: string): readonly UnitRef[] {
    const state = this.state(path);
    if (state.units) return state.units;
    const file = this.project.file(path);
    state.units = file ? discoverUnits(this.model, file, allFinders) : [];
    return state.units;
  }

  unitAt(file: string, offset: number): Unit | null {
    const within = this.unitRefs(file)
      .filter((u) => u.unit.startOffset <= offset && offset <= u.unit.endOffset)
      .sort((a, b) => a.unit.endOffset - a.unit.startOffset - (b.unit.endOffset - b.unit.startOffset));
    if (within[0]) return within[0].unit;
    const source = this.project.file(file);
    return source ? (unitOfFunction(this.model, source, offset)?.unit ?? null) : null;
  }

  unitOf(path: string, symbol: string): Unit | null {
    const unit = this.unitRefs(path).find((ref) => ref.unit.symbol === symbol)?.unit;
    if (unit) return unit;
    const file = this.project.file(path);
    for (const fact of file?.facts.functions ?? []) {
      if (!file || fact.name === null || !symbol.endsWith(fact.name)) continue;
      const found = unitOfFunction(this.model, file, fact.ns)?.unit;
      if (found?.symbol === symbol) return found;
    }
    return null;
  }

  /** Adds a file's units to the map from functions to the units that reach them. */
  private noteReach(path: string): Map<FunctionFact, UnitRef[]> {
    const map = (this.reaching ??= new Map<FunctionFact, UnitRef[]>());
    if (this.reachedFiles.has(path)) return map;
    this.reachedFiles.add(path);
    for (const ref of this.unitRefs(path)) {
      const seen = new Set<FunctionFact>();
      const add = (file: SourceFile, fn: number): void => {
        const fact = file.facts.functions[this.model.outermost(file, fn)];
        const own = file.facts.functions[fn];
        for (const f of [fact, own]) {
          if (!f || f.id === 0 || seen.has(f)) continue;
          seen.add(f);
          const list = map.get(f) ?? [];
          list.push(ref);
          map.set(f, list);
          // Findings name the units that reach them: those found before this unit was known are found again.
          const state = this.states.get(file.path);
          if (state) state.live = null;
        }
      };
      add(ref.file, ref.fn);
      for (const reached of this.model.reach(ref.file, ref.fn)) add(reached.site.file, reached.site.fn);
    }
    return map;
  }

  // ---- check

  check(all: readonly string[], cancel?: CancelToken, options: CheckOptions = {}): CheckResult {
    let files = options.named ? all : all.filter((f) => this.judged(f));
    // Of many files those that can hold nothing of interest are not even parsed.
    if (files.length > SMALL_RUN)
      files = files.filter((f) => isTelling(this.project.sourceText(f) ?? 'async'));
    const total = files.length * 2;
    // One file's own units are looked up when a finding asks for them.
    if (files.length > 1)
      for (const [i, path] of files.entries()) {
        if (cancel?.cancelled) break;
        this.noteReach(path);
        options.progress?.(i, total);
      }
    return this.judge(
      files,
      cancel,
      (done) => options.progress?.(files.length + done, total),
      options.named === 'file',
    );
  }

  checkAll(cancel?: CancelToken, progress?: (done: number, total: number) => void): CheckResult {
    return this.check(this.sourceFiles(), cancel, { named: 'folder', ...(progress ? { progress } : {}) });
  }

  private judge(
    files: readonly string[],
    cancel?: CancelToken,
    progress?: (done: number) => void,
    asked = false,
  ): CheckResult {
    const findings: Finding[] = [];
    const suppressed: SuppressedFinding[] = [];
    const problems: Problem[] = [...this.configRead().problems];
    const named = new Set(files);
    for (const [i, path] of files.entries()) {
      if (cancel?.cancelled) break;
      const file = this.project.file(path);
      if (file) {
        const result = this.shown(file, cancel);
        if (!asked && result.findings.length > 0 && this.importers.onlyBrowser(path)) continue;
        findings.push(
          ...(!asked && result.findings.length > 0 && this.importers.isUnused(file)
            ? this.leastWeight(result.findings)
            : result.findings),
        );
        suppressed.push(...result.suppressed);
        problems.push(...result.problems, ...syntaxProblems(file));
      } else if (this.project.textOf(path) === null && !this.project.problems.some((p) => p.file === path))
        problems.push({
          code: 'file-not-found',
          message: 'The file does not exist.',
          file: path,
          severity: 'error',
        });
      progress?.(i + 1);
    }
    for (const problem of [...this.project.problems, ...this.ruleProblems.values()])
      if (!problem.file || named.has(problem.file) || !/\.[cm]?[jt]sx?$/.test(problem.file))
        problems.push(problem);
    return { findings, suppressed, problems: distinct(problems) };
  }

  /** What no module takes up is not run: its findings are shown where every finding is. */
  private leastWeight(findings: readonly Finding[]): readonly Finding[] {
    const levels = this.levelsNow();
    return findings.flatMap((f) => {
      const rule = this.ruleById.get(f.rule);
      const shown = rule ? levels.apply({ ...f, severity: 'low' as const }, rule) : null;
      return shown ?? [];
    });
  }

  /** Raw findings of one file, every rule that could be shown at all. */
  private live(file: SourceFile, cancel?: CancelToken): readonly LiveFinding[] {
    const state = this.state(file.path);
    if (state.live) return state.live;
    const levels = this.levelsNow();
    const found = runRules({
      model: this.model,
      file,
      rules: this.rules.filter((r) => levels.isActive(r, file.path)),
      units: () => this.unitRefs(file.path),
      unitsReaching: (fn) => {
        const fact = file.facts.functions[fn];
        const refs = (fact && this.noteReach(file.path).get(fact)) ?? [];
        // In one order, whichever file was asked for first.
        return refs.sort(byPlace);
      },
      cancel,
      quarantined: state.quarantined,
      problem: (p) => this.ruleProblems.set(`${p.file}\0${p.message}`, p),
    });
    const merged = mergeRootCauses(found);
    if (!cancel?.cancelled) state.live = merged;
    return merged;
  }

  private shown(file: SourceFile, cancel?: CancelToken): CheckResult {
    const levels = this.levelsNow();
    const live = this.live(file, cancel);
    const result = applySuppressions({
      file: file.path,
      text: file.text,
      lines: file.lines,
      comments: commentsOf(file),
      findings: live.map((l) => l.finding),
      knownRules: [...this.rules.map((r) => r.id), ...PRUNE_RULES],
      ran: (rule) => {
        const known = this.ruleById.get(rule);
        return known !== undefined && levels.isActive(known, file.path);
      },
      statementLine: (finding) => this.statementLine(file, finding),
    });
    const shown = (f: Finding): Finding | null => {
      const rule = this.ruleById.get(f.rule);
      return rule ? levels.apply(f, rule) : null;
    };
    return {
      findings: result.kept.map(shown).filter((f): f is Finding => f !== null),
      suppressed: result.suppressed.filter((f) => shown(f) !== null),
      problems: result.problems,
    };
  }

  private statementLine(file: SourceFile, finding: Finding): number | null {
    const fn = file.index.innermost(finding.startOffset);
    for (const st of file.facts.functions[fn]?.body ?? [])
      if (st.s <= finding.startOffset && finding.endOffset <= st.e) {
        let best = st.s;
        const call = (file.index.calls[fn] ?? []).find(
          (c) => c.s <= finding.startOffset && finding.endOffset <= c.e,
        );
        const statement = call ? file.index.statementOf(call) : null;
        if (statement) best = statement.s;
        return file.lines.positionAt(best).line;
      }
    return null;
  }

  // ---- fixes

  fixesFor(finding: Finding): Finding['fixes'] {
    return this.liveOf(finding)?.finding.fixes ?? [];
  }

  applyFix(finding: Finding, fixId: string): Fix | null {
    const draft = this.liveOf(finding)?.drafts.find((d) => d.id === fixId);
    const edits = draft?.edits() ?? null;
    return draft && edits ? { id: draft.id, title: draft.title, kind: draft.kind, edits } : null;
  }

  /** The same finding in the current text: same rule at the same place. */
  private liveOf(finding: Finding): LiveFinding | null {
    const file = this.project.file(finding.file);
    if (!file) return null;
    this.noteReach(finding.file);
    const list = this.live(file).filter((l) => l.finding.rule === finding.rule);
    return (
      list.find(
        (l) => l.finding.startOffset === finding.startOffset && l.finding.endOffset === finding.endOffset,
      ) ??
      list.find((l) => l.finding.start.line === finding.start.line && l.finding.anchor === finding.anchor) ??
      null
    );
  }

  // ---- questions

  view(unit: Unit): ReturnType<Analysis['view']> {
    const refs = this.unitRefs(unit.file);
    const source = this.project.file(unit.handler.file);
    const ref =
      refs.find((r) => r.unit.id === unit.id) ??
      (source ? { unit, file: source, fn: unit.handler.fn } : null);
    if (!ref) throw new Error(`the unit ${unit.id} is not in the analysed code any more`);
    this.noteReach(unit.file);
    const files = new Set([
      ref.file.path,
      ...this.model.reach(ref.file, ref.fn).map((r) => r.site.file.path),
    ]);
    const live: Finding[] = [];
    for (const path of files) {
      const file = this.project.file(path);
      if (file) live.push(...this.shown(file).findings);
    }
    return {
      ...viewUnit(this.model, ref, live),
      constants: (name, file) => this.constant(file ?? unit.file, name),
    };
  }

  constant(path: string, name: string): ReturnType<Analysis['constant']> {
    const file = this.project.file(path);
    return file
      ? readConstant(this.model.values, file, name)
      : { problem: `${name} cannot be looked up: there is no source file ${path}` };
  }

  reachedBy(path: string, offset: number): readonly Unit[] {
    const file = this.project.file(path);
    if (!file) return [];
    if (!this.ledTo.has(path)) {
      this.ledTo.add(path);
      this.noteReach(path);
      const filter = this.filterNow();
      for (const other of this.importers.leadingTo([path]))
        if (filter.isIncluded(other) && !filter.isGenerated(other) && this.judged(other))
          this.noteReach(other);
    }
    const fact = file.facts.functions[this.model.outermost(file, file.index.innermost(offset))];
    return [...((fact && this.reaching?.get(fact)) ?? [])].sort(byPlace).map(({ unit }) => unit);
  }

  prunable(path: string, which?: 'shown'): readonly NeedlessCode[] {
    const file = this.project.file(path);
    if (!file) return [];
    const all = (this.state(path).needless ??= this.needlessIn(file));
    const found = all.filter(
      ({ typeAt }) =>
        typeAt === null ||
        (which !== 'shown' && this.presence().isAlwaysThere(this.project.absolute(path), typeAt)),
    );
    // What lies in something that goes as a whole goes with it.
    return found
      .filter(
        (one) =>
          !found.some(
            (other) =>
              other !== one && other.startOffset <= one.startOffset && one.endOffset <= other.endOffset,
          ),
      )
      .sort((a, b) => a.startOffset - b.startOffset);
  }

  /** But for what a comment accepts. */
  private needlessIn(file: SourceFile): readonly NeedlessCode[] {
    const accepted = parseAccepts(file.text, file.lines, commentsOf(file));
    return [...needlessGuards(this.model, file), ...secondParses(this.model, file)].filter(
      ({ rule, startOffset }) =>
        !accepted.some(
          ({ rules, reason, line }) =>
            rules.includes(rule) && reason !== '' && line === file.lines.positionAt(startOffset).line,
        ),
    );
  }

  private presence(): PresenceAnswers {
    return (this.types ??= presenceAnswers((file) => {
      for (let at = file; at.length > this.root.length;) {
        at = at.slice(0, at.lastIndexOf('/'));
        if (this.settings.host.exists(`${at}/tsconfig.json`)) return `${at}/tsconfig.json`;
      }
      return null;
    }));
  }

  leadingTo(files: readonly string[]): ReadonlySet<string> {
    return this.importers.leadingTo(files);
  }

  reachOf(unit: Unit): readonly CodeRange[] {
    const ref = this.unitRefs(unit.file).find((r) => r.unit.id === unit.id);
    const source = this.project.file(unit.handler.file);
    const from = ref ?? (source ? { unit, file: source, fn: unit.handler.fn } : null);
    if (!from) return [];
    const own = { file: unit.file, startLine: unit.start.line, endLine: unit.end.line };
    return [
      own,
      ...functionsOf(this.model, from, this.model.reach(from.file, from.fn)).flatMap(({ file, fn }) => {
        const fact = file.facts.functions[fn];
        if (!fact || fact.id === 0) return [];
        return [
          {
            file: file.path,
            startLine: file.lines.positionAt(fact.s).line,
            endLine: file.lines.positionAt(fact.e).line,
          },
        ];
      }),
    ];
  }

  callAt(file: string, offset: number): ReturnType<Analysis['callAt']> {
    const source = this.project.file(file);
    return source ? callInfoAt(this.model, source, offset) : null;
  }

  whySilent(file: string, offset?: number): ReturnType<Analysis['whySilent']> {
    const source = this.project.file(file);
    return whySilent({
      file,
      source,
      offset: offset ?? null,
      problems: this.project.problems.filter((p) => p.file === file),
      included: this.filterNow().isIncluded(file) && !this.filterNow().isGenerated(file),
      place: this.inBrowserPackage(file) ? 'browser' : source ? placeOf(source) : placeOfPath(file),
      preset: this.levelsNow().preset,
      model: this.model,
      findings: source ? this.shown(source) : null,
      hidden: source ? this.live(source).length : 0,
      units: source ? this.unitRefs(file) : [],
    });
  }

  sourceFiles(): readonly string[] {
    const filter = this.filterNow();
    return this.project.sourceFiles(this.settings.includeAll).filter((path) => {
      if (!filter.isIncluded(path) || filter.isGenerated(path)) return false;
      if (this.settings.includeAll) return true;
      return this.judged(path);
    });
  }

  /** Whether a file found in a folder (not named itself) is judged: reads it when the path does not tell. */
  private judged(path: string): boolean {
    if (this.settings.includeAll) return true;
    const byPath = placeOfPath(path);
    if (byPath) return !LEFT_OUT.has(byPath);
    if (this.inBrowserPackage(path)) return false;
    const text = this.project.peekText(path);
    // A file that cannot be read stays in, so that its problem is shown.
    return text === null || !LEFT_OUT.has(placeOfText(path, text));
  }

  private inBrowserPackage(path: string): boolean {
    const manifest = this.project.modules.manifestOf(dirOf(path));
    if (!manifest) return false;
    let known = this.browserPackages.get(manifest);
    if (known === undefined) {
      known = isBrowserPackage(manifest.json);
      this.browserPackages.set(manifest, known);
    }
    return known;
  }

  textOf(file: string): string | null {
    return this.project.textOf(file);
  }
}

function commentsOf(file: SourceFile): { start: number; end: number; text: string }[] {
  return file.facts.comments.map((c) => ({ start: c.s, end: c.e, text: c.text }));
}

function imports(text: string | null): string {
  return text === null ? '' : specifiersOf(text).join('\n');
}

function byPlace(a: UnitRef, b: UnitRef): number {
  if (a.unit.file !== b.unit.file) return a.unit.file < b.unit.file ? -1 : 1;
  return a.unit.startOffset - b.unit.startOffset;
}

function syntaxProblems(file: SourceFile): Problem[] {
  return file.facts.syntaxErrors.slice(0, 3).map((error) => ({
    code: 'syntax-error',
    message: `${error.message} The rest of the file is analysed as far as it can be read.`,
    file: file.path,
    start: file.lines.positionAt(error.s),
    severity: 'note',
  }));
}

function distinct(problems: readonly Problem[]): Problem[] {
  const seen = new Set<string>();
  return problems.filter((p) => {
    const key = `${p.code}\0${p.file ?? ''}\0${p.start?.line ?? 0}\0${p.message}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
