// SonarJS's recommended set, without type information.
const sonarjs = require('eslint-plugin-sonarjs');
const tseslint = require('typescript-eslint');

module.exports = tseslint.config({
  files: ['**/*.{ts,tsx,mts,cts,js,jsx,mjs,cjs}'],
  languageOptions: { parser: tseslint.parser },
  extends: [sonarjs.configs.recommended],
});
