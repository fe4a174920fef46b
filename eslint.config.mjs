// Lint rules for the whole repository; layout is Prettier's, import directions are dependency-cruiser's.
import tseslint from 'typescript-eslint';

export default tseslint.config(
  {
    ignores: [
      '**/node_modules/**',
      'dist/**',
      'examples/**',
      'snippets/**',
      'test/.tmp/**',
      'test/**/fixtures/**',
      'test/{rules,packs,fixes}/*/!(*.test).{ts,tsx,js,mjs}',
      'test/vscode/workspaces/**',
      '**/*.generated.ts',
    ],
  },
  {
    files: ['**/*.{ts,mts,mjs,cjs}'],
    extends: [...tseslint.configs.recommended],
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'separate-type-imports' }],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', caughtErrors: 'none', ignoreRestSiblings: true },
      ],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-var': 'error',
      'prefer-const': 'error',
      'no-restricted-exports': [
        'error',
        { restrictDefaultExports: { direct: true, defaultFrom: true, named: true } },
      ],
    },
  },
  {
    files: ['*.config.mjs', '**/*.cjs'],
    rules: { 'no-restricted-exports': 'off', '@typescript-eslint/no-require-imports': 'off' },
  },
  {
    // Promises that nobody waits for are this product's own subject; the check needs types.
    files: ['client/src/**/*.ts', 'server/src/**/*.ts', 'media/panel/src/**/*.ts'],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { arguments: false } }],
    },
  },
);
