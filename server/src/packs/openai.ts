/** openai: the client and its resources, at any depth (`client.a.b.create`). */
import { modelClientTypes } from './_kit/modelClient.ts';
import { definePack } from './contract.ts';

export const pack = definePack({
  id: 'openai',
  packages: ['openai'],
  assumedVersion: '6.49.0',
  types: modelClientTypes,
  exports: {
    default: { construct: { type: 'Client' } },
    OpenAI: { construct: { type: 'Client' } },
    AzureOpenAI: { construct: { type: 'Client' } },
  },
  facts: [
    {
      topic: 'timeout.default',
      versions: '6.49.0',
      says: 'Ten minutes per attempt; the timer ends when the headers arrive.',
      source: 'client.js',
    },
    {
      topic: 'retry.default',
      versions: '6.49.0',
      says: 'Two retries of any method on connection errors, 408, 409, 429 and 5xx, growing with jitter; Retry-After is honoured.',
      source: 'client.js',
    },
    { topic: 'idempotency', versions: '6.49.0', says: 'Retried requests carry no key.', source: 'client.js' },
  ],
});
