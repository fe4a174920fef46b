import { strict as assert } from 'node:assert';
import { callEffects } from '../support/callEffects.ts';

describe('packs of loggers', () => {
  it('pino: by import, require, child and annotation', () => {
    assert.deepEqual(
      callEffects(`import pino from 'pino';
import type { Logger } from 'pino';
const logger = pino();
logger.error({ id: 1 }, 'x');
logger.child({ job: 1 }).warn('y');
export class Service { constructor(private readonly log: Logger) {} run() { this.log.info('z'); } }`),
      ['error → pino.Logger emit', 'warn → pino.Logger emit', 'info → pino.Logger emit'],
    );
    assert.deepEqual(callEffects(`const log = require('pino')();\nlog.fatal('x');`), [
      'fatal → pino.Logger emit',
    ]);
  });
  it('winston: createLogger and the module itself', () => {
    assert.deepEqual(
      callEffects(`import winston, { createLogger } from 'winston';
const a = createLogger({});
a.error('x');
const b = winston.createLogger({});
b.child({ id: 1 }).warn('y');
winston.info('z');`),
      ['error → winston.Logger emit', 'warn → winston.Logger emit', 'info → lib emit'],
    );
  });
  it('bunyan, Sentry and the console', () => {
    assert.deepEqual(
      callEffects(`import bunyan from 'bunyan';
import * as Sentry from '@sentry/node';
const log = bunyan.createLogger({ name: 'x' });
log.error(new Error('x'));
Sentry.captureException(new Error('y'));
Sentry.withScope(scope => { scope.captureMessage('z'); });
console.error('w');`),
      [
        'error → bunyan.Logger emit',
        'captureException → lib emit',
        'captureMessage → sentry.Scope emit',
        'error → console.Console emit',
      ],
    );
  });
  it('a name that only looks like a logger is none', () => {
    assert.deepEqual(callEffects(`import { logger } from './lumber.ts';\nlogger.error('x');`), []);
  });
});
