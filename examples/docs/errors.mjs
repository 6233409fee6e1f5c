// What docs/errors.md shows, as one program.

import { MiniMe, MiniMeError } from 'mini-me-client';

// #region catch
const client = new MiniMe({ command: 'mm-of-another-name' });
try {
  await client.start();
} catch (error) {
  if (!(error instanceof MiniMeError)) throw error;
  if (error.code === 'MM_ERR_SPAWN') console.log('Is mm installed?', error.details.path);
  else console.log(error.code, error.message);
}
// #endregion catch
