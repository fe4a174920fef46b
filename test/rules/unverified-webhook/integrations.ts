//- /src/fixture.ts
import { timingSafeEqual, createHmac } from 'node:crypto';
import * as kit from '.generated/kit';
import { store, readEvent } from './events.ts';

export const handler: kit.IntegrationProps['handler'] = async ({ req, client }) => {
  if (!req.body) return;
  await store(client, JSON.parse(req.body));
  //                  ^^^^^^^^^^ unverified-webhook: Whoever knows the address can post to `handler`, and it acts on what they send: nothing checks who sent it.
};

//- /src/inObject.ts
import * as kit from '.generated/kit';
import { store, readEvent } from './events.ts';

export default new kit.Integration({
  register: async () => {},
  handler: async props => {
//^^^^^^^ unverified-webhook
    const event = readEvent(props);
    await store(props.client, event);
  },
});

//- /src/wrappedRead.ts
import * as kit from '.generated/kit';
import { store, readEvent } from './events.ts';

export const handler = async (props: kit.HandlerProps) => {
//           ^^^^^^^ unverified-webhook
  const event = readEvent(props);
  await store(props.client, event);
};

//- /src/checked.ts
import { timingSafeEqual, createHmac } from 'node:crypto';
import * as kit from '.generated/kit';
import { store } from './events.ts';

const trusted = (req: kit.Request, key: string) =>
  timingSafeEqual(
    Buffer.from(createHmac('sha256', key).update(req.body).digest('hex')),
    Buffer.from(req.headers['x-sum'] ?? ''),
  );

// ok: unverified-webhook
export const handler: kit.IntegrationProps['handler'] = async ({ req, client, ctx }) => {
  if (!trusted(req, ctx.configuration.key)) return { status: 401 };
  await store(client, JSON.parse(req.body));
};

//- /src/tokenHeader.ts
import * as kit from '.generated/kit';
import { store } from './events.ts';

// ok: unverified-webhook
export const handler: kit.IntegrationProps['handler'] = async ({ req, client, ctx }) => {
  if (req.headers['x-hub-token'] !== ctx.configuration.sharedToken) return { status: 401 };
  await store(client, JSON.parse(req.body));
};

//- /src/noBody.ts
import * as kit from '.generated/kit';
import { store } from './events.ts';

// ok: unverified-webhook
export const handler: kit.IntegrationProps['handler'] = async ({ req, client }) => {
  await store(client, new URLSearchParams(req.query).get('code'));
  return { status: 200, body: 'thanks' };
};

//- /src/otherHandler.ts
import { store } from './events.ts';

// ok: unverified-webhook
export const handler = async ({ req, client }: { req: { body: string }; client: unknown }) => {
  await store(client, JSON.parse(req.body));
};

//- /src/events.ts
export async function store(client: any, event: unknown) {
  await client.saveEvent(event);
}
export function readEvent(props: any) {
  return JSON.parse(props.req.body);
}
