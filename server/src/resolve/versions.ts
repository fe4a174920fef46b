/** Version numbers as far as packs need them. Owns comparison and the small range language of `Versioned`. */

export interface InstalledVersion {
  readonly version: string;
  /** Where it was read; `assumed` when nothing in the project says it. */
  readonly from: 'lockfile' | 'node_modules' | 'package.json' | 'assumed';
}

function parts(version: string): [number, number, number] {
  const m = /(\d+)(?:\.(\d+))?(?:\.(\d+))?/.exec(version);
  return m ? [Number(m[1]), Number(m[2] ?? 0), Number(m[3] ?? 0)] : [0, 0, 0];
}

export function compareVersions(a: string, b: string): number {
  const x = parts(a);
  const y = parts(b);
  for (let i = 0; i < 3; i++) {
    const d = (x[i] ?? 0) - (y[i] ?? 0);
    if (d !== 0) return d;
  }
  return 0;
}

/** `>=a`, `>a`, `<b`, `<=b`, `^a`, `a.x`, `a` and `*`; space means and. Unknown syntax matches nothing. */
export function satisfies(version: string, range: string): boolean {
  return range
    .trim()
    .split(/\s+/)
    .every((part) => {
      if (part === '*' || part === '') return true;
      const m = /^(>=|<=|>|<|\^|=)?\s*(\d+(?:\.\d+){0,2})(?:\.x)?$/.exec(part.replace(/\.x$/, ''));
      if (!m) return false;
      const [, op = '', bound = '0'] = m;
      const c = compareVersions(version, bound);
      switch (op) {
        case '>=':
          return c >= 0;
        case '>':
          return c > 0;
        case '<':
          return c < 0;
        case '<=':
          return c <= 0;
        case '^': {
          const [major, minor] = parts(bound);
          const [vMajor, vMinor] = parts(version);
          return c >= 0 && vMajor === major && (major > 0 || vMinor === minor);
        }
        default: {
          const wanted = bound.split('.').map(Number);
          const have = parts(version);
          return wanted.every((n, i) => have[i] === n);
        }
      }
    });
}

/** The first entry whose range holds; undefined when none does. */
export function pickVersion<T>(list: readonly { range: string; value: T }[], version: string): T | undefined {
  return list.find((entry) => satisfies(version, entry.range))?.value;
}
