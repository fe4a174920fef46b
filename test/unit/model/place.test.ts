import { strict as assert } from 'node:assert';
import {
  isBrowserCode,
  isBrowserPackage,
  isStronglyBrowser,
  placeOfPath,
} from '../../../server/src/model/place.ts';

describe('places', () => {
  const paths: readonly [string, ReturnType<typeof placeOfPath>][] = [
    ['src/orders/service.ts', null],
    ['src/orders/service.test.ts', 'test'],
    ['src/orders/__tests__/service.ts', 'test'],
    ['acceptance/http.ts', 'test'],
    ['src/test-setup.ts', 'test'],
    ['test/helpers/db.ts', 'test'],
    ['src/latest/contest.ts', null],
    ['src/attestation.ts', null],
    ['src/specification.ts', null],
    ['prisma/migrations/0001.ts', 'migration'],
    ['src/SchemaMigrations/run.ts', 'migration'],
    ['prisma/seed.ts', 'migration'],
    ['examples/shop/src/a.ts', 'example'],
    ['scripts/release.ts', 'script'],
    ['webpack.config.js', 'script'],
    ['packages/cli-v3/src/commands/dev.ts', 'script'],
    ['packages/shop-cli/src/run.ts', 'script'],
    ['src/clients/pay.ts', null],
    ['packages/test-containers/src/pg.ts', 'test'],
    ['src/generated/client.ts', 'generated'],
    ['src/api_pb.ts', 'generated'],
    ['vendor/lib/a.js', 'vendored'],
    ['public/app.js', 'vendored'],
    ['src/api/controllers/public/v2/thing.ts', null],
    ['src/types.d.ts', 'types'],
  ];
  for (const [path, place] of paths)
    it(`${path} is ${place ?? 'judged by its text'}`, () => assert.equal(placeOfPath(path), place));

  const browser: readonly [string, string, string][] = [
    ['a client component', 'app/form.tsx', `'use client'\nexport function Form() {}`],
    ['a directive behind a licence', 'app/a.ts', `/* licence */\n// more\n"use client";\n`],
    ['a hook', 'src/state.ts', `import { useState } from 'react';\nexport const useX = () => useState(1);`],
    ['a file named for its hook', 'lib/useOrders.ts', `export function useOrders() { return fetch(url); }`],
    ['a component', 'src/Card.tsx', `export const Card = () => <p>x</p>;`],
    ['a fetch without a host', 'lib/api.ts', 'export const load = () => fetch(`/api/orders/${id}`);'],
    ['page globals', 'lib/scroll.ts', `export const top = () => document.querySelector('main');`],
    ['a front-end folder', 'frontend/src/api.ts', `export const load = () => fetch(url);`],
    ['a data hook library', 'lib/orders.ts', `import useSWR from 'swr';`],
  ];
  for (const [what, path, text] of browser)
    it(`browser code: ${what}`, () => assert.equal(isBrowserCode(path, text), true));

  const server: readonly [string, string, string][] = [
    ['a service', 'src/orders.ts', `import { Pool } from 'pg';\nexport async function list() {}`],
    ['a server action', 'app/actions.ts', `'use server'\nexport async function save() { document.title }`],
    [
      'a page of the app router',
      'app/orders/page.tsx',
      `export default async function Page() { return <p />; }`,
    ],
    [
      'a route module with a loader',
      'app/routes/orders.tsx',
      `export async function loader() {}\nexport default function P() { return <p />; }`,
    ],
    ['a method named fetch', 'src/app.ts', `await app.fetch('/health')`],
    ['a protocol-relative address', 'src/a.ts', `await fetch('//cdn.example.com/x')`],
    [
      'a scraper',
      'src/scrape.ts',
      `import fs from 'node:fs';\npage.evaluate(() => document.querySelector('a'))`,
    ],
  ];
  for (const [what, path, text] of server)
    it(`server code: ${what}`, () => assert.equal(isBrowserCode(path, text), false));

  it('strong evidence of a browser ignores plain components', () => {
    assert.equal(isStronglyBrowser('src/Card.tsx', 'export const Card = () => <p>x</p>;'), false);
    assert.equal(
      isStronglyBrowser('src/Card.tsx', `'use client'\nexport const Card = () => <p>x</p>;`),
      true,
    );
    assert.equal(isStronglyBrowser('src/a.tsx', `'use client'\nimport 'server-only'`), false);
  });

  it('a package is a browser package when it asks for a browser framework and nothing that serves', () => {
    assert.equal(isBrowserPackage({ dependencies: { react: '19', 'react-dom': '19' } }), true);
    assert.equal(isBrowserPackage({ dependencies: { 'react-dom': '19', next: '15' } }), false);
    assert.equal(
      isBrowserPackage({ dependencies: { 'react-dom': '19' }, devDependencies: { express: '5' } }),
      false,
    );
    assert.equal(isBrowserPackage({ dependencies: { pg: '8' } }), false);
    assert.equal(isBrowserPackage({ dependencies: 'broken' }), false);
  });
});
