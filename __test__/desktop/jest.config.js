'use strict';
// Tests in real hosts: slow, of Linux, and with downloads. `npm run test:desktop` makes them ready.

/** @type {import('jest').Config} */
module.exports = {
  rootDir: '../..',
  testEnvironment: 'node',
  testMatch: ['<rootDir>/__test__/desktop/**/*.test.js'],
  modulePathIgnorePatterns: ['<rootDir>/target/', '<rootDir>/examples/electron-app/out/'],
  transform: {},
  injectGlobals: false,
  restoreMocks: true,
  // A window of VS Code takes its time on a small machine.
  testTimeout: 180_000,
};
