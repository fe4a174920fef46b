// The same as the untyped run, and typescript-eslint's rules about promises, which ask the type checker.
const tseslint = require('typescript-eslint');
const untyped = require('./untyped.config.cjs');

module.exports = tseslint.config(...untyped, {
  files: ['**/*.{ts,tsx,mts,cts,js,jsx,mjs,cjs}'],
  languageOptions: {
    parserOptions: { project: ['./tsconfig.bench.json'], tsconfigRootDir: process.cwd() },
  },
  rules: {
    'prefer-promise-reject-errors': 'off',
    '@typescript-eslint/await-thenable': 'error',
    '@typescript-eslint/no-floating-promises': 'error',
    '@typescript-eslint/no-misused-promises': 'error',
    '@typescript-eslint/prefer-promise-reject-errors': 'error',
    '@typescript-eslint/promise-function-async': 'error',
    '@typescript-eslint/require-await': 'error',
    '@typescript-eslint/return-await': 'error',
  },
});
