/** How tables fall short, as problems at the code that their rows are about. Owns which of it a check of code shows. */
import type { Problem } from '../base/problem.ts';
import type { FileHost } from '../host/fileHost.ts';
import type { Analysis } from './contract.ts';
import { judge } from './judgedTable.ts';
import { evidenceOf, readTableFiles } from './tableFiles.ts';

/**
 * Of the tables whose unit is in one of `files` (null: of all), what is stale, gone or expired. A row that is merely
 * unfinished is work in the table and is not told here.
 */
export function rowProblems(
  host: FileHost,
  analysis: Analysis,
  files: readonly string[] | null,
  today: string,
): readonly Problem[] {
  const wanted = files && new Set(files);
  const out: Problem[] = [];
  for (const file of readTableFiles(host, analysis.root)) {
    if (wanted && !file.mayName((source) => wanted.has(source))) continue;
    const { table, doc, text, path } = file;
    if (!table || (wanted && !wanted.has(table.code.file))) continue;
    const unit = analysis.unitOf(table.code.file, table.code.symbol);
    const lost = unit ? null : `there is no unit ${table.code.symbol} in ${table.code.file}`;
    const { faults } = judge({
      table,
      doc,
      text,
      view: unit && analysis.view(unit),
      today,
      lost,
      evidence: evidenceOf(host, analysis.root, path),
    });
    for (const { code, severity, message, row, start, end, place } of faults) {
      if (severity !== 'warning') continue;
      const at = place ?? { file: path, start, end };
      out.push({ code, message: row === null ? message : `${message} (row ${row})`, severity, ...at });
    }
  }
  return out;
}
