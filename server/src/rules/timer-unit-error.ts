/** Seconds where milliseconds are read, and the reverse. */
import type { Expr } from '../facts/ir.ts';
import { uncast } from '../facts/walk.ts';
import { replaceNode } from '../fixes/edits.ts';
import { numberOf, readOption } from '../model/options.ts';
import type { SourceFile } from '../model/project.ts';
import type { Site } from '../model/sites.ts';
import { defineRule, type RuleContext, type RuleExample } from './_kit/rule.ts';
import { calleeName, duration, short } from './_kit/text.ts';

export const rule = defineRule({
  id: 'timer-unit-error',
  lens: 'clock',
  axis: 'cascading-failure',
  faultClass: 'timing',
  severity: 'medium',
  blocking: false,
  stage: 'stable',
  since: '0.1.0',
  docs: {
    what: 'A value that its name gives in seconds (or minutes) goes where milliseconds are read, or the reverse; or a timer is longer than 2³¹−1 ms, which fires at once.',
    why: 'A timeout of 30 that was meant in seconds ends every call after 30 ms, and the retries behind it become a storm. A lifetime of 60,000 that was meant in milliseconds keeps a lock for most of a day. A timer beyond 24.8 days fires at once, in a loop where it sets itself again.',
    remedy:
      'Convert where the value is handed over, and keep the unit in the name. Check long waits in steps.',
    whenNot: 'A name that ends in seconds and holds something else.',
  },
  incidents: ['wrong-timeout', 'retry-storm'],
  fixKind: 'previewed',
  detect(ctx) {
    for (const site of ctx.sites) check(ctx, site);
  },
});

/** The longest time that a timer of Node takes: a larger one counts as 1 ms. */
const LONGEST = 2 ** 31 - 1;

interface Place {
  readonly expr: Expr;
  readonly file: SourceFile;
  /** Milliseconds in the unit that is read here. */
  readonly reads: 1 | 1000;
  readonly timer: boolean;
}

function check(ctx: RuleContext, site: Site): void {
  for (const place of placesOf(ctx, site)) {
    if (place.file !== site.file) continue;
    const given = unitOf(ctx, place.file, place.expr, 0);
    const name = calleeName(site);
    const what = short(place.file.text.slice(place.expr.s, place.expr.e));
    if (given !== null && given !== place.reads) {
      const off = Math.max(given, place.reads) / Math.min(given, place.reads);
      const longer = given < place.reads;
      ctx.report({
        at: place.expr,
        message: `\`${name}\` reads this as ${word(place.reads)} and \`${what}\` is in ${word(given)}: the time is ${off.toLocaleString('en')} times too ${longer ? 'long' : 'short'}.`,
        trigger: 'always',
        scenario: `At \`${name}\`, whenever it runs, then the time is off by a factor of ${off.toLocaleString('en')}.`,
        detection: longer
          ? 'Late: a limit that comes too late fails nothing.'
          : 'At once where it is tried, by failures of calls that were not slow.',
        fix: `Convert \`${what}\` to ${word(place.reads)}.`,
        anchor: name,
        fixes: convert(place, given),
      });
      return;
    }
    const n = place.timer ? numberOf(ctx.model.values, place.file, place.expr) : null;
    if (n !== null && Number.isFinite(n) && n > LONGEST) {
      ctx.report({
        at: place.expr,
        message: `This timer fires at once: ${duration(n)} is more than the 24.8 days that a timer holds, and Node takes 1 ms instead.`,
        trigger: 'always',
        scenario: `At \`${name}\`, whenever it runs, then the callback is called after 1 ms; a timer that sets itself again spins.`,
        detection: 'By the load of the process, and by a warning on its standard error.',
        fix: 'Wait in steps of at most a day and look at the clock, or leave it to a scheduler.',
        anchor: name,
      });
      return;
    }
  }
}

// ---- places that take a time

