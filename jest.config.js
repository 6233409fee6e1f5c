'use strict';

/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: '<rootDir>/__test__/strict-environment.js',
  testMatch: ['<rootDir>/__test__/**/*.test.js', '<rootDir>/examples/testing/*.jest.test.js'],
  // Type tests are tsc's; those of the desktop need real hosts: `npm run test:desktop`.
  testPathIgnorePatterns: [
    '/node_modules/',
    '<rootDir>/__test__/types/',
    '<rootDir>/__test__/desktop/',
  ],
  // A built crate holds thousands of files that are none of jest's business; the others have packages of
  // names that are the same, or that the loader asks for.
  modulePathIgnorePatterns: [
    '<rootDir>/target/',
    '<rootDir>/build/',
    '<rootDir>/npm/',
    '<rootDir>/examples/electron-app/out/',
  ],
  // Published without CommonJS; everything else runs as it is.
  transform: {
    '/node_modules/(arktype|arkregex|@ark)/': '<rootDir>/__test__/commonjs-transform.js',
  },
  transformIgnorePatterns: [],
  injectGlobals: false,
  randomize: true,
  showSeed: true,
  restoreMocks: true,
  // Long enough for a process to start on a loaded machine, short enough to tell of one that hangs.
  testTimeout: 15_000,
  collectCoverageFrom: ['js/**/*.js'],
};
