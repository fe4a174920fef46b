/** Elasticsearch's client. */
import { searchClientTypes } from './_kit/searchClient.ts';
import { definePack } from './contract.ts';

export const pack = definePack({
  id: 'elasticsearch',
  packages: ['@elastic/elasticsearch'],
  assumedVersion: '9.4.3',
  types: searchClientTypes([
    { range: '>=9', value: { total: null } },
    { range: '*', value: { total: 30_000 } },
  ]),
  exports: { Client: { construct: { type: 'Client' } } },
  facts: [
    {
      topic: 'timeout.default',
      versions: '9.4.3',
      says: 'None: headers and body may take for ever unless `requestTimeout` is set on the client or the call. Until 8 it was 30 s.',
      source: '@elastic/transport 9.4.0 lib/connection/UndiciConnection.js, lib/Transport.js',
    },
    {
      topic: 'retry.default',
      versions: '9.4.3',
      says: 'Three repeats on connection errors, timeouts and 502 to 504.',
      source: 'lib/client.js, @elastic/transport lib/Transport.js',
    },
  ],
});
