/**
 * The panel in headless Chromium with a fake editor behind it: same page, same content policy, same messages.
 * Everything that the panel sends is kept in `sent` and checked against the protocol's schemas.
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { chromium } from 'playwright-core';
import type {
  PanelMessage,
  PanelRequest,
  TableModel,
  TableProblem,
} from '../../server/src/protocol/messages.ts';
import {
  panelMessageSchema,
  panelReceiptSchema,
  panelRequestSchema,
} from '../../server/src/protocol/messages.ts';
import { counted } from './sampleTable.ts';
import { themeSheet } from './themes.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const ORIGIN = 'http://panel.test';
const POLICY = `default-src 'none'; script-src 'nonce-test'; style-src 'self'; font-src 'self' data:; img-src data:`;

/** Stands in for what the editor puts into a webview. */
const HOST = `
  let kept = JSON.parse(sessionStorage.getItem('kept') ?? 'null');
  window.acquireVsCodeApi = () => ({
    postMessage: (message) => void window.__toEditor(message),
    getState: () => kept ?? undefined,
    setState: (state) => { kept = state; sessionStorage.setItem('kept', JSON.stringify(state)); },
  });
  window.__violations = [];
  document.addEventListener('securitypolicyviolation', (event) => window.__violations.push(event.violatedDirective + ' ' + event.blockedURI));
`;

let bundle: Promise<string> | undefined;

function panelBundle(): Promise<string> {
  bundle ??= build({
    absWorkingDir: ROOT,
    entryPoints: ['media/panel/src/main.ts'],
    bundle: true,
    platform: 'browser',
    format: 'esm',
    target: 'chrome120',
    write: false,
    logLevel: 'error',
  }).then((result) => result.outputFiles[0]!.text);
  return bundle;
}

export async function launch(): Promise<Browser> {
  const executablePath =
    process.env['CHROMIUM'] ??
    ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
  if (!executablePath)
    throw new Error(
      'No Chromium found: install it (Debian: apt-get install chromium) or set CHROMIUM to its path.',
    );
  return chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
    ],
  });
}

export class PanelPage {
  readonly sent: PanelRequest[] = [];
  readonly receipts: number[] = [];
  readonly errors: string[] = [];
  /** Answer the next requests with this text instead of doing them. */
  refuse: string | null = null;
  private pushes = 0;

  private constructor(
    readonly page: Page,
    public model: TableModel | null,
    public problems: TableProblem[],
  ) {}

