/** How a row names its test: `path > title`. Owns taking that apart and telling which of a runner's tests it means. */

export interface TestName {
  /** Relative to the root, with `/`. */
  readonly file: string;
  /** The test's own title, or its suites' titles before it, joined by ` > `. */
  readonly title: string;
}

/** Null when the text does not have the form. */
export function parseTestName(text: string): TestName | null {
  const at = text.indexOf(' > ');
  if (at < 0) return null;
  const file = text.slice(0, at).trim().replace(/\\/g, '/').replace(/^\.\//, '');
  const title = oneLine(text.slice(at + 3));
  return file === '' || title === '' ? null : { file, title };
}

/** `full`: the titles of its suites and its own, joined by spaces, as every runner gives them. */
export function isNamed(wanted: string, test: { readonly title: string; readonly full: string }): boolean {
  const title = oneLine(test.title);
  if (title === oneLine(wanted)) return true;
  const [want, own, full] = [flat(wanted), flat(title), flat(test.full)];
  return want.endsWith(own) && ` ${full}`.endsWith(` ${want}`);
}

/** Last part of a title: the test's own, where suites are named before it. */
export function ownTitle(title: string): string {
  return title.slice(title.lastIndexOf(' > ') + 1).replace(/^> /, '');
}

/** Regular expression over the whole name with its suites, for runners that filter by it. */
export function titlePattern(title: string): string {
  return `${title.split(' > ').map(escapePattern).join(' (?:> )?')}$`;
}

export function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}

function flat(text: string): string {
  return oneLine(text).replaceAll(' > ', ' ');
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
