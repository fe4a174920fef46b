// ESLint without type information: the recommended set of typescript-eslint and the core rules about promises.
const tseslint = require('typescript-eslint');

module.exports = tseslint.config({
  files: ['**/*.{ts,tsx,mts,cts,js,jsx,mjs,cjs}'],
  extends: [tseslint.configs.recommended],
  rules: {
    'no-async-promise-executor': 'error',
    'no-await-in-loop': 'error',
    'no-empty': 'error',
    'no-promise-executor-return': 'error',
    'no-unsafe-finally': 'error',
    'prefer-promise-reject-errors': 'error',
    'require-atomic-updates': 'error',
  },
});