function placesOf(ctx: RuleContext, site: Site): Place[] {
  const { node, file, target } = site;
  if (node.k === 'tag') return [];
  const out: Place[] = [];
  const add = (expr: Expr | undefined, reads: 1 | 1000, timer = false, at = file): void => {
    if (expr && expr.k !== 'spread') out.push({ expr, file: at, reads, timer });
  };
  if (target.k === 'builtin') {
    if (target.name === 'setTimeout' || target.name === 'setInterval') add(node.args[1], 1, true);
    if (target.name === 'AbortSignal.timeout') add(node.args[0], 1);
  }
  if (target.k === 'package' && /^(?:node:)?timers\/promises$/.test(target.pkg)) add(node.args[0], 1, true);
  const spec = site.effect?.spec.timeout;
  for (const option of spec?.call ?? []) {
    const read = readOption(ctx.model.values, file, node, option);
    if (read.k === 'value') add(read.expr, option.unit === 's' ? 1000 : 1, false, read.file);
  }
  if (target.k === 'lib' && (target.pack.id === 'ioredis' || target.pack.id === 'redis') && node.k === 'call')
    redisPlaces(ctx, site, node, add);
  return out;
}

function redisPlaces(
  ctx: RuleContext,
  site: Site,
  node: Site['node'] & { k: 'call' },
  add: (expr: Expr | undefined, reads: 1 | 1000, timer?: boolean, at?: SourceFile) => void,
): void {
  const name = node.callee.k === 'mem' ? node.callee.prop.toLowerCase() : '';
  if (name === 'expire' || name === 'setex') add(node.args[1], 1000);
  if (name === 'pexpire' || name === 'psetex') add(node.args[1], 1);
  if (name !== 'set') return;
  node.args.forEach((arg, i) => {
    if (arg.k !== 'lit' || typeof arg.value !== 'string') return;
    if (/^ex$/i.test(arg.value)) add(node.args[i + 1], 1000);
    if (/^px$/i.test(arg.value)) add(node.args[i + 1], 1);
  });
  for (const [path, reads] of [
    ['EX', 1000],
    ['PX', 1],
    ['ex', 1000],
    ['px', 1],
  ] as const) {
    const read = readOption(ctx.model.values, site.file, node, { arg: 2, path });
    if (read.k === 'value') add(read.expr, reads, false, read.file);
  }
}

// ---- units

const UNITS: readonly (readonly [RegExp, number])[] = [
  [
    /(?:[a-z0-9](?:Ms|MS|Msec|Msecs|Millis|Milliseconds?|Millisecs?)|_ms|_msecs?|_millis|_milliseconds?)$|^(?:ms|millis|milliseconds)$/,
    1,
  ],
  [/_(?:MS|MILLIS|MSECS?|MILLISECONDS?)$/, 1],
  [/(?:[a-z0-9](?:Seconds|Secs|Sec)|_seconds|_secs?)$|^(?:seconds|secs)$/, 1000],
  [/_(?:SECONDS|SECS?)$/, 1000],
  [/(?:[a-z0-9](?:Minutes|Mins)|_minutes|_mins)$|^(?:minutes|mins)$|_(?:MINUTES|MINS)$/, 60_000],
  [/(?:[a-z0-9]Hours|_hours)$|^hours$|_HOURS$/, 3_600_000],
  [/(?:[a-z0-9]Days|_days)$|^days$|_DAYS$/, 86_400_000],
];

function unitOfName(name: string): number | null {
  return UNITS.find(([pattern]) => pattern.test(name))?.[1] ?? null;
}

const KNOWN = new Set([1, 1000, 60_000, 3_600_000, 86_400_000]);

