/** What keeps a value that others decide within limits. Owns the list of clamps: comparisons, `Math.min`, schema bounds. */
import type { SourceFile } from '../../model/project.ts';
import type { RequestValue } from './requestValue.ts';

const UPPER =
  /^(?:max|lte|lt|le|length|size|enum|literal|nativeEnum|int32|boolean|between|negative|nonpositive)$/;

/** The schema says how large it may be, or says something that cannot be read. */
export function hasUpperBound(value: RequestValue): boolean {
  const { field } = value;
  if (!field) return false;
  if (!field.complete) return true;
  return field.steps.some(
    (s) =>
      UPPER.test(s.name) ||
      // What a function of the project decides may be a limit.
      (/^(?:transform|pipe|refine|superRefine|preprocess|check|overwrite|catch|custom|or|union|codec)$/.test(
        s.name,
      ) &&
        !isPlainConversion(s)),
  );
}

/** `.transform(Number)`, `.transform((v) => parseInt(v, 10))`. */
function isPlainConversion(step: {
  readonly args: readonly { s: number; e: number }[];
  readonly file: SourceFile;
}): boolean {
  return step.args.every((a) =>
    /^(?:Number|parseInt|parseFloat|\(?\w+(?:: *\w+)?\)?\s*=>\s*(?:\w+\s*\?\s*)?(?:Number|parseInt|parseFloat|Number\.parseInt)\(\w+(?:,\s*10)?\)(?:\s*:\s*\w+)?)$/.test(
      step.file.text.slice(a.s, a.e),
    ),
  );
}

/** A loop up to a value is what the value does, not what keeps it small. */
const LOOP_HEAD = /\bfor\s*\([^()]*(?:\([^()]*\)[^()]*)*\)/g;
const cache = new WeakMap<object, Map<string, boolean>>();

/** Somewhere on its way the value is compared with something larger, or cut to size. */
export function isClamped(value: RequestValue): boolean {
  return value.hops.some((hop) => {
    const fact = hop.file.facts.functions[hop.fn];
    if (!fact) return false;
    let known = cache.get(fact);
    if (!known) cache.set(fact, (known = new Map()));
    const before = known.get(hop.name);
    if (before !== undefined) return before;
    const name = hop.name.replace(/\$/g, '\\$');
    const found = new RegExp(
      `\\b${name}\\b[^;\\n]{0,12}(?<![=-])>=?(?!>)|(?<![=-])<=?\\s*${name}\\b|\\b${name}\\s*<=?\\s*(?![01]\\b)|\\b(?:min|clamp\\w*|limit\\w*To|cap\\w*|bound\\w*|sanitize\\w*|validate\\w*|assert\\w*|ensure\\w*|check\\w*|between|inRange)\\([^;]{0,80}\\b${name}\\b|\\bincludes\\(\\s*${name}\\b`,
      'i',
    ).test(hop.file.text.slice(fact.bs, fact.e).replace(LOOP_HEAD, 'for'));
    known.set(hop.name, found);
    return found;
  });
}
