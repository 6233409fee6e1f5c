// How figures are written.

/** Three digits that count, thousands apart. */
export function format(value) {
  if (value >= 1000) return grouped(Math.round(value));
  return value >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)));
}

/** For axes: 20 M, 2 k, 0.5. */
export function short(value) {
  if (value >= 1e6) return `${Number((value / 1e6).toPrecision(3))} M`;
  return value >= 1e3
    ? `${Number((value / 1e3).toPrecision(3))} k`
    : String(Number(value.toPrecision(3)));
}

function grouped(value) {
  return value.toLocaleString('en-US').replaceAll(',', ' ');
}
