/** Command-line words to named options, through Node's own parser. Owns turning its errors into one clear line. */
import { parseArgs } from 'node:util';

export interface OptionSpec {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  /** Allowed values of a text option. */
  readonly values?: readonly string[];
}

export type ParsedArguments =
  | {
      readonly ok: true;
      readonly options: Readonly<Record<string, string | boolean | undefined>>;
      readonly positionals: readonly string[];
    }
  | { readonly ok: false; readonly message: string };

export function parseArguments(
  words: readonly string[],
  specs: Readonly<Record<string, OptionSpec>>,
): ParsedArguments {
  let values: Record<string, string | boolean | undefined>;
  let positionals: string[];
  try {
    ({ values, positionals } = parseArgs({
      args: [...words],
      options: Object.fromEntries(
        Object.entries(specs).map(([name, { type, short }]) => [name, short ? { type, short } : { type }]),
      ),
      allowPositionals: true,
      strict: true,
    }) as { values: Record<string, string | boolean | undefined>; positionals: string[] });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const text = error instanceof Error ? error.message : String(error);
    const option = /'(-[^'\s,]*)/.exec(text)?.[1] ?? '';
    if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION')
      return {
        ok: false,
        message: `unknown option ${option}; known: ${Object.keys(specs)
          .map((name) => `--${name}`)
          .join(' ')}`,
      };
    // The parser's further lines explain how to pass values that start with a dash.
    return { ok: false, message: text.split(/\n|\. /)[0]!.replace(/\.$/, '') };
  }
  for (const [name, { values: allowed }] of Object.entries(specs)) {
    const value = values[name];
    if (allowed && typeof value === 'string' && !allowed.includes(value))
      return { ok: false, message: `--${name} is one of ${allowed.join(', ')}, not '${value}'` };
  }
  return { ok: true, options: values, positionals };
}
