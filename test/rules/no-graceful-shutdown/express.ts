import express from 'express';

const app = express();
app.get('/', (_req, res) => res.send('ok'));

async function start() {
  app.listen(3000);
//^^^^^^^^^^ no-graceful-shutdown: A deploy cuts requests off: this process serves, and neither this file nor what it imports handles SIGTERM.
}
start().catch(console.error);
