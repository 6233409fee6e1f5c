'use strict';
// A program whose agent dies in the middle of a line; tells all it was told of that, when nothing is
// left to do.

const { clientOf, tell } = require('./shared');

const told = { rejections: [], exits: 0, unhandled: 0, warnings: 0 };
process.on('unhandledRejection', () => {
  told.unhandled += 1;
});
process.on('warning', () => {
  told.warnings += 1;
});

async function main() {
  const client = clientOf(process.argv.slice(2));
  client.on('exit', () => {
    told.exits += 1;
  });
  try {
    const session = await client.newSession();
    await session.prompt('go');
  } catch (error) {
    const { name, code, exitCode, stderr } = error;
    told.rejections.push({ name, code, exitCode, stderr });
  }
  process.on('exit', () => tell(told));
}

main();