/** Milliseconds in one unit of the expression's value; null where no name says. */
function unitOf(ctx: RuleContext, file: SourceFile, expr: Expr, depth: number): number | null {
  if (depth > 6) return null;
  const inner = uncast(expr);
  switch (inner.k) {
    case 'id': {
      const own = unitOfName(inner.name);
      if (own !== null) return own;
      // A local that only renames: `const wait = retryAfterSeconds`.
      const decl = file.facts.bindings[inner.b]?.decl;
      const writes = file.facts.bindings[inner.b]?.writes.length ?? 1;
      return decl?.k === 'init' && decl.path.length === 0 && writes === 0
        ? unitOf(ctx, file, decl.init, depth + 1)
        : null;
    }
    case 'mem':
      return unitOfName(inner.prop);
    case 'bin': {
      if (inner.op === '??' || inner.op === '||') return unitOf(ctx, file, inner.l, depth + 1);
      if (inner.op === '+' || inner.op === '-') {
        const l = unitOf(ctx, file, inner.l, depth + 1);
        const r = unitOf(ctx, file, inner.r, depth + 1);
        return l === r || r === null ? l : l === null ? r : null;
      }
      if (inner.op !== '*' && inner.op !== '/') return null;
      const l = unitOf(ctx, file, inner.l, depth + 1);
      const r = inner.op === '*' ? unitOf(ctx, file, inner.r, depth + 1) : null;
      const unit = l ?? r;
      if (unit === null || (l !== null && r !== null)) return null;
      const by = numberOf(ctx.model.values, file, l !== null ? inner.r : inner.l);
      if (by === null) return null;
      const turned = inner.op === '*' ? unit / by : unit * by;
      // A factor of a conversion changes the unit; any other only the length.
      return KNOWN.has(turned)
        ? turned
        : /^(?:24|60|3600|1000|60000|3600000|86400|86400000)$/.test(String(by))
          ? null
          : unit;
    }
    case 'call': {
      const name =
        inner.callee.k === 'id' ? inner.callee.name : inner.callee.k === 'mem' ? inner.callee.prop : '';
      const first = inner.args[0];
      if (/^(?:Number|parseInt|parseFloat|floor|ceil|round|trunc|abs)$/.test(name) && first)
        return unitOf(ctx, file, first, depth + 1);
      if (/^(?:min|max)$/.test(name)) {
        const units = inner.args.map((a) => unitOf(ctx, file, a, depth + 1)).filter((u) => u !== null);
        return units.length > 0 && units.every((u) => u === units[0]) ? (units[0] ?? null) : null;
      }
      return null;
    }
    case 'cond': {
      const yes = unitOf(ctx, file, inner.yes, depth + 1);
      const no = unitOf(ctx, file, inner.no, depth + 1);
      return yes === no || no === null ? yes : yes === null ? no : null;
    }
    default:
      return null;
  }
}

function word(unit: number): string {
  return { 1: 'milliseconds', 1000: 'seconds', 60000: 'minutes', 3600000: 'hours' }[unit] ?? 'days';
}

function convert(place: Place, given: number) {
  const text = place.file.text.slice(place.expr.s, place.expr.e);
  const simple = /^[\w.$?!]+$/.test(text);
  const factor = given / place.reads;
  return [
    {
      id: 'convert-unit',
      title: `Convert ${word(given)} to ${word(place.reads)}`,
      kind: 'previewed' as const,
      edits: () => [
        {
          file: place.file.path,
          edits: [
            replaceNode(
              place.expr,
              factor >= 1
                ? `${simple ? text : `(${text})`} * ${group(factor)}`
                : `Math.ceil(${simple ? text : `(${text})`} / ${group(1 / factor)})`,
            ),
          ],
        },
      ],
    },
  ];
}

function group(n: number): string {
  return n < 10_000 ? String(n) : n.toLocaleString('en').replaceAll(',', '_');
}

export const examples: readonly RuleExample[] = [
  {
    title: 'A timeout of thirty milliseconds',
    bad: `const timeoutSeconds = Number(process.env.TIMEOUT_SECONDS ?? 30);
export const rates = () =>
  fetch('https://rates.example.com', { signal: AbortSignal.timeout(timeoutSeconds) });
`,
    good: `const timeoutSeconds = Number(process.env.TIMEOUT_SECONDS ?? 30);
export const rates = () =>
  fetch('https://rates.example.com', { signal: AbortSignal.timeout(timeoutSeconds * 1000) });
`,
    fixed: `const timeoutSeconds = Number(process.env.TIMEOUT_SECONDS ?? 30);
export const rates = () =>
  fetch('https://rates.example.com', { signal: AbortSignal.timeout(timeoutSeconds * 1000) });
`,
  },
];
