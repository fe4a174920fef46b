// Types of host.mjs, which stays plain JavaScript because `npm start` runs it without a loader.
import type { Browser, BrowserContext, Page } from 'playwright-core';

export interface ServerOptions {
  settings?: Record<string, unknown>;
  vsix?: string | readonly string[];
  testDriver?: boolean;
  workspaceTrust?: boolean;
  git?: boolean;
  token?: string;
  port?: string;
  log?: string;
  env?: Record<string, string>;
}

export interface Server {
  readonly port: number;
  readonly pid: number;
  readonly dir: string;
  readonly token: string | undefined;
  readonly closed: Promise<unknown>;
  stop(): Promise<void>;
}

export interface WorkbenchOptions {
  port: number;
  token?: string | undefined;
  folder?: string;
  payload?: readonly (readonly [string, string])[];
  locale?: string;
  before?: (page: Page) => Promise<void>;
  viewport?: { width: number; height: number };
}

export interface Workbench {
  readonly browser: Browser;
  readonly context: BrowserContext;
  readonly page: Page;
}

export function startServer(options?: ServerOptions): Promise<Server>;
export function workbenchAddress(options: Omit<WorkbenchOptions, 'before' | 'viewport'>): string;
export function remoteUri(port: number, file: string): string;
export function openWorkbench(options: WorkbenchOptions): Promise<Workbench>;
