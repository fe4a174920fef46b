import express from 'express';
import { EventEmitter } from 'node:events';
import driver from 'some-driver';
const app = express();
const bus = new EventEmitter();
const quiet = new EventEmitter();
app.get('/wait', (req, res) => {
  bus.on('done', () => res.end());
//^^^^^^ listener-per-request: Each call adds one more listener to `bus`, which outlives it, and none is taken away: they pile up until the process runs out of memory.
});
app.get('/signals', (req, res) => {
  process.on('SIGTERM', () => res.end());
//^^^^^^^^^^ listener-per-request
});
export function ask(address: string) {
  return new Promise((resolve, reject) => {
    driver.on('error', (error: Error) => reject(error));
//  ^^^^^^^^^ listener-per-request
    driver.connect(address).then(resolve, reject);
  });
}
export function bounded(parent: AbortSignal, url: string) {
  const controller = new AbortController();
  parent.addEventListener('abort', () => controller.abort()); // ok: listener-per-request
  return fetch(url, { signal: controller.signal });
}
export function bySignal(url: string, signal: AbortSignal) {
  const controller = new AbortController();
  signal.addEventListener('abort', () => controller.abort());
//^^^^^^^^^^^^^^^^^^^^^^^ listener-per-request
  return fetch(url, { signal: controller.signal });
}
export function bySignalOnce(url: string, signal: AbortSignal) {
  const controller = new AbortController();
  signal.addEventListener('abort', () => controller.abort(), { once: true }); // ok: listener-per-request
  return fetch(url, { signal: controller.signal });
}
app.get('/tidy', (req, res) => {
  const done = () => res.end();
  quiet.on('done', done); // ok: listener-per-request
  req.on('close', () => quiet.off('done', done));
});
app.get('/once', (req, res) => {
  bus.once('done', () => res.end()); // ok: listener-per-request
});
app.get('/own', (req, res) => {
  const own = new EventEmitter();
  own.on('done', () => res.end()); // ok: listener-per-request
  req.on('close', () => res.end()); // ok: listener-per-request
});
export function setupBus(log: (text: string) => void) {
  bus.on('done', () => log('done')); // ok: listener-per-request
}
export function startOnce(log: (text: string) => void) {
  if (bus.listenerCount('done') === 0) bus.on('done', () => log('done')); // ok: listener-per-request
}
bus.on('done', () => undefined); // ok: listener-per-request
declare const table: { on(a: string, b: string): void };
app.get('/join', () => {
  table.on('a.id', 'b.id'); // ok: listener-per-request
});
export class Relay {
  constructor(to: (text: string) => void) {
    bus.on('done', () => to('done')); // ok: listener-per-request
  }
}
export function shutdownOn(stop: () => void) {
  process.on('SIGTERM', () => stop()); // ok: listener-per-request
}
