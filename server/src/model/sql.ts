/** What SQL text does, as far as words tell. Owns a tolerant reading of single statements; placeholders read as `$?`. */

export type SqlVerb =
  | 'select'
  | 'insert'
  | 'update'
  | 'delete'
  | 'begin'
  | 'commit'
  | 'rollback'
  | 'savepoint'
  | 'set-local'
  | 'lock'
  | 'ddl'
  | 'other';

export interface SqlInfo {
  readonly verb: SqlVerb;
  /** Lower case, quotes dropped; null when not readable. */
  readonly table: string | null;
  readonly where: boolean;
  /** Text after WHERE, lower case; empty when there is none. */
  readonly whereText: string;
  readonly forUpdate: boolean;
  readonly skipLocked: boolean;
  readonly noWait: boolean;
  readonly onConflict: boolean;
  readonly returning: boolean;
  readonly limit: boolean;
  readonly orderBy: boolean;
  /** An UPDATE that sets a column from its own old value (`n = n + 1`, `jsonb_set(c, …)`). */
  readonly relative: boolean;
  /** `pg_advisory_lock` and relatives; `xact` ones are released at the end of the transaction. */
  readonly advisory: 'session' | 'xact' | null;
  readonly aggregate: boolean;
  readonly text: string;
}

const START =
  /^\s*(?:\/\*[\s\S]*?\*\/\s*|--[^\n]*\n\s*)*\(?\s*(select|insert|update|delete|with|begin|start\s+transaction|commit|end|rollback|abort|savepoint|release|set\s+(?:local|transaction|session)|set\s+constraints|lock\s+table|merge|replace|create|alter|drop|truncate|copy|grant|vacuum|refresh|explain|listen|notify|call|show|values)\b/i;

export function looksLikeSql(text: string): boolean {
  const m = START.exec(text);
  if (!m) return false;
  const word = (m[1] ?? '').toLowerCase();
  // One bare word is SQL only for transaction control; `update` alone is an event name.
  const rest = text.slice(m[0].length).trim();
  if (/^(begin|commit|rollback|abort|end|start\s+transaction)$/.test(word))
    return (
      rest.length < 80 &&
      (/^(;|$|transaction\b|work\b|isolation\b|read\b|deferred\b|immediate\b|exclusive\b|prepared\b|and\s+(?:no\s+)?chain\b)/i.test(
        rest,
      ) ||
        (word === 'rollback' && /^to\b/i.test(rest)))
    );
  switch (word) {
    case 'select':
      return /\bfrom\b|\(|\$\?|^\d|\*|'/i.test(rest);
    case 'insert':
    case 'replace':
    case 'merge':
      return /^(?:\w+\s+)*into\b/i.test(rest) || /^ignore\b/i.test(rest);
    case 'update':
      return /\bset\b/i.test(rest);
    case 'delete':
      return /^from\b/i.test(rest);
    case 'with':
      return /\bas\s+(?:materialized\s*|not\s+materialized\s*)?\(/i.test(rest);
    case 'create':
    case 'alter':
    case 'drop':
      return /^(?:or\s+replace\s+|temp(?:orary)?\s+|unique\s+|materialized\s+|if\s+exists\s+)*(table|index|view|function|trigger|schema|type|extension|database|role|sequence|policy|user|column)\b/i.test(
        rest,
      );
    default:
      return rest.length > 0;
  }
}

export function readSql(text: string): SqlInfo {
  const flat = text
    .replace(/\/\*[\s\S]*?\*\//g, ' ')
    .replace(/--[^\n]*/g, ' ')
    .replace(/'(?:[^']|'')*'/g, "''")
    .replace(/\s+/g, ' ')
    .trim();
  const low = flat.toLowerCase();
  const first = /^\(?\s*(\w+)/.exec(low)?.[1] ?? '';
  let verb: SqlVerb = 'other';
  if (first === 'select' || first === 'values' || first === 'show' || first === 'explain') verb = 'select';
  else if (first === 'insert' || first === 'replace' || first === 'merge' || first === 'copy')
    verb = 'insert';
  else if (first === 'update') verb = 'update';
  else if (first === 'delete') verb = 'delete';
  else if (first === 'begin' || first === 'start') verb = 'begin';
  else if (first === 'commit' || first === 'end') verb = 'commit';
  else if (first === 'rollback' || first === 'abort') verb = /\bto\b/.test(low) ? 'savepoint' : 'rollback';
  else if (first === 'savepoint' || first === 'release') verb = 'savepoint';
  else if (first === 'set' && /^set (local|transaction|constraints)/.test(low)) verb = 'set-local';
  else if (first === 'lock') verb = 'lock';
  else if (/^(create|alter|drop|truncate|grant|vacuum|refresh)$/.test(first)) verb = 'ddl';
  else if (first === 'with') {
    const body = low.replace(/\bas\s+(?:not\s+)?(?:materialized\s*)?\(/g, '(');
    verb = /\binsert\s+into\b/.test(body)
      ? 'insert'
      : /\bupdate\s+\S+\s+(?:as\s+\w+\s+)?set\b/.test(body)
        ? 'update'
        : /\bdelete\s+from\b/.test(body)
          ? 'delete'
          : 'select';
  }
  const tableMatch =
    verb === 'insert'
      ? /\binto\s+([\w."`[\]$?]+)/.exec(low)
      : verb === 'update'
        ? (/\bupdate\s+(?:only\s+)?([\w."`[\]$?]+)(?:\s+(?:as\s+)?\w+)?\s+set\b/.exec(low) ??
          /\bupdate\s+(?:only\s+)?([\w."`[\]$?]+)/.exec(low))
        : verb === 'lock'
          ? /\block\s+(?:table\s+)?([\w."`[\]$?]+)/.exec(low)
          : ((verb === 'delete' ? /\bdelete\s+from\s+(?:only\s+)?([\w."`[\]$?]+)/.exec(low) : null) ??
            /\bfrom\s+(?:only\s+)?([\w."`[\]$?]+)/.exec(low));
  const table = tableMatch?.[1]?.replace(/["`[\]]/g, '') ?? null;
  const whereAt = low.search(/\bwhere\b/);
  const setText = verb === 'update' ? (/\bset\b(.*?)(?:\bwhere\b|$)/.exec(low)?.[1] ?? '') : '';
  return {
    verb,
    table: table === '$?' ? null : table,
    where: whereAt >= 0,
    whereText: whereAt >= 0 ? low.slice(whereAt + 5) : '',
    forUpdate: /\bfor\s+(?:no\s+key\s+)?update\b/.test(low),
    skipLocked: /\bskip\s+locked\b/.test(low),
    noWait: /\bnowait\b/.test(low),
    onConflict:
      /\bon\s+conflict\b|\bon\s+duplicate\s+key\b|\binsert\s+(?:or\s+)?ignore\b|^replace\b|^merge\b/.test(
        low,
      ),
    returning: /\breturning\b/.test(low),
    limit: /\blimit\b|\bfetch\s+first\b|\btop\s*\(/.test(low),
    orderBy: /\border\s+by\b/.test(low),
    relative:
      /["`]?([\w]+)["`]?\s*=\s*(?:coalesce\(\s*)?(?:[\w"`]+\.)?["`]?\1\b["`]?\s*(?:,\s*\d+\s*\))?\s*[-+*/|]/.test(
        setText,
      ) ||
      /=\s*(?:jsonb_set|array_append|array_remove|json_set|concat)\s*\(/.test(setText) ||
      /["`]?([\w]+)["`]?\s*=\s*[^,]*[-+*|]\s*["`]?\1\b/.test(setText),
    advisory: /\bpg_(?:try_)?advisory_xact_lock\b/.test(low)
      ? 'xact'
      : /\bpg_(?:try_)?advisory_lock\b|\bget_lock\s*\(/.test(low)
        ? 'session'
        : null,
    aggregate: verb === 'select' && /^\(?\s*select\s+(?:count|sum|max|min|avg|exists|bool_or)\s*\(/.test(low),
    text: flat,
  };
}
