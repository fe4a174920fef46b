/** Where a text is nested deepest, by its brackets alone. Owns the answer for texts that no parser got through. */

/** Offset of the bracket that opens the deepest nesting; 0 when there are no brackets. Strings and comments are not told apart. */
export function deepestPlace(text: string): number {
  let depth = 0;
  let deepest = 0;
  let at = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (c === '(' || c === '[' || c === '{' || c === '<') {
      depth++;
      if (depth > deepest) {
        deepest = depth;
        at = i;
      }
    } else if (c === ')' || c === ']' || c === '}' || c === '>') depth = Math.max(0, depth - 1);
  }
  return at;
}
