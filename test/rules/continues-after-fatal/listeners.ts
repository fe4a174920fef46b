//- /src/server.ts
import { createServer } from 'node:http';
import pino from 'pino';

const logger = pino();
export function install() {
  process.on('uncaughtException', error => {
//^^^^^^^^^^ continues-after-fatal: After an exception that nothing caught, the process goes on in a state that nobody knows: this listener keeps it alive.
    logger.error({ err: error }, 'uncaught');
  });
}
install();
createServer((req, res) => res.end('ok')).listen(3000);

//- /src/named.ts
import { report } from './report.ts';
export function install() {
  process.once('uncaughtException', report);
//^^^^^^^^^^^^ continues-after-fatal
}

//- /src/report.ts
export function report(error: Error) {
  console.error('uncaught', error);
}

//- /src/exits.ts
process.on('uncaughtException', error => { // ok: continues-after-fatal
  console.error(error);
  process.exit(1);
});

//- /src/exitsLater.ts
import { leave } from './leave.ts';
process.on('uncaughtException', leave); // ok: continues-after-fatal

//- /src/leave.ts
export function leave(error: Error) {
  console.error(error);
  setTimeout(() => process.exit(1), 1000);
}

//- /src/shuts.ts
declare function shutdown(code: number): void;
process.on('uncaughtException', () => shutdown(1)); // ok: continues-after-fatal

//- /src/rethrows.ts
process.on('uncaughtException', error => { // ok: continues-after-fatal
  throw error;
});

//- /src/unknown.ts
declare const handler: (error: Error) => void;
process.on('uncaughtException', handler); // ok: continues-after-fatal

//- /src/two.ts
process.on('uncaughtException', error => console.error(error)); // ok: continues-after-fatal
process.on('uncaughtException', () => process.exit(1)); // ok: continues-after-fatal

//- /src/monitor.ts
process.on('uncaughtExceptionMonitor', error => console.error(error)); // ok: continues-after-fatal
process.on('unhandledRejection', error => console.error(error)); // ok: continues-after-fatal

//- /src/development.ts
if (process.env.NODE_ENV === 'development') {
  process.on('uncaughtException', error => console.error(error)); // ok: continues-after-fatal
}

//- /src/desktop.ts
import { app } from 'electron';
process.on('uncaughtException', error => console.error(error)); // ok: continues-after-fatal
app.quit();

//- /src/cli/main.ts
process.on('uncaughtException', error => console.error(error)); // ok: continues-after-fatal

//- /src/other.ts
import { EventEmitter } from 'node:events';
const bus = new EventEmitter();
bus.on('uncaughtException', error => console.error(error)); // ok: continues-after-fatal
