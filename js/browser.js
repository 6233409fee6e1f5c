'use strict';
// What a bundle for a browser gets in the place of this package: why it cannot be there. Bundlers take it by
// the condition `browser`; so do the pages of an app, its webviews, and tests in an environment like them.

const message =
  'mini-me-client: expected Node.js, got a bundle for a browser; a renderer or a webview has no Node.js: ' +
  'use mini-me-client in the main process or a utility process of Electron, or in the extension host of ' +
  'VS Code, and send messages to the page (in tests: the environment node, or its condition `node`)';

throw Object.assign(new Error(message), { code: 'MM_ERR_NATIVE' });
