/**
 * Finds stack traces in whatever a log holds: plain V8 stacks, lines with a prefix, JSON records with a stack inside.
 * Owns the forms of text; knows no project and no disk. Pure, linear in the length of the text.
 */

export interface Frame {
  /** As it is written, for people. */
  readonly raw: string;
  readonly fn: string | null;
  /** As it is written: a path, a `file:` or `webpack:` address. */
  readonly location: string;
  /** From 1. */
  readonly line: number;
  readonly column: number;
}

export interface StackTrace {
  /** `TypeError`; `Error` where only a message is known. */
  readonly name: string;
  readonly message: string;
  /** Innermost first; frames of the runtime itself are left out. */
  readonly frames: readonly Frame[];
}

/** Longer logs are read up to here. UTF-16 units. */
const MAX_TEXT = 8 * 1024 * 1024;
const MAX_FRAMES = 200;
const MAX_MESSAGE = 2000;
/** Behind whatever a log puts before it. */
const AT = /(?:^|[\s|])at (?:async )?/g;
/** What stands at the end of `at fn (place:1:2)`, with what a record may close after it. */
const PLACE = /^(.+):(\d+):(\d+)\)?["'\s,}\]]*$/;
const ABSOLUTE = /^(?:\/|[A-Za-z]:[\\/]|[a-z][a-z-]+:\/)/;
const RUNTIME = /^(?:node:|internal\/|<anonymous>|native|evalmachine|eval at|bun:|deno:)/;
const HEADER =
  /(?:^|[\s:[{(|"'])((?:[A-Z][\w$]*\.)*[A-Z][\w$]*(?:Error|Exception|Rejection|Failure|Timeout|Abort|Aborted)?)(?: \[[^\]]+\])?(?: \([^)]*\))?: ?(.*)$/;
const ERROR_NAME = /(?:Error|Exception|Rejection|Failure|Timeout|Abort(?:ed)?)$/;

export function parseTraces(text: string): readonly StackTrace[] {
  const traces: StackTrace[] = [];
  const rest: string[] = [];
  const flush = (): void => {
    traces.push(...plainTraces(rest.splice(0)));
  };
  const whole = asJson(text.length > MAX_TEXT ? '' : text.trim());
  if (whole !== null) traces.push(...stacksIn(whole));
  else
    for (const line of text.slice(0, MAX_TEXT).split(/\r\n|\r|\n/)) {
      const record = asJson(line.trim().replace(/^[^{]*?(?=\{")/, ''));
      if (record === null) {
        rest.push(...unescaped(line));
        continue;
      }
      flush();
      traces.push(...stacksIn(record));
    }
  flush();
  return distinct(traces);
}

/** Loggers that write one line a record write the line breaks of a stack as two characters. */
function unescaped(line: string): readonly string[] {
  return /\\n\s*at /.test(line) ? line.split(/(?:\\r)?\\n/).map((part) => part.replace(/\\"/g, '"')) : [line];
}

function asJson(text: string): object | null {
  if (!/^[[{]/.test(text)) return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}

/** Every text in a record that is a stack, whatever the logger calls its field. */
function stacksIn(record: object): readonly StackTrace[] {
  const traces: StackTrace[] = [];
  const visit = (value: unknown, depth: number): void => {
    if (depth > 8 || traces.length >= MAX_FRAMES) return;
    if (typeof value === 'string') {
      if (/(?:^|\n)\s*at .+:\d+:\d+/.test(value)) traces.push(...plainTraces(value.split(/\r\n|\r|\n/)));
    } else if (Array.isArray(value)) for (const item of value) visit(item, depth + 1);
    else if (typeof value === 'object' && value !== null) {
      const before = traces.length;
      for (const item of Object.values(value)) visit(item, depth + 1);
      // `{ type, message, stack }`: a stack without its first line still has a name beside it.
      const { type, name, message } = value as Record<string, unknown>;
      for (let i = before; i < traces.length; i++) {
        const trace = traces[i]!;
        const called = [name, type].find((one) => typeof one === 'string' && ERROR_NAME.test(one));
        traces[i] = {
          ...trace,
          name: trace.name === 'Error' && typeof called === 'string' ? called : trace.name,
          message: trace.message === '' && typeof message === 'string' ? message : trace.message,
        };
      }
    }
  };
  visit(record, 0);
  return traces;
}

function plainTraces(lines: readonly string[]): readonly StackTrace[] {
  const traces: StackTrace[] = [];
  let frames: Frame[] = [];
  let seen = false;
  let above: string[] = [];
  const flush = (): void => {
    if (frames.length > 0) traces.push({ ...headerOf(above), frames });
    frames = [];
    seen = false;
  };
  for (const line of lines) {
    const frame = /\bat /.test(line) ? frameOf(line) : null;
    if (frame) {
      if (frame !== 'runtime' && frames.length < MAX_FRAMES) frames.push(frame);
      seen = true;
      continue;
    }
    if (seen) {
      // Frames of the runtime alone say nothing.
      flush();
      above = [];
    }
    above.push(line);
    if (above.length > 40) above.shift();
  }
  flush();
  return traces;
}

function frameOf(line: string): Frame | 'runtime' | null {
  if (line.length > 4000) return null;
  for (const { 0: word, index } of [...line.matchAll(AT)].slice(0, 5)) {
    const rest = line.slice(index + word.length);
    if (/^(?:.* \()?(?:<anonymous>|native)\)?\s*$/.test(rest) || /^Promise\.\w+ \(index \d+\)\s*$/.test(rest))
      return 'runtime';
    const match = PLACE.exec(rest);
    if (!match) continue;
    const body = match[1]!;
    const bracket = body.indexOf(' (');
    const location = bracket < 0 ? body.replace(/^\(/, '') : body.slice(bracket + 2);
    if (RUNTIME.test(location)) return 'runtime';
    // Words and clock times are no places.
    if (!/[./\\]/.test(location) || (bracket < 0 && /\s/.test(location) && !ABSOLUTE.test(location)))
      continue;
    return {
      raw: line.slice(index).trim(),
      fn: bracket < 0 ? null : body.slice(0, bracket),
      location,
      line: Math.max(1, Number(match[2])),
      column: Math.max(1, Number(match[3])),
    };
  }
  return null;
}

/** The nearest line above the frames that names an error; what stands between is its message. */
function headerOf(above: readonly string[]): { name: string; message: string } {
  for (let i = above.length - 1; i >= 0; i--) {
    const match = HEADER.exec(above[i]!);
    if (!match || !ERROR_NAME.test(match[1]!)) continue;
    const message = [match[2]!, ...above.slice(i + 1)].join('\n').trim().slice(0, MAX_MESSAGE);
    return { name: match[1]!.split('.').at(-1)!, message };
  }
  const last = above.findLast((line) => line.trim() !== '')?.trim() ?? '';
  return ERROR_NAME.test(last) && /^[\w.$]+$/.test(last)
    ? { name: last, message: '' }
    : { name: 'Error', message: last.slice(0, MAX_MESSAGE) };
}

function distinct(traces: readonly StackTrace[]): readonly StackTrace[] {
  const seen = new Set<string>();
  return traces.filter(({ name, frames }) => {
    const key = `${name}\0${frames.map(({ location, line, column }) => `${location}:${line}:${column}`).join('\0')}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
