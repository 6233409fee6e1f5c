module.exports = {
  mode: 'production',
  target: 'node',
  entry: './src/main.mjs',
  externals: { 'mini-me-client': 'commonjs mini-me-client' },
};
