/**
 * The little language of `holds-while`: comparisons of constants in code, joined by `&&` and `||`. Owns its grammar and its
 * meaning; knows no code, constants are looked up by whoever asks. Runs nothing, never throws.
 *
 *     RETRY_DAYS < REFUND_DAYS
 *     LIMITS.batch * 2 <= src/config.ts:MAX_ROWS && TTL_MS > 15min
 *
 * A number with a unit (ms, s, min, h, d, w) is a duration in milliseconds.
 */

export type ConstantLookup = (
  name: string,
  /** Null: the file of the table's unit. */
  file: string | null,
) => { readonly value: number | boolean } | { readonly problem: string };

export interface Broken {
  /** A clause without a full stop. */
  readonly why: string;
  /** Offsets into the expression. */
  readonly start: number;
  readonly end: number;
}

interface Place {
  readonly start: number;
  readonly end: number;
}
type Expression = Place &
  (
    | { readonly k: 'number'; readonly value: number }
    | { readonly k: 'boolean'; readonly value: boolean }
    | { readonly k: 'name'; readonly name: string; readonly file: string | null }
    | { readonly k: 'prefix'; readonly op: '-' | '!'; readonly arg: Expression }
    | { readonly k: 'infix'; readonly op: string; readonly l: Expression; readonly r: Expression }
  );

interface Token extends Place {
  readonly k: 'number' | 'name' | 'op' | 'end';
  readonly text: string;
  readonly value?: number;
  readonly file?: string | null;
}

class Fault extends Error {
  constructor(
    message: string,
    readonly place: Place,
  ) {
    super(message);
  }
}

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  sec: 1000,
  second: 1000,
  min: 60_000,
  minute: 60_000,
  h: 3_600_000,
  hour: 3_600_000,
  d: 86_400_000,
  day: 86_400_000,
  w: 604_800_000,
  week: 604_800_000,
};

const SPACE = /\s+/y;
const NUMBER = /(?:0[xX][\da-fA-F]+|(?:\d[\d_]*)(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?)/y;
const UNIT = /\s*([A-Za-z]+)/y;
const QUOTED_PATH = /"([^"\n]+)"\s*:\s*([\p{ID_Start}$_][\p{ID_Continue}$.]*)/uy;
/** A path with other characters is quoted. */
const PATH = /((?:[\w@.][\w@.-]*\/)*[\w@.][\w@.-]*\.[cm]?[jt]sx?):([\p{ID_Start}$_][\p{ID_Continue}$.]*)/uy;
const NAME = /[\p{ID_Start}$_][\p{ID_Continue}$]*(?:\.[\p{ID_Start}$_][\p{ID_Continue}$]*)*/uy;
const OPERATOR = /===|!==|==|!=|<=|>=|&&|\|\||[<>()+\-*/%!]/y;
/** Longer is no check over constants any more. */
const MAX_LENGTH = 1000;

/** Null when the check holds; else the first thing that is wrong: unreadable, not a constant, or false. */
export function whyBroken(text: string, lookup: ConstantLookup): Broken | null {
  try {
    const check = new Parser(text).parse();
    const said = new Map<string, number | boolean>();
    const result = evaluate(check, lookup, said);
    if (typeof result !== 'boolean') throw new Fault('it compares nothing; write such as A < B', check);
    if (result) return null;
    const values = [...said].map(([name, value]) => `${name} is ${value}`);
    return {
      why: values.length === 0 ? 'that is false' : values.join(', '),
      start: check.start,
      end: check.end,
    };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { why: error.message, start: error.place.start, end: error.place.end };
  }
}

class Parser {
  private readonly tokens: readonly Token[];
  private at = 0;

  constructor(text: string) {
    this.tokens = tokensOf(text);
  }

  parse(): Expression {
    const all = this.or();
    const rest = this.next();
    if (rest.k !== 'end') throw new Fault(`\`${rest.text}\` is not expected here`, rest);
    return all;
  }

  private next(): Token {
    return this.tokens[this.at]!;
  }

  private take(...ops: readonly string[]): string | null {
    const token = this.next();
    if (token.k !== 'op' || !ops.includes(token.text)) return null;
    this.at++;
    return token.text;
  }

  private chain(ops: readonly string[], inner: () => Expression): Expression {
    let l = inner();
    for (let op = this.take(...ops); op !== null; op = this.take(...ops)) {
      const r = inner();
      l = { k: 'infix', op, l, r, start: l.start, end: r.end };
    }
    return l;
  }

