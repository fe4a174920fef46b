/** `sixlens merge-driver`: git calls it with three files and takes what is in the second afterwards. */
import { mergeVersions } from '../../service/mergeDriver.ts';
import { CliError, EXIT, type CliContext } from '../context.ts';

export async function runMergeDriver(
  context: CliContext,
  _options: Readonly<Record<string, string | boolean | undefined>>,
  positionals: readonly string[],
): Promise<number> {
  const [base, ours, theirs, path, size] = positionals;
  if (base === undefined || ours === undefined || theirs === undefined)
    throw new CliError('git calls it with %O %A %B %P %L; see `sixlens merge-driver --help`');
  const { host } = context;
  const files = [base, ours, theirs].map((file) => context.resolvePath(context.cwd, file));
  const [from, to, other] = files as [string, string, string];
  const markerSize = /^\d{1,3}$/.test(size ?? '') ? Math.max(1, Number(size)) : 7;
  const reads = files.map((file) => host.readText(file));
  if (!reads[1] || !reads[2]) throw new CliError(`there is no file ${reads[1] ? theirs : ours}`);
  const clean = reads.every((read) => !read?.problem);
  const merged = clean
    ? mergeVersions(path ?? null, reads[0]?.text ?? '', reads[1].text, reads[2].text, markerSize)
    : null;
  if (merged) {
    host.writeText(to, merged.text, reads[1].encoding);
    return merged.conflicts > 0 ? EXIT.findings : EXIT.nothing;
  }
  // What our own merge is not sure of, git merges line by line.
  const plain = context.git.mergeFile(context.cwd, { ours: to, base: from, theirs: other }, markerSize);
  if ('error' in plain) {
    const mark = (sign: string, label = ''): string => `${sign.repeat(markerSize)}${label}\n`;
    const whole = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`);
    host.writeText(
      to,
      `${mark('<', ' ours')}${whole(reads[1].text)}${mark('=')}${whole(reads[2].text)}${mark('>', ' theirs')}`,
      reads[1].encoding,
    );
    return EXIT.findings;
  }
  return plain.conflicts > 0 ? EXIT.findings : EXIT.nothing;
}
