/**
 * One real VS Code with the packaged extension and a copy of the example service, driven through its own keyboard shortcuts.
 * Owns the selectors and key sequences; suites say what they want in its words. A failed step leaves a picture.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FrameLocator, Locator, Page } from 'playwright-core';
import { installChromium } from '../host/chromium.mjs';
import type { Server, ServerOptions, Workbench } from '../host/host.mjs';
import { openWorkbench, remoteUri, startServer } from '../host/host.mjs';
import { installHost } from '../host/install.mjs';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '../../..');
const pictures = path.join(root, 'test/.tmp/vscode/pictures');
const STEP_MS = 60_000;

export interface SessionOptions extends ServerOptions {
  /** Folder to copy and open, relative to the repository; default `examples/shop`. */
  folder?: string;
  /** File to open at the start, relative to the folder. */
  open?: string;
  locale?: string;
}

export class EditorSession {
  private constructor(
    readonly workspace: string,
    private readonly server: Server,
    private readonly workbench: Workbench,
  ) {}

  /** Installs what is missing, starts VS Code and waits until the workbench shows. Call it from a `before` with a long timeout. */
  static async start({
    folder = 'examples/shop',
    open,
    locale,
    ...host
  }: SessionOptions = {}): Promise<EditorSession> {
    const vsix = path.join(root, 'dist/sixlens.vsix');
    if (!existsSync(vsix))
      throw new Error('dist/sixlens.vsix is missing: run `npm run build` and `npm run package` first');
    installHost();
    installChromium();
    const workspace = path.join(mkdtempSync(path.join(tmpdir(), 'sixlens-ui-')), path.basename(folder));
    cpSync(path.join(root, folder), workspace, { recursive: true });
    commitEverything(workspace);
    let server: Server | undefined;
    try {
      server = await startServer({ vsix, ...host });
      const workbench = await openWorkbench({
        port: server.port,
        folder: workspace,
        ...(locale ? { locale } : {}),
        payload: open ? [['openFile', remoteUri(server.port, path.join(workspace, open))]] : [],
      });
      workbench.page.setDefaultTimeout(STEP_MS);
      await workbench.page.locator('.monaco-workbench').waitFor();
      return new EditorSession(workspace, server, workbench);
    } catch (error) {
      await server?.stop();
      rmSync(path.dirname(workspace), { recursive: true, force: true });
      throw error;
    }
  }

  get page(): Page {
    return this.workbench.page;
  }

  /** The text editor that shows; one editor group is assumed. */
  get editor(): Locator {
    return this.page.locator('.editor-instance .monaco-editor').first();
  }

  /** The content of the open webview, two frames deep. */
  get webview(): FrameLocator {
    return this.page.frameLocator('iframe.webview.ready').frameLocator('iframe#active-frame');
  }

  /** The text of a workspace file as it is on disk. */
  read(file: string): string {
    return readFileSync(path.join(this.workspace, file), 'utf8');
  }

