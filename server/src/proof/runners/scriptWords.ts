/** Commands in a script of package.json as words. Owns quoting, joining by `&&`, and environment assignments; runs nothing. */

export interface ScriptCommand {
  readonly env: Readonly<Record<string, string>>;
  readonly words: readonly string[];
}

/** Each command of the script, in order. What a shell would work out (variables, globs) stays as it is written. */
export function commandsOf(script: string): readonly ScriptCommand[] {
  return segments(script).map((words) => {
    const env: Record<string, string> = {};
    let at = 0;
    for (; at < words.length; at++) {
      const word = words[at]!;
      const assigned = /^([A-Za-z_]\w*)=(.*)$/s.exec(word);
      if (assigned) env[assigned[1]!] = assigned[2]!;
      else if (!/^(?:cross-env|cross-env-shell|env|exec|time)$/.test(word)) break;
    }
    return { env, words: words.slice(at) };
  });
}

function segments(script: string): string[][] {
  const out: string[][] = [];
  let words: string[] = [];
  let word: string | null = null;
  const endWord = (): void => {
    if (word !== null) words.push(word);
    word = null;
  };
  const endCommand = (): void => {
    endWord();
    if (words.length > 0) out.push(words);
    words = [];
  };
  for (let at = 0; at < script.length; at++) {
    const c = script[at]!;
    if (c === "'" || c === '"') {
      const end = closing(script, at, c);
      word = (word ?? '') + script.slice(at + 1, end).replace(c === '"' ? /\\(["\\$`])/g : /(?!)/g, '$1');
      at = end;
    } else if (c === '\\' && at + 1 < script.length) word = (word ?? '') + script[++at]!;
    else if (/\s/.test(c)) {
      if (c === '\n') endCommand();
      else endWord();
    } else if (c === ';' || c === '|' || c === '&') endCommand();
    else word = (word ?? '') + c;
  }
  endCommand();
  return out;
}

/** The quote that ends what `from` begins; the end of the text where it is left open. */
function closing(text: string, from: number, quote: string): number {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '\\' && quote === '"') at++;
    else if (text[at] === quote) return at;
  }
  return text.length;
}
