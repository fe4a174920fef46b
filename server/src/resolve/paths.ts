/** Paths as text, always with `/`. Owns joining and making relative; never touches a disk. */

export function dirOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash < 0 ? '' : path.slice(0, slash);
}

/** Joins and normalises `.` and `..`. `rest` may be absolute: then it is the result. */
export function joinPath(base: string, rest: string): string {
  if (rest.startsWith('/') || /^[A-Za-z]:\//.test(rest)) return rest;
  const absolute = base.startsWith('/');
  const out: string[] = [];
  for (const part of `${base}/${rest}`.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') out.pop();
    else out.push(part);
  }
  return (absolute ? '/' : '') + out.join('/');
}

export function relativeTo(root: string, path: string): string {
  return path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
}
