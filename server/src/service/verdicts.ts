/**
 * What the tables' verdicts do to the findings of a check: silenced, weakened to a hint, or shown with the row's words.
 * The one place where editor, command line and gate ask. A finding in code that several units run is silenced only when
 * the rows of all of them silence it. Costs nothing while no table speaks of a rule that found something.
 */
import type { Finding } from '../model/finding.ts';
import type { ConstantLookup } from '../tables/holdsWhile.ts';
import type { Table } from '../tables/schema.ts';
import { loudest, verdictEffect, type VerdictEffect } from '../tables/verdictEffect.ts';
import type { Analysis, CheckResult, SuppressedFinding, Unit } from './contract.ts';
import { brokenRow } from './judgedTable.ts';
import { standsAt } from './rowSight.ts';
import type { TableHomes } from './tableHomes.ts';

export interface VerdictInput {
  readonly analysis: Analysis;
  readonly homes: TableHomes;
  /** `yyyy-mm-dd` */
  readonly today: string;
}

/** A finding's unit and what its table says. */
interface Say {
  readonly unit: string;
  readonly effect: VerdictEffect;
}

export function applyVerdicts(result: CheckResult, input: VerdictInput): CheckResult {
  const findings: Finding[] = [];
  const suppressed: SuppressedFinding[] = [...result.suppressed];
  for (const finding of result.findings) {
    const effect = effectOn(finding, input);
    switch (effect.effect) {
      case 'keep':
        findings.push(finding);
        break;
      case 'hidden':
        suppressed.push({ ...finding, reason: effect.reason, acceptedBy: effect.row });
        break;
      default:
        findings.push({
          ...finding,
          row: {
            id: effect.row,
            effect: effect.effect === 'hint' ? 'hint' : 'note',
            text: effect.note.replace(/\s+/g, ' ').replace(/\.$/, '').trim(),
          },
        });
    }
  }
  return { ...result, findings, suppressed };
}

function effectOn(finding: Finding, input: VerdictInput): VerdictEffect {
  const { analysis, homes } = input;
  const near = [finding.file, ...finding.units.map(fileOf)].map((file) => homes.homeOf(file));
  if (!near.some((home) => homes.mention(home, finding.rule))) return { effect: 'keep' };
  const units = analysis.reachedBy(finding.file, finding.startOffset);
  const says =
    units.length > 0
      ? units.map((unit): Say => ({ unit: unit.name, effect: effectIn(finding, unit, input) }))
      : ofFunctions(finding, input);
  const effect = loudest(says.map((say) => say.effect));
  return effect.effect === 'keep' ? (partly(says) ?? effect) : effect;
}

/** Says why a row silences nothing, where others stand in its way. */
function partly(says: readonly Say[]): VerdictEffect | null {
  const quiet = says.find(({ effect }) => effect.effect === 'hidden' || effect.effect === 'hint');
  const loud = says.find(({ effect }) => effect.effect === 'keep');
  if (!quiet || !loud || quiet.effect.effect === 'keep') return null;
  const said = quiet.effect.effect === 'hidden' ? 'accepted' : 'detected';
  return {
    effect: 'keep-with-note',
    row: quiet.effect.row,
    note: `${said} for ${quiet.unit} alone; ${loud.unit} runs this code too and has no row that says so`,
  };
}

/** Tables of one unit; where there are several, all of them count. */
function effectIn(finding: Finding, unit: Unit, input: VerdictInput): VerdictEffect {
  const { prefix } = input.homes.homeOf(unit.file);
  const effects = input.homes
    .tablesFor(unit.file)
    .flatMap(({ table }) =>
      table && prefix + table.code.file === unit.file && table.code.symbol === unit.symbol
        ? [effectOfTable(finding, table, unit, input)]
        : [],
    );
  return loudest(effects);
}

/** Code that no registered unit runs may be of a function that somebody wrote a table for. */
function ofFunctions(finding: Finding, input: VerdictInput): readonly Say[] {
  const { analysis, homes } = input;
  const home = homes.homeOf(finding.file);
  const says: Say[] = [];
  for (const file of homes.tablesOf(home)) {
    if (!file.text.includes(finding.rule) || file.table?.kind !== 'function') continue;
    const { table } = file;
    const unit = analysis.unitOf(home.prefix + table.code.file, table.code.symbol);
    const runs =
      unit &&
      analysis
        .reachOf(unit)
        .some(
          ({ file: path, startLine, endLine }) =>
            path === finding.file && startLine <= finding.start.line && finding.start.line <= endLine,
        );
    if (unit && runs) says.push({ unit: unit.name, effect: effectOfTable(finding, table, unit, input) });
  }
  return says;
}

function effectOfTable(
  finding: Finding,
  table: Table,
  unit: Unit,
  { analysis, homes, today }: VerdictInput,
): VerdictEffect {
  const { prefix } = homes.homeOf(unit.file);
  const constants: ConstantLookup = (name, file) =>
    analysis.constant(file === null ? unit.file : prefix + file, name);
  return verdictEffect(table.rows, finding, {
    today,
    broken: (row) => brokenRow(row, constants)?.why ?? null,
    isAt: (id, row) => standsAt(analysis.view(unit), finding, id, row),
  });
}

/** A unit's id is `<file>#<symbol>`. */
function fileOf(unit: string): string {
  const hash = unit.indexOf('#');
  return hash < 0 ? unit : unit.slice(0, hash);
}
