export default {
  input: 'src/main.mjs',
  external: ['mini-me-client'],
  output: { file: 'dist/main.js', format: 'cjs' },
};
