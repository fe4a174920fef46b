// Makes dist/sixlens.vsix from what dist/ holds, and refuses one that lacks a part or is too large.
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createVSIX } from '@vscode/vsce';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const LIMIT_BYTES = 3 * 1024 * 1024;
const PARTS = [
  'client/extension.cjs',
  'server.cjs',
  'cli.js',
  'typescript.cjs',
  'tsmorph.cjs',
  'panel/panel.js',
];

/** Writes dist/sixlens.vsix and returns its path. Rejects with what is missing, or with both sizes when it is over 3 MB. */
export async function packageVsix() {
  const file = path.join(root, 'dist/sixlens.vsix');
  // A package of an earlier build must never pass for this one.
  rmSync(file, { force: true });
  const missing = PARTS.filter((part) => !existsSync(path.join(root, 'dist', part)));
  if (missing.length)
    throw new Error(`not in dist/: ${missing.join(', ')}; run \`npm run build\` and see what it skipped`);
  await createVSIX({
    cwd: root,
    packagePath: file,
    dependencies: false,
    allowMissingRepository: true,
    // The pages that README links to are in the package.
    rewriteRelativeLinks: false,
    skipLicense: false,
  });
  const { size } = statSync(file);
  const megabytes = (bytes) => `${(bytes / 1024 / 1024).toFixed(2)} MB`;
  if (size > LIMIT_BYTES)
    throw new Error(`dist/sixlens.vsix is ${megabytes(size)}, the limit is ${megabytes(LIMIT_BYTES)}`);
  if (readFileSync(file).readUInt32LE(0) !== 0x04034b50)
    throw new Error('dist/sixlens.vsix is not a zip file');
  console.log(`package: dist/sixlens.vsix ${megabytes(size)}`);
  return file;
}

if (process.argv[1] && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  packageVsix().catch((error) => {
    console.error(`package: ${error instanceof Error ? error.message : error}`);
    process.exit(1);
  });
}
