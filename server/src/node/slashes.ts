/** One form for paths inside the tool: `/` on every system. */
import { sep } from 'node:path';

export function toSlashes(path: string): string {
  return sep === '/' ? path : path.replaceAll(sep, '/');
}
