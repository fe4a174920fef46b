declare function readRates(): Promise<number[]>;
const timeout = () => AbortSignal.timeout(1000);
let rates: Promise<string> | undefined;
let safeRates: Promise<string> | undefined;
let caught: Promise<string> | undefined;
let replaced: Promise<string> | undefined;
let plain: string | undefined;
let resilient: Promise<string | null> | undefined;
let once: Promise<string> | null = null;
let emptied: Promise<string> | undefined;
const flights = new Map<string, Promise<string>>();
const cleaned = new Map<string, Promise<string>>();
const handled = new Map<string, Promise<string>>();
const halfway = new Map<string, Promise<string>>();
const values = new Map<string, string>();
const unread = new Map<string, Promise<string>>();

async function load(id: string): Promise<string> {
  const response = await fetch(`https://rates.example.com/${id}`, { signal: timeout() });
  return response.text();
}
async function loadOrNull(id: string): Promise<string | null> {
  try {
    const response = await fetch(`https://rates.example.com/${id}`, { signal: timeout() });
    return await response.text();
  } catch (error) {
    console.error(error);
    return null;
  }
}

// ---- a failure that stays

export function currentRates() {
  if (!rates) {
    rates = load('all');
    rates.catch(() => {
      rates = undefined;
    });
  }
  return rates;
}
export function currentOnce() {
  once ??= load('once');
  return once;
}
export function flight(id: string) {
  const known = flights.get(id);
  if (known) return known;
  const started = load(id);
  flights.set(id, started);
  return started;
}
export async function half(id: string) {
  const known = halfway.get(id);
  if (known) return known;
  const started = load(id);
  halfway.set(id, started);
  const value = await started;
  halfway.delete(id);
  return value;
}
export class Client {
  private ready: Promise<string> | undefined;
  private readonly byId = new Map<string, Promise<string>>();
  connect() {
    if (this.ready) return this.ready;
    this.ready = load('client');
    this.ready.catch(() => {
      this.ready = undefined;
    });
    return this.ready;
  }
  one(id: string) {
    const known = this.byId.get(id);
    if (known) return known;
    const started = load(id);
    this.byId.set(id, started);
    return started;
  }
}

// ---- taken out, or no failure to keep

export function safe() {
  if (!safeRates) {
    safeRates = load('safe'); // ok: single-flight-leak
    safeRates.catch(() => {
      safeRates = undefined;
    });
  }
  return safeRates;
}
export function chained() {
  if (!caught) caught = load('caught').catch(() => ''); // ok: single-flight-leak
  return caught;
}
export function replacedLater() {
  if (!replaced) replaced = load('replaced'); // ok: single-flight-leak
  return replaced;
}
export function drop() {
  replaced = undefined;
}
export async function value() {
  if (!plain) plain = await load('plain'); // ok: single-flight-leak
  return plain;
}
export function neverRejects() {
  if (!resilient) resilient = loadOrNull('resilient'); // ok: single-flight-leak
  return resilient;
}
export async function emptiedWhenDone() {
  emptied ??= load('emptied'); // ok: single-flight-leak
  try {
    return await emptied;
  } finally {
    emptied = undefined;
  }
}
export function cleanedUp(id: string) {
  const known = cleaned.get(id);
  if (known) return known;
  const started = load(id);
  cleaned.set(id, started); // ok: single-flight-leak
  void started.finally(() => cleaned.delete(id)).catch(() => undefined);
  return started;
}
export async function finallyDeleted(id: string) {
  const known = handled.get(id);
  if (known) return known;
  const started = load(id);
  handled.set(id, started); // ok: single-flight-leak
  try {
    return await started;
  } finally {
    handled.delete(id);
  }
}
export async function settledValue(id: string) {
  const known = values.get(id);
  if (known) return known;
  const started = await load(id);
  values.set(id, started); // ok: single-flight-leak
  return started;
}
export function writtenOnly(id: string) {
  unread.set(id, load(id)); // ok: single-flight-leak
}
export function perCall(id: string) {
  let own: Promise<string> | undefined;
  if (!own) own = load(id); // ok: single-flight-leak
  return own;
}
let timer: Promise<void> | undefined;
export function wait() {
  timer ??= new Promise((resolve) => setTimeout(resolve, 10)); // ok: single-flight-leak
  return timer;
}
let rejected: Promise<number[]> | undefined;
export function unknown() {
  rejected ??= readRates(); // ok: single-flight-leak
  return rejected;
}
