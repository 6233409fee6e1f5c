// The wall clock in nanoseconds, which the agent reads too: Node tells it in milliseconds alone.

const TICKS = 20;

/** Read a moment after the clock has ticked, so the largest of several readings is the nearest. */
function measureOffsetNs() {
  let offset = 0n;
  for (let tick = 0; tick < TICKS; tick += 1) {
    const before = Date.now();
    let now = before;
    while (now === before) now = Date.now();
    const reading = BigInt(now) * 1_000_000n - process.hrtime.bigint();
    if (tick === 0 || reading > offset) offset = reading;
  }
  return offset;
}

let offsetNs;

/** Measures the clock; takes 20 ms. */
export function setClock() {
  offsetNs = measureOffsetNs();
}

export function wallClockNs() {
  return process.hrtime.bigint() + offsetNs;
}
