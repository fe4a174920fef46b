/** Colours and safe text for a terminal. Owns escape sequences: what comes from a file never brings its own. */

export type Style = 'bold' | 'dim' | 'underline' | 'red' | 'yellow' | 'blue' | 'cyan' | 'green' | 'magenta';
export type Paint = (text: string, ...styles: Style[]) => string;

const CODES: Readonly<Record<Style, readonly [number, number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  underline: [4, 24],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  magenta: [35, 39],
  cyan: [36, 39],
};

export function createPaint(colour: boolean): Paint {
  if (!colour) return (text) => text;
  return (text, ...styles) =>
    text === ''
      ? ''
      : styles.reduce((inner, style) => `\u001b[${CODES[style][0]}m${inner}\u001b[${CODES[style][1]}m`, text);
}

/** Control and direction characters become visible dots, so that a source file cannot steer the terminal. Tabs stay. */
export function safeText(text: string): string {
  return text.replace(
    /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g,
    '·',
  );
}

/** Breaks at spaces so that no line is longer than `width`, where words allow. */
export function wrapText(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/).filter(Boolean)) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  if (line !== '') lines.push(line);
  return lines.length > 0 ? lines : [''];
}
