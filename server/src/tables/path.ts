/** Owns where the files of a unit lie under `.sixlens/`: paths relative to the root, with `/`. */
import { hashText } from '../base/hash.ts';

export const TABLES_FOLDER = '.sixlens/tables';
export const EVIDENCE_FOLDER = '.sixlens/evidence';

/** What a path needs to know of a unit. */
export interface UnitPlace {
  readonly kind: string;
  readonly name: string;
  readonly file: string;
  readonly symbol: string;
}

const MAX_SLUG = 80;

/** Kind and name in lower case, one `-` for every run of anything else: `webhook-post-webhooks-payments`. */
export function unitSlug(unit: Pick<UnitPlace, 'kind' | 'name'>): string {
  const slug = `${unit.kind} ${unit.name}`
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return slug.slice(0, MAX_SLUG).replace(/-+$/, '');
}

/** The slug with a short hash of file and symbol, for units whose plain slugs collide. */
export function collidedSlug(unit: UnitPlace): string {
  return `${unitSlug(unit)}-${hashText(`${unit.file}#${unit.symbol}`).slice(-5)}`;
}

/** The folder that mirrors a source file: its path without the extension. `..` and empty steps are dropped. */
export function sourceFolder(file: string): string {
  const steps = file
    .replace(/\\/g, '/')
    .split('/')
    .filter((step) => step !== '' && step !== '.' && step !== '..');
  const last = steps.pop() ?? 'unnamed';
  return [...steps, last.replace(/(?<=.)\.[^.]*$/, '')].join('/');
}

/**
 * Table file of a unit. `siblings` are all units whose tables share the folder (the unit itself may be among
 * them); where another has the same slug, both carry a hash, so the answer does not depend on their order.
 */
export function tablePath(unit: UnitPlace, siblings: readonly UnitPlace[] = []): string {
  const slug = unitSlug(unit);
  const folder = sourceFolder(unit.file);
  const collides = siblings.some(
    (other) =>
      (other.symbol !== unit.symbol || other.file !== unit.file) &&
      sourceFolder(other.file) === folder &&
      unitSlug(other) === slug,
  );
  return `${TABLES_FOLDER}/${folder}/${collides ? collidedSlug(unit) : slug}.yaml`;
}

/** Evidence file of a row of the table at `path`, which may be absolute. */
export function evidencePath(path: string, rowId: string): string {
  const at = path.lastIndexOf(`${TABLES_FOLDER}/`);
  const inner = at < 0 ? path : path.slice(at + TABLES_FOLDER.length + 1);
  return `${at < 0 ? '' : path.slice(0, at)}${EVIDENCE_FOLDER}/${inner.replace(/\.ya?ml$/, '')}/${rowId}.json`;
}
