/** @nestjs/axios: axios behind observables. Its default and what is piped behind it are out of sight here, so no bound is claimed. */
import { definePack, type MemberSpec } from './contract.ts';

const verb = (method: string, hasBody: boolean): MemberSpec => ({
  call: {
    effect: {
      kind: 'http',
      op: 'request',
      method,
      urlAt: { arg: 0, path: '' },
      ...(hasBody ? { bodyAt: { arg: 1, path: '' } } : {}),
      rejectsOnStatus: true,
    },
    promise: false,
  },
});

export const pack = definePack({
  id: 'nestAxios',
  packages: ['@nestjs/axios'],
  assumedVersion: '12.0.1',
  types: {
    HttpService: {
      role: 'client',
      members: {
        get: verb('GET', false),
        head: verb('HEAD', false),
        delete: verb('DELETE', false),
        post: verb('POST', true),
        put: verb('PUT', true),
        patch: verb('PATCH', true),
        request: {
          call: {
            effect: {
              kind: 'http',
              op: 'request',
              urlAt: { arg: 0, path: 'url' },
              methodAt: [{ arg: 0, path: 'method' }],
              bodyAt: { arg: 0, path: 'data' },
              rejectsOnStatus: true,
            },
            promise: false,
          },
        },
      },
    },
  },
  exports: { HttpService: { construct: { type: 'HttpService' } } },
  facts: [
    {
      topic: 'timeout.default',
      versions: '12.0.1',
      says: "Axios's own: none, unless `HttpModule.register({ timeout })` or the call sets one.",
      source: 'dist/http.service.js',
    },
  ],
});
