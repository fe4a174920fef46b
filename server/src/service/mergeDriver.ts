/**
 * Git's merge driver for what lies under `.sixlens/`: three versions of a file in, one merged text out. Owns which kind of
 * file is merged how, and that nothing is lost where our own merge cannot be sure.
 */
import { evidenceSchema } from '../tables/schema.ts';
import { EVIDENCE_FOLDER } from '../tables/path.ts';
import { mergeTexts, type ThreeWayText } from '../tables/threeWay.ts';

/** Null: merge the texts as plain text. `path` is where the file lies in the repository, if it is known. */
export function mergeVersions(
  path: string | null,
  base: string,
  ours: string,
  theirs: string,
  markerSize: number,
): ThreeWayText | null {
  if (ours === theirs || base === theirs) return { text: ours, conflicts: 0 };
  if (base === ours) return { text: theirs, conflicts: 0 };
  const evidence =
    path === null ? /^\s*\{/.test(ours) : path.includes(`${EVIDENCE_FOLDER}/`) || path.endsWith('.json');
  if (evidence) return { text: evidenceOf(ours, theirs), conflicts: 0 };
  return mergeTexts(base, ours, theirs, markerSize);
}

/**
 * One of two proofs of a row. Whether it still speaks for the merged code is told by its hashes, so either will do; the
 * same one is taken whichever branch is merged into which.
 */
function evidenceOf(ours: string, theirs: string): string {
  const [mine, other] = [rankOf(ours), rankOf(theirs)];
  return mine >= other ? ours : theirs;
}

function rankOf(text: string): string {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    return '';
  }
  const valid = evidenceSchema.safeParse(data).success;
  const date = (data as { date?: unknown } | null)?.date;
  return `${valid ? 2 : 1} ${typeof date === 'string' ? date : ''} ${text}`;
}
