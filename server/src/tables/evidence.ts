/** Reads and writes evidence files, and tells what one says about a row as it is now. The tool alone writes them. */
import { evidenceSchema, type Evidence, type Row } from './schema.ts';

/** Null when the text is no evidence of this format: then nothing is proven. */
export function readEvidence(text: string | null): Evidence | null {
  if (text === null) return null;
  try {
    return evidenceSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

export function evidenceText(evidence: Evidence): string {
  return `${JSON.stringify(evidence, null, 2)}\n`;
}

/** `old`: the code is not what was proven; `test-changed`: the test is not. */
export type Proof = 'none' | 'valid' | 'old' | 'test-changed';

export interface Now {
  /** Hash of the row's slice; null where the code is not looked at. */
  readonly slice: string | null;
  /** Hash of the row's test; null where it is not looked at. */
  readonly test: string | null;
}

export function proofOf(evidence: Evidence | null, id: string, row: Row, now: Now): Proof {
  if (!evidence || evidence.row !== id || row.test === undefined) return 'none';
  if (evidence.red.exit === 0 || evidence.green.exit !== 0 || (evidence.suite && evidence.suite.exit !== 0))
    return 'none';
  const named = (text: string): string => text.replace(/\s+/g, ' ').trim();
  if (evidence.named !== undefined && named(evidence.named) !== named(row.test)) return 'none';
  if (now.test !== null && now.test !== evidence.test) return 'test-changed';
  return now.slice !== null && now.slice !== evidence.slice ? 'old' : 'valid';
}
