/** Bytes to text and back: UTF-8 with or without a byte order mark, UTF-16, and any other single-byte text. Never throws. */
import { isUtf8 } from 'node:buffer';
import type { Problem } from '../base/problem.ts';
import type { Position } from '../base/span.ts';
import type { TextEncoding } from '../host/fileHost.ts';

export interface DecodedText {
  /** Null when the bytes are no text at all. */
  readonly text: string | null;
  readonly encoding: TextEncoding;
  /** `not-utf8`, or `not-text` when `text` is null. */
  readonly problem: Problem | null;
}

const TOP: Position = { line: 1, column: 1 };
/** How far into a file we look for the zero bytes that text never holds. */
const SNIFF_BYTES = 8192;

export function decodeText(bytes: Buffer): DecodedText {
  if (bytes.length >= 3 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    const body = bytes.subarray(3);
    if (isUtf8(body)) return { text: body.toString('utf8'), encoding: 'utf8-bom', problem: null };
  }
  if (bytes.length >= 2 && bytes[0] === 0xff && bytes[1] === 0xfe) return decodeUtf16(bytes, 'utf16le');
  if (bytes.length >= 2 && bytes[0] === 0xfe && bytes[1] === 0xff) return decodeUtf16(bytes, 'utf16be');
  if (bytes.subarray(0, SNIFF_BYTES).includes(0))
    return {
      text: null,
      encoding: 'utf8',
      problem: {
        code: 'not-text',
        message: 'Not read: the file holds binary data.',
        start: TOP,
        end: TOP,
        severity: 'warning',
      },
    };
  if (isUtf8(bytes)) return { text: bytes.toString('utf8'), encoding: 'utf8', problem: null };
  const place = firstInvalid(bytes);
  return {
    text: bytes.toString('latin1'),
    encoding: 'latin1',
    problem: {
      code: 'not-utf8',
      message: 'The file is not valid UTF-8 from here; it was read as Latin-1. Save it as UTF-8.',
      start: place,
      end: place,
      severity: 'warning',
    },
  };
}

export function encodeText(text: string, encoding: TextEncoding): Buffer {
  switch (encoding) {
    case 'utf8':
      return Buffer.from(text, 'utf8');
    case 'utf8-bom':
      return Buffer.from('\uFEFF' + text, 'utf8');
    case 'utf16le':
      return Buffer.from('\uFEFF' + text, 'utf16le');
    case 'utf16be':
      return Buffer.from('\uFEFF' + text, 'utf16le').swap16();
    case 'latin1':
      return Buffer.from(text, 'latin1');
  }
}

function decodeUtf16(bytes: Buffer, encoding: 'utf16le' | 'utf16be'): DecodedText {
  const problem: Problem = {
    code: 'not-utf8',
    message: 'The file is UTF-16; it was read as such. Save it as UTF-8.',
    start: TOP,
    end: TOP,
    severity: 'warning',
  };
  let body = bytes.subarray(2, bytes.length - (bytes.length % 2));
  if (encoding === 'utf16be') body = Buffer.from(body).swap16();
  return { text: body.toString('utf16le'), encoding, problem };
}

/** Line and byte column of the first byte that UTF-8 does not allow: in the Latin-1 reading a byte is a column. */
function firstInvalid(bytes: Buffer): Position {
  let line = 1;
  let at = 0;
  while (at < bytes.length) {
    let end = bytes.indexOf(10, at);
    if (end < 0) end = bytes.length;
    const part = bytes.subarray(at, end);
    if (!isUtf8(part)) {
      const good = part.toString('utf8');
      const valid = good.slice(0, Math.max(good.indexOf('\uFFFD'), 0));
      return { line, column: Buffer.byteLength(valid, 'utf8') + 1 };
    }
    at = end + 1;
    line++;
  }
  return TOP;
}
