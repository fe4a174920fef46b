import fs from 'node:fs';
import path from 'node:path';
import { readFile, rename, writeFile } from 'node:fs/promises';
const STATE_FILE = path.join('/var/lib/app', 'state.json');
export async function load() {
  return JSON.parse(await readFile(STATE_FILE, 'utf8'));
}
export async function save(state: object) {
  await writeFile(STATE_FILE, JSON.stringify(state));
  //    ^^^^^^^^^ non-atomic-file-write: A crash during `writeFile` leaves `STATE_FILE` empty or cut off, and its old content is gone: the file is overwritten where it stands.
}
export async function saveWell(state: object) {
  await writeFile(`${STATE_FILE}.tmp`, JSON.stringify(state)); // ok: non-atomic-file-write
  await rename(`${STATE_FILE}.tmp`, STATE_FILE);
}
export class Sessions {
  static META_FILE = 'sessions.json';
  constructor(
    private readonly folder: string,
    private readonly indexFile: string,
  ) {}
  meta() {
    return JSON.parse(fs.readFileSync(path.join(this.folder, Sessions.META_FILE), 'utf8'));
  }
  saveMeta(meta: object) {
    const target = path.join(this.folder, Sessions.META_FILE);
    fs.writeFileSync(target, JSON.stringify(meta));
//  ^^^^^^^^^^^^^^^^ non-atomic-file-write
  }
  saveAside(meta: object) {
    const tmpFolder = fs.mkdtempSync('sessions');
    fs.writeFileSync(path.join(tmpFolder, Sessions.META_FILE), JSON.stringify(meta)); // ok: non-atomic-file-write
  }
  entries() {
    return fs.readFileSync(this.indexFile, 'utf8').split('\n');
  }
  saveEntries(entries: string[]) {
    fs.writeFileSync(this.indexFile, entries.join('\n'));
//  ^^^^^^^^^^^^^^^^ non-atomic-file-write
  }
}
function cursorPath(name: string) {
  return path.join('/var/lib/app', name);
}
export async function cursor(name: string) {
  return readFile(cursorPath(name), 'utf8');
}
export async function moveOn(name: string, to: string) {
  await writeFile(cursorPath(name), JSON.stringify({ to }));
  //    ^^^^^^^^^ non-atomic-file-write
}
export function firstStart() {
  if (!fs.existsSync(STATE_FILE)) fs.writeFileSync(STATE_FILE, '{}'); // ok: non-atomic-file-write
}
export async function appendTo(text: string) {
  await writeFile(STATE_FILE, text, { flag: 'a' }); // ok: non-atomic-file-write
}
export async function upload(target: string, bytes: Uint8Array) {
  await writeFile(target, bytes); // ok: non-atomic-file-write
}
export async function exported(folder: string, rows: object[]) {
  await writeFile(path.join(folder, 'rows.json'), JSON.stringify(rows)); // ok: non-atomic-file-write
}
const LOG_FILE = '/var/log/app/log.txt';
export async function lastLog() {
  return readFile(LOG_FILE, 'utf8');
}
export async function writeLog(text: string) {
  await writeFile(LOG_FILE, text); // ok: non-atomic-file-write
}
export async function page(folder: string) {
  const html = await readFile(path.join(folder, 'page.html'), 'utf8');
  await writeFile(path.join(folder, 'page.html'), html.trim()); // ok: non-atomic-file-write
}
export async function handedIn(name: string, content: string) {
  await writeFile(cursorPath(name), content); // ok: non-atomic-file-write
}