  private readonly or = (): Expression => this.chain(['||'], this.and);
  private readonly and = (): Expression => this.chain(['&&'], this.comparison);
  private readonly comparison = (): Expression => {
    const l = this.sum();
    const op = this.take('<', '<=', '>', '>=', '==', '===', '!=', '!==');
    if (op === null) return l;
    const r = this.sum();
    const more = this.next();
    if (more.k === 'op' && /^(?:[<>]=?|[=!]==?)$/.test(more.text))
      throw new Fault('comparisons do not chain; join two by &&', more);
    return { k: 'infix', op, l, r, start: l.start, end: r.end };
  };
  private readonly sum = (): Expression => this.chain(['+', '-'], this.product);
  private readonly product = (): Expression => this.chain(['*', '/', '%'], this.single);
  private readonly single = (): Expression => {
    const token = this.next();
    const op = this.take('-', '!');
    if (op !== null) {
      const arg = this.single();
      return { k: 'prefix', op: op as '-' | '!', arg, start: token.start, end: arg.end };
    }
    if (this.take('(') !== null) {
      const inner = this.or();
      const close = this.next();
      if (this.take(')') === null) throw new Fault('a bracket is not closed', close);
      return { ...inner, start: token.start, end: close.end };
    }
    this.at++;
    const { start, end } = token;
    switch (token.k) {
      case 'number':
        return { k: 'number', value: token.value!, start, end };
      case 'name':
        if (token.file === null && (token.text === 'true' || token.text === 'false'))
          return { k: 'boolean', value: token.text === 'true', start, end };
        return { k: 'name', name: token.text, file: token.file ?? null, start, end };
      case 'end':
        throw new Fault('it ends too early', token);
      case 'op':
        throw new Fault(`a number or a name is expected instead of \`${token.text}\``, token);
    }
  };
}

function tokensOf(text: string): readonly Token[] {
  if (text.length > MAX_LENGTH)
    throw new Fault(`it is longer than ${MAX_LENGTH} characters`, { start: 0, end: text.length });
  const tokens: Token[] = [];
  let at = 0;
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    return pattern.exec(text);
  };
  while (at < text.length) {
    const space = match(SPACE);
    if (space) {
      at += space[0].length;
      continue;
    }
    const start = at;
    const path = match(QUOTED_PATH) ?? match(PATH);
    const number = path ? null : match(NUMBER);
    const name = path || number ? null : match(NAME);
    const hit = path ?? number ?? name ?? match(OPERATOR);
    if (!hit) {
      const bad = String.fromCodePoint(text.codePointAt(at)!);
      throw new Fault(bad === '=' ? 'constants are compared by ==' : `\`${bad}\` is not part of a check`, {
        start,
        end: start + bad.length,
      });
    }
    at += hit[0].length;
    if (path) tokens.push({ k: 'name', text: path[2]!, file: path[1]!, start, end: at });
    else if (name) tokens.push({ k: 'name', text: hit[0], file: null, start, end: at });
    else if (number) {
      const value = Number(hit[0].replaceAll('_', ''));
      const unit = match(UNIT);
      if (unit) {
        const word = unit[1]!;
        const factor = UNITS[word] ?? UNITS[word.replace(/s$/, '')];
        const place = { start: at + unit[0].length - word.length, end: at + unit[0].length };
        if (factor === undefined)
          throw new Fault(`\`${word}\` is no unit of time; there are ms, s, min, h, d and w`, place);
        at += unit[0].length;
        tokens.push({ k: 'number', text: text.slice(start, at), value: value * factor, start, end: at });
      } else tokens.push({ k: 'number', text: hit[0], value, start, end: at });
    } else tokens.push({ k: 'op', text: hit[0], start, end: at });
  }
  tokens.push({ k: 'end', text: '', start: text.length, end: text.length });
  return tokens;
}

/** Both sides are always evaluated, so that a name that is gone is told whatever the rest says. */
function evaluate(
  at: Expression,
  lookup: ConstantLookup,
  said: Map<string, number | boolean>,
): number | boolean {
  switch (at.k) {
    case 'number':
    case 'boolean':
      return at.value;
    case 'name': {
      const read = lookup(at.name, at.file);
      if ('problem' in read) throw new Fault(read.problem, at);
      said.set(at.name, read.value);
      return read.value;
    }
    case 'prefix': {
      const value = evaluate(at.arg, lookup, said);
      if (at.op === '-') return -asNumber(value, at.arg);
      return !asBoolean(value, at.arg);
    }
    case 'infix': {
      const l = evaluate(at.l, lookup, said);
      const r = evaluate(at.r, lookup, said);
      if (at.op === '&&') {
        const [left, right] = [asBoolean(l, at.l), asBoolean(r, at.r)];
        return left && right;
      }
      if (at.op === '||') {
        const [left, right] = [asBoolean(l, at.l), asBoolean(r, at.r)];
        return left || right;
      }
      if (/^[=!]/.test(at.op)) {
        if (typeof l !== typeof r) throw new Fault('a number is compared with a yes or no', at);
        return at.op.startsWith('=') ? l === r : l !== r;
      }
      return calculate(at.op, asNumber(l, at.l), asNumber(r, at.r), at);
    }
  }
}

function calculate(op: string, l: number, r: number, place: Place): number | boolean {
  switch (op) {
    case '<':
      return l < r;
    case '<=':
      return l <= r;
    case '>':
      return l > r;
    case '>=':
      return l >= r;
    case '+':
      return l + r;
    case '-':
      return l - r;
    case '*':
      return l * r;
    default:
      if (r === 0) throw new Fault('it divides by zero', place);
      return op === '/' ? l / r : l % r;
  }
}

function asNumber(value: number | boolean, place: Place): number {
  if (typeof value !== 'number') throw new Fault('a number is expected here', place);
  return value;
}

function asBoolean(value: number | boolean, place: Place): boolean {
  if (typeof value !== 'boolean') throw new Fault('a comparison is expected here', place);
  return value;
}
