// One measurement in a process of its own: one client or limit, one scenario. Prints its figures as JSON.
//   node bench/one.mjs <client> <scenario> [count, of a scale]

import { SCALES } from './lib/scales.mjs';
import { SCENARIOS } from './lib/scenarios.mjs';

/** Many times what any run takes, also where others use the machine: it hangs. */
const LONGEST_MS = 180_000;

setTimeout(() => {
  process.stderr.write(`expected a measurement to end within ${LONGEST_MS} ms, it did not\n`);
  process.exit(1);
}, LONGEST_MS).unref();

const [client, name, count] = process.argv.slice(2);
const what = count === undefined ? SCENARIOS[name] : SCALES[name].at(Number(count));
const isLimit = what.limits?.includes(client);
const { measure } = await import(
  `./measures/${isLimit ? client : (what.measure ?? 'traffic')}.mjs`
);
process.stdout.write(`${JSON.stringify(await measure({ ...what, client }))}\n`);
