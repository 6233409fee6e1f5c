export default {
  build: {
    ssr: 'src/main.mjs',
    rollupOptions: {
      external: ['mini-me-client'],
      output: { format: 'cjs', entryFileNames: 'main.js' },
    },
  },
};
