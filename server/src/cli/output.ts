/** Output conventions that commands share: when to colour, and the progress line. */
import type { CliContext } from './context.ts';

export function wantsColour(context: CliContext, options: Readonly<Record<string, unknown>>): boolean {
  if (options['no-color'] === true || context.env['NO_COLOR']) return false;
  const force = context.env['FORCE_COLOR'];
  if (force !== undefined) return force !== '0' && force !== 'false';
  return context.stdout.isTerminal && context.env['TERM'] !== 'dumb';
}

export function textOption(
  options: Readonly<Record<string, string | boolean | undefined>>,
  name: string,
): string | undefined {
  const value = options[name];
  return typeof value === 'string' ? value : undefined;
}

export function writeJson(context: CliContext, value: unknown): void {
  context.stdout.write(JSON.stringify(value, null, 2) + '\n');
}

export interface Progress {
  update(done: number, total: number): void;
  /** Takes the line away. */
  end(): void;
}

const EVERY_MS = 80;

/** One line on standard error that rewrites itself; nothing at all where that is no terminal. */
export function createProgress(context: CliContext, what: string): Progress {
  if (!context.stderr.isTerminal || context.env['TERM'] === 'dumb') return { update() {}, end() {} };
  let shownAt = -Infinity;
  let shown = false;
  return {
    update(done, total) {
      const now = context.clock.monotonic();
      if (now - shownAt < EVERY_MS) return;
      shownAt = now;
      shown = true;
      const percent = total > 0 ? ` ${Math.floor((done / total) * 100)} %` : '';
      context.stderr.write(`\r\u001b[K${what} ${done}/${total}${percent}`);
    },
    end() {
      if (shown) context.stderr.write('\r\u001b[K');
    },
  };
}
