/** Random tables as people write them: every style of value, comments, blank lines, line ends, anchors, odd indentation. */
import fc from 'fast-check';
import { compareRowIds } from '../../server/src/tables/rowId.ts';
import { ROW_FIELDS } from '../../server/src/tables/schema.ts';

/** A random table as text, and where each field of a block row lies in it. */
export interface Sample {
  readonly text: string;
  readonly fields: readonly FieldPlace[];
  readonly eol: string;
  readonly rowIds: readonly string[];
}

export interface FieldPlace {
  readonly path: readonly string[];
  /** The whole field: start of its line, end of its last line without the line break. */
  readonly start: number;
  readonly end: number;
  /** The value with all that follows it up to `end`; what lies before is indentation, key, colon, anchor. */
  readonly valueStart: number;
  readonly shared: boolean;
  /** The text of a comment on the field's first line, or ''. */
  readonly comment: string;
}

const word = fc.constantFrom(
  'queue',
  'retry',
  'ünïcode',
  'a:b',
  '#x',
  "it's",
  '"q"',
  'x{y}',
  '- z',
  '日本',
  '100%',
  'e\u0301',
  '*s',
  'yes',
  '12',
  '😀',
);
export const oneLine = fc.array(word, { minLength: 1, maxLength: 30 }).map((words) => words.join(' '));
export const anyText = fc.oneof(
  { weight: 4, arbitrary: oneLine },
  {
    weight: 2,
    arbitrary: fc.array(oneLine, { minLength: 2, maxLength: 4 }).map((lines) => lines.join('\n')),
  },
  { weight: 1, arbitrary: fc.string({ maxLength: 30 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '',
      ' ',
      '\n',
      'a\n',
      'a\n\n',
      '2026-11-30',
      'true',
      '0x1F',
      '~',
      'a\tb',
      '\u0085',
      '\ufeff',
    ),
  },
);
export const rowId = fc
  .tuple(
    fc.constantFrom('bnd', 'inp', 'prt', 'cnc', 'res', 'clk'),
    fc.string({ unit: fc.constantFrom(...'0123456789abcdefghjkmnpqrstvwxyz'), minLength: 8, maxLength: 8 }),
  )
  .map((parts) => parts.join('-'));

type Style =
  | 'plain'
  | 'double'
  | 'single'
  | 'folded'
  | 'literal'
  | 'kept'
  | 'plainLines'
  | 'nextLine'
  | 'flowMap'
  | 'blockMap'
  | 'blockList'
  | 'empty'
  | 'anchored'
  | 'tagged';
const styles: readonly Style[] = [
  'plain',
  'plain',
  'double',
  'single',
  'folded',
  'literal',
  'kept',
  'plainLines',
  'nextLine',
  'flowMap',
  'blockMap',
  'blockList',
  'empty',
  'anchored',
  'tagged',
];

const fieldSpec = fc.record({
  style: fc.constantFrom(...styles),
  comment: fc.boolean(),
  above: fc.boolean(),
  spaces: fc.integer({ min: 1, max: 3 }),
});
const rowSpec = fc.record({
  id: rowId,
  names: fc.subarray([...ROW_FIELDS.slice(1), 'x-unknown', 'team note'], { maxLength: 7 }),
  specs: fc.array(fieldSpec, { minLength: 8, maxLength: 8 }),
  blankLines: fc.integer({ min: 0, max: 2 }),
  comment: fc.boolean(),
  shuffled: fc.boolean(),
  flow: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
  alias: fc.boolean(),
});
export const sampleOf = fc
  .record({
    rows: fc.uniqueArray(rowSpec, { selector: (row) => row.id, maxLength: 5 }),
    crlf: fc.boolean(),
    step: fc.integer({ min: 1, max: 5 }),
    rowStep: fc.integer({ min: 1, max: 4 }),
    bom: fc.boolean(),
    head: fc.boolean(),
    lensesFirst: fc.boolean(),
    contract: fieldSpec,
    finalBreak: fc.boolean(),
    sorted: fc.boolean(),
  })
  .map((spec): Sample => {
    const eol = spec.crlf ? '\r\n' : '\n';
    let text = spec.bom ? '\ufeff' : '';
    const fields: FieldPlace[] = [];
    let anchors = 0;
    let comments = 0;
    let lastAnchor: string | null = null;
    const line = (content: string): void => void (text += content + eol);
    const field = (
      path: readonly string[],
      indent: number,
      step: number,
      key: string,
      f: { style: Style; comment: boolean; above: boolean; spaces: number },
      canAlias: boolean,
    ): void => {
      const pad = ' '.repeat(indent);
      const deep = ' '.repeat(indent + step);
      if (f.above) line(`${pad}# above ${comments++}`);
      const comment = f.comment ? `# beside ${comments++}` : '';
      const tail = comment ? ` ${comment}` : '';
      const start = text.length;
      let head = `${pad}${key}:`;
      let shared = false;
      const gap = ' '.repeat(f.spaces);
      let value: string;
      if (canAlias && lastAnchor) {
        value = `*${lastAnchor}${tail}`;
        head += gap;
      } else
        switch (f.style) {
          case 'plain':
            head += gap;
            value = `some plain value ${comments}${tail}`;
            break;
          case 'double':
            head += gap;
            value = `"quoted # \\u0041 ${comments}"${tail}`;
            break;
          case 'single':
            head += gap;
            value = `'it''s: ${comments}'${tail}`;
            break;
          case 'folded':
            head += gap;
            value = `>-${tail}${eol}${deep}folded text${eol}${deep}goes on${eol}${eol}${deep}and on`;
            break;
          case 'literal':
            head += gap;
            value = `|${tail}${eol}${deep}literal:${eol}${deep}  - text # no comment`;
            break;
          case 'kept':
            head += gap;
            value = `|+${tail}${eol}${deep}kept`;
            break;
          case 'plainLines':
            head += gap;
            value = `plain text${eol}${deep}over lines${tail}`;
            break;
          case 'nextLine':
            value = `${tail}${eol}${deep}on the next line`;
            break;
          case 'flowMap':
            head += gap;
            value = `{ by: li, date: "2026-01-02",${eol}${deep}  code: sabc }${tail}`;
            break;
          case 'blockMap':
            value = `${tail}${eol}${deep}by: li${eol}${deep}date: "2026-01-02"`;
            break;
          case 'blockList':
            value = `${tail}${eol}${deep}- one${eol}${deep}- two`;
            break;
          case 'empty':
            value = tail;
            break;
          case 'anchored':
            lastAnchor = `a${anchors++}`;
            head += `${gap}&${lastAnchor} `;
            value = `anchored${tail}`;
            shared = true;
            break;
          case 'tagged':
            head += gap;
            value = `!!str 123${tail}`;
            break;
        }
      fields.push({
        path,
        start,
        end: start + head.length + value.length,
        valueStart: start + head.length,
        shared,
        comment,
      });
      line(head + value);
    };
    if (spec.head) line('# a table kept by hand');
    line('sixlens: 1');
    line('unit:   POST /orders   # the unit');
    line('kind: webhook');
    field(['contract'], 0, spec.step, 'contract', spec.contract, false);
    const lenses = (): void => {
      line('lenses:');
      line(`${' '.repeat(spec.step)}clock: { exposure: none, reason: "none here" }  # looked`);
    };
    if (spec.lensesFirst) lenses();
    line('');
    line(spec.rows.length === 0 ? 'rows: {} # none' : 'rows: # the rows');
    const rows = spec.sorted ? [...spec.rows].sort((a, b) => compareRowIds(a.id, b.id)) : spec.rows;
    for (const row of rows) {
      const pad = ' '.repeat(spec.step);
      const inner = spec.step + spec.rowStep;
      if (row.comment) line(`${pad}# row ${row.id}`);
      if (row.flow) line(`${pad}${row.id}: { failure: "in flow, yes", verdict: undecided, note: x }`);
      else {
        line(`${pad}${row.id}:`);
        const names = row.shuffled ? [...row.names].reverse() : row.names;
        field(
          ['rows', row.id, 'failure'],
          inner,
          spec.rowStep,
          'failure',
          { style: 'plain', comment: row.comment, above: false, spaces: 1 },
          false,
        );
        names.forEach((name, i) => {
          const f = row.specs[i];
          if (f) field(['rows', row.id, name], inner, spec.rowStep, name, f, row.alias && i === 1);
        });
        if (row.comment) line(`${' '.repeat(inner)}# end of row ${comments++}`);
      }
      for (let i = 0; i < row.blankLines; i++) line('');
    }
    if (!spec.lensesFirst) lenses();
    line('x-extra: [1, two, { three: 3 }]  # unknown to us');
    if (!spec.finalBreak) text = text.slice(0, -eol.length);
    return { text, fields, eol, rowIds: rows.map((row) => row.id) };
  });