  /** Waits until a workspace file matches on disk and returns its text; rejects with the text it has instead. */
  async onDisk(file: string, pattern: RegExp): Promise<string> {
    const end = Date.now() + STEP_MS;
    for (;;) {
      const text = existsSync(path.join(this.workspace, file)) ? this.read(file) : null;
      if (text !== null && pattern.test(text)) return text;
      if (Date.now() > end)
        throw new Error(`${file} does not match ${pattern} on disk:\n${text ?? '(no such file)'}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  private get quickInput(): Locator {
    return this.page.locator('.quick-input-widget .quick-input-box input');
  }

  /** Runs a command by its palette title, for example `Sixlens: Check Workspace`. */
  async command(title: string): Promise<void> {
    await this.page.keyboard.press('F1');
    await this.quickInput.fill(`>${title}`);
    const label = title.slice(title.indexOf(':') + 1).trim();
    await this.page.locator('.quick-input-list .monaco-list-row', { hasText: label }).first().waitFor();
    await this.page.keyboard.press('Enter');
  }

  async openFile(file: string): Promise<void> {
    await this.page.keyboard.press('Control+p');
    await this.quickInput.fill(file);
    const name = path.basename(file);
    await this.page.locator('.quick-input-list .monaco-list-row', { hasText: name }).first().waitFor();
    await this.page.keyboard.press('Enter');
    await this.page.locator('.tab.active', { hasText: name }).waitFor();
    await this.editor.locator('.view-line').first().waitFor();
  }

  /** Puts the caret at a line and column, both from 1. */
  async goTo(line: number, column = 1): Promise<void> {
    await this.page.keyboard.press('Control+g');
    await this.quickInput.fill(`:${line}:${column}`);
    await this.page.keyboard.press('Enter');
    await this.page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
  }

  async goToText(file: string, text: string): Promise<void> {
    const before = this.read(file).split(text)[0];
    if (before === undefined || before.length === this.read(file).length)
      throw new Error(`${file} does not hold ${text}`);
    const lines = before.split('\n');
    await this.goTo(lines.length, (lines.at(-1)?.length ?? 0) + 1);
  }

  /** Waits until the editor shows a squiggle, of this severity where one is named. */
  async squiggle(severity?: 'error' | 'warning' | 'info'): Promise<Locator> {
    const kinds = severity ? [severity] : ['error', 'warning', 'info'];
    const mark = this.editor.locator(kinds.map((kind) => `.squiggly-${kind}`).join(', ')).first();
    await mark.waitFor({ state: 'attached' });
    return mark;
  }

  /** Gives the keyboard to the text editor. */
  async focusEditor(): Promise<void> {
    await this.page.keyboard.press('Control+1');
    await this.page.locator('.editor-instance .monaco-editor.focused').first().waitFor();
  }

  /** Opens the Problems view and returns its rows. */
  async problems(): Promise<Locator> {
    await this.page.keyboard.press('Control+Shift+M');
    const rows = this.page.locator('.markers-panel .monaco-list-row');
    await rows.first().waitFor();
    return rows;
  }

  /** Opens the quick-fix menu at the caret and picks the entry with this title, by keyboard. */
  async quickFix(title: string | RegExp): Promise<void> {
    const entries = this.page.locator('.action-widget .monaco-list-row.action');
    const wanted = entries.filter({ hasText: title }).first();
    // New diagnostics close a menu that was opened for the old ones: it is opened again, as a person would.
    for (let attempt = 1; ; attempt++) {
      await this.page.keyboard.press('Control+.');
      const shown = await wanted.waitFor({ timeout: STEP_MS / 6 }).then(
        () => true,
        () => false,
      );
      if (shown) break;
      if (attempt === 6) throw new Error(`no quick fix "${String(title)}" is offered at the caret`);
      await this.page.keyboard.press('Escape');
    }
    const titles = await entries.allTextContents();
    const at = titles.findIndex((text) =>
      typeof title === 'string' ? text.includes(title) : title.test(text),
    );
    for (let step = 0; step < at; step++) await this.page.keyboard.press('ArrowDown');
    await this.page.keyboard.press('Enter');
  }

  async save(): Promise<void> {
    await this.page.keyboard.press('Control+s');
    await this.page.locator('.tab.active.dirty').waitFor({ state: 'detached' });
  }

  /** Keeps a picture of the workbench under test/.tmp/vscode/pictures and returns its path. */
  async picture(name: string): Promise<string> {
    mkdirSync(pictures, { recursive: true });
    const file = path.join(pictures, `${name.replace(/[^\w-]+/g, '-')}.png`);
    await this.page.screenshot({ path: file });
    return file;
  }

  async stop(): Promise<void> {
    await this.workbench.browser.close();
    await this.server.stop();
    rmSync(path.dirname(this.workspace), { recursive: true, force: true });
  }
}

function commitEverything(folder: string): void {
  for (const args of [
    ['init', '-q', '-b', 'main'],
    ['add', '-A'],
    ['-c', 'user.name=Suite', '-c', 'user.email=suite@example.invalid', 'commit', '-q', '-m', 'start'],
  ]) {
    const done = spawnSync('git', args, { cwd: folder, encoding: 'utf8' });
    if (done.status !== 0) throw new Error(`git ${args.join(' ')} failed in ${folder}: ${done.stderr}`);
  }
}
