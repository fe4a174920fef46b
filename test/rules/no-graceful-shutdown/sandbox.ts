import { createServer } from 'node:http';

const server = createServer((req, res) => {
  if (req.method === 'POST' && req.url === '/hooks/terminate') return res.end('ended');
  res.end('hello');
});
server.listen(8080); // ok: no-graceful-shutdown
