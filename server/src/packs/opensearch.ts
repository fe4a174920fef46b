/** OpenSearch's client. */
import { searchClientTypes } from './_kit/searchClient.ts';
import { definePack } from './contract.ts';

export const pack = definePack({
  id: 'opensearch',
  packages: ['@opensearch-project/opensearch'],
  assumedVersion: '3.9.0',
  types: searchClientTypes([{ range: '*', value: { total: 30_000 } }]),
  exports: { Client: { construct: { type: 'Client' } } },
  facts: [
    {
      topic: 'timeout.default',
      versions: '3.9.0',
      says: '30 s a request, three repeats.',
      source: 'lib/Client.js',
    },
  ],
});
