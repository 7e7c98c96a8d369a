// Rules for the pages: those that find mistakes. Form is the formatter's.
import js from '@eslint/js'
import svelte from 'eslint-plugin-svelte'
import globals from 'globals'
import ts from 'typescript-eslint'

export default ts.config(
  { ignores: ['node_modules/', 'src/studio/messages.ts'] },
  js.configs.recommended,
  ...ts.configs.recommended,
  ...svelte.configs.recommended,
  {
    languageOptions: { globals: { ...globals.browser, ...globals.node } },
    rules: {
      // a cast through unknown hides that a type is wrong
      'no-restricted-syntax': [
        'error',
        { selector: 'TSAsExpression > TSAsExpression > TSUnknownKeyword', message: 'Give the value its type instead.' },
      ],
      eqeqeq: ['error', 'always'],
      'prefer-const': ['error', { destructuring: 'all' }],
      '@typescript-eslint/consistent-type-imports': 'error',
    },
  },
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: { parserOptions: { parser: ts.parser } },
    rules: {
      'prefer-const': 'off',
      'svelte/prefer-const': ['error', { destructuring: 'all' }], // lets properties be declared with let
      'svelte/no-unused-svelte-ignore': 'off', // does not know the warnings of svelte-check
      'svelte/prefer-svelte-reactivity': 'off', // maps here are made anew, not changed
    },
  },
)
