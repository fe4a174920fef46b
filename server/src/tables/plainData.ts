/** Owns plain data as YAML gives it: reading, setting and comparing, safe for every key. */
import type { FieldPath } from './fieldOrder.ts';

export type Data = Record<string, unknown>;

export function own(value: unknown, key: string): unknown {
  return isPlainMap(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

export function isPlainMap(value: unknown): value is Data {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Sets or deletes in plain data. False when the way leads through something that is no map. */
export function setIn(data: Data, path: FieldPath, value: unknown): boolean {
  let map = data;
  for (const [index, key] of path.entries()) {
    if (index === path.length - 1) {
      if (value === undefined) {
        delete map[key];
        return true;
      }
      Object.defineProperty(map, key, {
        value: structuredClone(value),
        writable: true,
        enumerable: true,
        configurable: true,
      });
      return true;
    }
    let inner: unknown = Object.hasOwn(map, key) ? map[key] : undefined;
    if (inner === undefined || inner === null) {
      if (value === undefined) return true;
      inner = {};
    } else if (!isPlainMap(inner)) return false;
    // A copy: the data of aliases is shared.
    const copy: Data = { ...(inner as Data) };
    Object.defineProperty(map, key, { value: copy, writable: true, enumerable: true, configurable: true });
    map = copy;
  }
  return true;
}

/** Equal as data; an undefined value counts as absent, and an empty map as nothing. */
export function sameData(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (isEmpty(a) && isEmpty(b)) return true;
  if (Array.isArray(a) || Array.isArray(b))
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, i) => sameData(item, b[i]))
    );
  if (!isPlainMap(a) || !isPlainMap(b)) return false;
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].every((key) =>
    sameData(Object.hasOwn(a, key) ? a[key] : undefined, Object.hasOwn(b, key) ? b[key] : undefined),
  );
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || (isPlainMap(value) && Object.keys(value).length === 0);
}
