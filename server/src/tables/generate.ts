/** Owns what a table says when it is generated: findings, mechanisms, looks and standing questions become rows and lenses. */
import { LENSES, type Lens } from '../base/vocabulary.ts';
import type { Unit } from '../units/unit.ts';
import { bornRowId } from './rowId.ts';
import { DOMAINS, type Domain, type LensEntry, type Row, type Table } from './schema.ts';

/** The part of a unit's view that a table is made from. */
export interface TableSource {
  readonly unit: Pick<Unit, 'kind' | 'name' | 'symbol' | 'file'>;
  readonly domain: readonly string[];
  readonly findings: readonly {
    readonly rule: string;
    readonly lens: Lens;
    readonly anchor: string;
    readonly message: string;
    readonly scenario: string;
  }[];
  readonly mechanisms: readonly {
    readonly rule: string;
    readonly lens: Lens;
    readonly anchor: string;
    readonly failure: string;
    readonly how: string;
  }[];
  readonly lenses: readonly {
    readonly lens: Lens;
    readonly lookedAt: string;
    readonly unresolved: readonly string[];
  }[];
  readonly questions: readonly {
    readonly id: string;
    readonly lens: Lens;
    readonly failure: string;
    readonly why: string;
  }[];
}

const MAX_QUESTIONS = 2;
/** The reason the tool writes for a lens without exposure; any other was written by a person. */
export const NO_EXPOSURE = 'no gap, no mechanism and no unresolved call in what this unit reaches';

/**
 * The table of a unit, from what the analysis saw alone: no contract, no decisions, no `pruned`. The same view
 * always gives the same table, row ids included.
 */
export function generateTable(view: TableSource): Table {
  const rows: Record<string, Row> = {};
  const add = (lens: Lens, rule: string, anchor: string, row: Row): void => {
    const birth = { file: view.unit.file, symbol: view.unit.symbol, rule, anchor };
    let id = bornRowId(lens, birth);
    for (let attempt = 1; Object.hasOwn(rows, id); attempt++) id = bornRowId(lens, birth, attempt);
    rows[id] = row;
  };
  const placed = new Set<string>();
  const isNew = (rule: string, anchor: string): boolean => {
    const key = JSON.stringify([rule, anchor]);
    if (placed.has(key)) return false;
    placed.add(key);
    return true;
  };
  for (const finding of view.findings) {
    // One row a place: the same call reported twice is one failure mode.
    if (!isNew(finding.rule, finding.anchor)) continue;
    add(finding.lens, finding.rule, finding.anchor, {
      failure: sentence(finding.scenario) || sentence(finding.message) || finding.rule,
      rule: finding.rule,
      ...(finding.anchor === '' ? {} : { at: finding.anchor }),
      verdict: 'undecided',
    });
  }
  for (const mechanism of view.mechanisms) {
    if (!isNew(mechanism.rule, mechanism.anchor)) continue;
    add(mechanism.lens, mechanism.rule, mechanism.anchor, {
      failure: sentence(mechanism.failure) || mechanism.rule,
      rule: mechanism.rule,
      ...(mechanism.anchor === '' ? {} : { at: mechanism.anchor }),
      verdict: 'handle',
      proposed: true,
      how: mechanism.how,
    });
  }
  const asked = new Map<Lens, number>();
  for (const question of view.questions) {
    const count = asked.get(question.lens) ?? 0;
    if (count >= MAX_QUESTIONS) continue;
    asked.set(question.lens, count + 1);
    add(question.lens, `question:${question.id}`, '', {
      failure: sentence(question.failure) || question.id,
      why: question.why,
      verdict: 'undecided',
    });
  }
  return {
    sixlens: 1,
    unit: view.unit.name || view.unit.symbol,
    kind: view.unit.kind,
    code: { file: view.unit.file, symbol: view.unit.symbol },
    domain: view.domain.filter((name): name is Domain => (DOMAINS as readonly string[]).includes(name)),
    contract: '',
    rows,
    lenses: lensEntries(view),
  };
}

/** A lens with a finding or mechanism has rows; the others say what was seen, or what could not be. */
function lensEntries(view: TableSource): Table['lenses'] {
  const entries: Table['lenses'] = {};
  const shown = new Set([...view.findings, ...view.mechanisms].map((item) => item.lens));
  for (const lens of LENSES) {
    const look = view.lenses.find((item) => item.lens === lens);
    if (!look || shown.has(lens)) continue;
    entries[lens] = conclude(look.lookedAt, look.unresolved);
  }
  return entries;
}

function conclude(lookedAt: string, unresolved: readonly string[]): LensEntry {
  const looked = sentence(lookedAt) === '' ? {} : { 'looked-at': sentence(lookedAt) };
  if (unresolved.length > 0) return { exposure: 'open', ...looked, unresolved: [...new Set(unresolved)] };
  return { exposure: 'none', reason: NO_EXPOSURE, ...looked };
}

/** One line, single spaces, no full stop at the end. */
function sentence(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/(?<!\.)\.$/, '');
}
