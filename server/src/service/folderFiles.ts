/** Sources of a folder that somebody named: what it lies in (`examples/`, `test/`) no longer speaks against them. */
import type { FileHost } from '../host/fileHost.ts';
import { LEFT_OUT, placeOfPath, placeOfText } from '../model/place.ts';

/** Relative to `root`, sorted. `folder` is relative too; what is left out by default is judged below it. */
export function folderFiles(
  host: FileHost,
  root: string,
  folder: string,
  extensions: readonly string[],
): readonly string[] {
  return host
    .listFiles(`${root}/${folder}`, { extensions })
    .files.map((file) => file.slice(root.length + 1))
    .filter((file) => {
      const text = host.readSource(`${root}/${file}`)?.text ?? '';
      return !LEFT_OUT.has(placeOfPath(file.slice(folder.length + 1)) ?? placeOfText(file, text));
    });
}