  static async open(
    browser: Browser,
    model: TableModel | null,
    {
      theme = 'dark',
      width = 1100,
      height = 900,
      problems = [] as TableProblem[],
      reducedMotion = false,
    } = {},
  ): Promise<PanelPage> {
    const page = await browser.newPage({
      viewport: { width, height },
      ...(reducedMotion ? { reducedMotion: 'reduce' } : {}),
    });
    const panel = new PanelPage(page, model, problems);
    page.on('pageerror', (error) => panel.errors.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') panel.errors.push(message.text());
    });
    const script = await panelBundle();
    const html = `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}"><title>Sixlens</title>
<link rel="stylesheet" href="/theme.css"><script nonce="test" src="/host.js"></script>
<script type="application/json" id="sixlens-texts">{}</script></head>
<body><sixlens-panel></sixlens-panel><script type="module" nonce="test" src="/panel.js"></script></body></html>`;
    await page.route(`${ORIGIN}/**`, async (route) => {
      const path = new URL(route.request().url()).pathname;
      if (path === '/') await route.fulfill({ contentType: 'text/html', body: html });
      else if (path === '/theme.css')
        await route.fulfill({ contentType: 'text/css', body: themeSheet(theme) });
      else if (path === '/host.js') await route.fulfill({ contentType: 'text/javascript', body: HOST });
      else if (path === '/panel.js') await route.fulfill({ contentType: 'text/javascript', body: script });
      else await route.fulfill({ status: 204, body: '' });
    });
    await page.exposeFunction('__toEditor', (raw: unknown) => panel.receive(raw));
    await page.goto(`${ORIGIN}/`);
    await page.locator('sixlens-panel h1').waitFor();
    return panel;
  }

  /** As after an edit of the document by somebody else. */
  async push(model: TableModel | null, problems: TableProblem[] = [], reveal?: string): Promise<void> {
    this.model = model;
    this.problems = problems;
    await this.post({
      id: ++this.pushes,
      type: 'model',
      uri: 'file:///shop/.sixlens/tables/src/webhooks/payments/webhook-post-webhooks-payments.yaml',
      file: '.sixlens/tables/src/webhooks/payments/webhook-post-webhooks-payments.yaml',
      version: this.pushes,
      model,
      problems,
      today: '2026-11-30',
      person: 'li',
      ...(reveal === undefined ? {} : { reveal }),
    });
  }

  private async post(message: PanelMessage): Promise<void> {
    panelMessageSchema.parse(message);
    await this.page.evaluate(`window.postMessage(${JSON.stringify(message)}, '*')`);
  }

  private async receive(raw: unknown): Promise<void> {
    const receipt = panelReceiptSchema.safeParse(raw);
    if (receipt.success) {
      this.receipts.push(receipt.data.id);
      return;
    }
    const request = panelRequestSchema.parse(raw);
    this.sent.push(request);
    if (this.refuse !== null) {
      await this.post({ id: request.id, type: 'answer', error: this.refuse });
      return;
    }
    let row: string | undefined;
    if (this.model && request.type === 'setVerdict') this.model = decided(this.model, request);
    if (this.model && request.type === 'setContract')
      this.model = { ...this.model, contract: request.contract };
    if (this.model && request.type === 'addRow') {
      row = 'clk-new00001';
      this.model = withRow(this.model, request.lens, row, request.failure);
    }
    await this.post({ id: request.id, type: 'answer', error: null, ...(row === undefined ? {} : { row }) });
    if (['ready', 'setVerdict', 'setContract', 'addRow'].includes(request.type))
      await this.push(this.model, this.problems);
  }

  /** The element that has the focus, through shadow roots: its row, stop or field. */
  async focus(): Promise<{ row: string | null; stop: string | null; field: string | null }> {
    return this.page.evaluate<{ row: string | null; stop: string | null; field: string | null }>(`(() => {
      const active = document.querySelector('sixlens-panel').shadowRoot.activeElement;
      const of = (name) => active?.getAttribute(name) ?? null;
      return { row: of('data-row'), stop: of('data-stop'), field: of('data-field') };
    })()`);
  }

  /** Waits until the focus is where it should be; fails with where it is. */
  async focused(want: { row?: string; stop?: string; field?: string }): Promise<void> {
    const limit = Date.now() + 5000;
    for (;;) {
      const is = await this.focus();
      if (Object.entries(want).every(([name, value]) => is[name as keyof typeof is] === value)) return;
      if (Date.now() > limit)
        throw new Error(`focus is on ${JSON.stringify(is)}, not on ${JSON.stringify(want)}`);
      await this.page.waitForTimeout(10);
    }
  }

  /** Waits for the n-th request of that kind, counted from 1. */
  async request(type: PanelRequest['type'], count = 1): Promise<PanelRequest> {
    const limit = Date.now() + 5000;
    for (;;) {
      const found = this.sent.filter((one) => one.type === type)[count - 1];
      if (found) return found;
      if (Date.now() > limit)
        throw new Error(`no ${type} number ${count} among ${JSON.stringify(this.sent)}`);
      await this.page.waitForTimeout(10);
    }
  }

  async violations(): Promise<string[]> {
    return this.page.evaluate<string[]>('window.__violations');
  }
}

function decided(model: TableModel, request: Extract<PanelRequest, { type: 'setVerdict' }>): TableModel {
  return counted({
    ...model,
    lenses: model.lenses.map((lens) => ({
      ...lens,
      rows: lens.rows.map((row) => {
        if (row.id !== request.row) return row;
        const fields = { ...row.fields };
        for (const [name, value] of Object.entries(request.fields ?? {}))
          if (value === null) delete fields[name];
          else fields[name] = value;
        const verdict = request.verdict ?? row.verdict;
        const state = verdict === 'undecided' ? ('undecided' as const) : ('incomplete' as const);
        return { ...row, verdict, fields, proposed: false, state };
      }),
    })),
  });
}

function withRow(model: TableModel, lens: string, id: string, failure: string): TableModel {
  return counted({
    ...model,
    lenses: model.lenses.map((one) =>
      one.lens === lens
        ? {
            ...one,
            exposure: 'rows' as const,
            rows: [
              ...one.rows,
              {
                id,
                lens: one.lens,
                failure,
                rule: null,
                at: null,
                why: null,
                verdict: 'undecided' as const,
                fields: {},
                proposed: false,
                state: 'undecided' as const,
                stateText: 'Nobody has decided yet.',
                place: null,
              },
            ],
          }
        : one,
    ),
  });
}
