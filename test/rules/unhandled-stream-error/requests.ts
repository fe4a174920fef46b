import { createServer, type IncomingMessage } from 'node:http';

export function textOf(req: IncomingMessage): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    req.on('data', (part) => (text += part));
    req.on('end', () => resolve(text));
//  ^^^^^^ unhandled-stream-error: When the client is gone before the end of `req`, this promise never settles: it resolves on `end` and nothing rejects on `error` or `close`.
  });
}
export function closed(req: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    req.on('data', (part) => (text += part));
    req.on('end', () => resolve(text)); // ok: unhandled-stream-error
    req.on('close', () => reject(new Error('gone')));
  });
}
export const server = createServer(async (req, res) => {
  await new Promise<void>((resolve) => {
    res.on('finish', () => resolve()); // ok: unhandled-stream-error
    res.end('hello');
  });
});
