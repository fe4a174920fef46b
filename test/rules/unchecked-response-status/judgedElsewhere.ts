//- /src/domains.ts
export const domainOf = async (name: string) => {
  return await fetch(`https://api.host.example/domains/${name}`).then((res) => res.json()); // ok: unchecked-response-status
};
export const zoneOf = async (name: string) => {
  return await fetch(`https://api.host.example/zones/${name}`).then((res) => res.json());
  //                                                                         ^^^^^^^^ unchecked-response-status
};
export const recordOf = async (name: string) => {
  return await fetch(`https://api.host.example/records/${name}`).then((res) => res.json()); // ok: unchecked-response-status
};
const raw = async (name: string) => {
  return await fetch(`https://api.host.example/owners/${name}`).then((res) => res.json()); // ok: unchecked-response-status
};
export const ownerOf = async (name: string) => {
  return await raw(name.toLowerCase());
};
//- /src/app.ts
import express from 'express';
import { domainOf, ownerOf, recordOf, zoneOf } from './domains';
const app = express();

app.get('/domains/:name', async (req, res) => {
  const domain = await domainOf(req.params.name);
  if (domain.error) return res.status(404).end();
  const owner = await ownerOf(req.params.name);
  if (owner.error) return res.status(404).end();
  const zone = await zoneOf(req.params.name);
  res.json({ domain, zone });
});
app.get('/records/:name', async (req, res) => {
  const [record] = await Promise.all([recordOf(req.params.name)]);
  if (record?.error) return res.status(404).end();
  res.json(record);
});
//- /src/text.ts
function split(text: string): [string, string] {
  const [code = '', message = ''] = text.split(':');
  return [code, message];
}
export async function send(to: string) {
  const response = await fetch(`https://sms.example/send?to=${to}`);
  const body = await response.text(); // ok: unchecked-response-status
  const [code, message] = split(body);
  if (code !== '0') throw new Error(message);
}
