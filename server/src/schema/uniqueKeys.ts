/** What the database promises about uniqueness, read from Prisma schemas and SQL. Owns the text readers; pure. */

/** Sets of columns that no two rows share, by entity; all names in lower case, underscores and quotes dropped. */
export type UniqueKeys = ReadonlyMap<string, readonly (readonly string[])[]>;

/** `team_members` and `TeamMember` name the same thing: lower case, no underscores, no plural. */
export function entityKey(name: string): string {
  const flat = (name.split('.').at(-1) ?? name).replace(/["'`[\]_\s]/g, '').toLowerCase();
  if (flat.length > 4 && flat.endsWith('ies')) return `${flat.slice(0, -3)}y`;
  if (/(?:x|ch|sh|ss)es$/.test(flat)) return flat.slice(0, -2);
  return flat.length > 3 && flat.endsWith('s') && !flat.endsWith('ss') ? flat.slice(0, -1) : flat;
}

export function columnKey(name: string): string {
  return name.replace(/["'`[\]_\s]/g, '').toLowerCase();
}

/** Ends the name under which partial indexes of an entity are kept. */
const PARTIAL = '?partial';

/** Unique keys while they are collected from one file after the other. */
export type FoundKeys = Map<string, string[][]>;

/** The schema tells of this entity, whether or not it has keys. */
export function declareEntity(found: FoundKeys, entity: string): void {
  const key = entityKey(entity);
  if (!found.has(key)) found.set(key, []);
}

/** `partial`: the key holds for some rows only, or its columns cannot be read. */
export function addKey(found: FoundKeys, entity: string, columns: readonly string[], partial = false): void {
  const key = `${entityKey(entity)}${partial ? PARTIAL : ''}`;
  const names = columns.map(columnKey).filter((c) => c !== '');
  if (names.length === 0) return;
  const list = found.get(key);
  if (list) list.push(names);
  else found.set(key, [names]);
}

/** Models of a Prisma schema: `@id`, `@unique`, `@@id([…])`, `@@unique([…])`; also under the mapped table name. */
export function readPrismaSchema(text: string, found: FoundKeys = new Map()): UniqueKeys {
  for (const [, name = '', body = ''] of text.matchAll(/^\s*model\s+(\w+)\s*\{([\s\S]*?)^\s*\}/gm)) {
    const mapped = /@@map\(\s*(?:name:\s*)?"([^"]+)"/.exec(body)?.[1];
    const names = mapped ? [name, mapped] : [name];
    for (const line of body.split('\n')) {
      const code = line.replace(/\/\/.*$/, '');
      const block = /@@(?:unique|id)\(\s*(?:fields:\s*)?\[([^\]]*)\]/.exec(code)?.[1];
      const field = /^\s*(\w+)\s+\w+.*?\s@(?:unique|id)\b/.exec(code)?.[1];
      const columns = block?.split(',').map((c) => c.replace(/\(.*$/, '').trim()) ?? (field ? [field] : null);
      if (columns) for (const n of names) addKey(found, n, columns);
    }
  }
  return found;
}

/** `CREATE TABLE` with primary keys and unique constraints, `CREATE UNIQUE INDEX`, `ALTER TABLE … ADD … UNIQUE`. */
export function readSqlSchema(text: string, found: FoundKeys = new Map()): UniqueKeys {
  const flat = text.replace(/--[^\n]*/g, ' ').replace(/\/\*[\s\S]*?\*\//g, ' ');
  for (const m of flat.matchAll(
    /create\s+unique\s+index\s+(?:concurrently\s+)?(?:if\s+not\s+exists\s+)?[\w"`.]*\s*on\s+(?:only\s+)?([\w"`.]+)\s*(?:using\s+\w+\s*)?\(([^)]*)\)([^;]*)/gi,
  )) {
    // A partial index promises nothing about the rows it leaves out.
    if (/\bwhere\b/i.test(m[3] ?? '')) {
      addKey(found, m[1] ?? '', columnsOf(m[2] ?? ''), true);
      continue;
    }
    addKey(found, m[1] ?? '', columnsOf(m[2] ?? ''));
  }
  for (const m of flat.matchAll(
    /alter\s+table\s+(?:only\s+)?(?:if\s+exists\s+)?([\w"`.]+)\s+add\s+(?:constraint\s+[\w"`]+\s+)?(?:unique|primary\s+key)\s*(?:key\s*)?(?:[\w"`]+\s*)?\(([^)]*)\)/gi,
  ))
    addKey(found, m[1] ?? '', columnsOf(m[2] ?? ''));
  for (const m of flat.matchAll(/create\s+table\s+(?:if\s+not\s+exists\s+)?([\w"`.]+)\s*\(/gi)) {
    const body = balanced(flat, m.index + m[0].length);
    for (const part of splitTop(body)) {
      const table =
        /^\s*(?:constraint\s+[\w"`]+\s+)?(?:unique|primary\s+key)\s*(?:key\s*)?(?:[\w"`]+\s*)?\(([^)]*)\)/i.exec(
          part,
        );
      if (table) addKey(found, m[1] ?? '', columnsOf(table[1] ?? ''));
      else if (/\b(?:unique|primary\s+key)\b/i.test(part))
        addKey(found, m[1] ?? '', [/^\s*([\w"`]+)/.exec(part)?.[1] ?? '']);
    }
  }
  return found;
}

function columnsOf(list: string): string[] {
  return list.split(',').map((c) => c.trim().replace(/\s+(?:asc|desc|nulls)\b.*$/i, ''));
}

/** The text up to the parenthesis that closes the one before `at`. */
function balanced(text: string, at: number): string {
  let depth = 1;
  for (let i = at; i < text.length; i++) {
    if (text[i] === '(') depth++;
    else if (text[i] === ')' && --depth === 0) return text.slice(at, i);
  }
  return text.slice(at);
}

function splitTop(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '(') depth++;
    else if (text[i] === ')') depth--;
    else if (text[i] === ',' && depth === 0) {
      parts.push(text.slice(from, i));
      from = i + 1;
    }
  }
  parts.push(text.slice(from));
  return parts;
}

/** True when some unique key of the entity lies within these columns: two rows that agree on them cannot both exist. */
export function isUnique(keys: UniqueKeys, entity: string, columns: readonly string[]): boolean {
  const given = new Set(columns.map(columnKey));
  return (keys.get(entityKey(entity)) ?? []).some((key) => key.every((c) => given.has(c)));
}

/** The schema tells of the entity, and no index on a part of its rows leaves room for doubt. */
export function isFullyKnown(keys: UniqueKeys, entity: string): boolean {
  return keys.has(entityKey(entity)) && !keys.has(`${entityKey(entity)}${PARTIAL}`);
}

/** Some unique key beside the row's own id. */
export function hasOwnKey(keys: UniqueKeys, entity: string): boolean {
  const list = keys.get(entityKey(entity));
  return list === undefined || list.some((key) => key.join() !== 'id');
}
