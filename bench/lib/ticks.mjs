// Where an axis has its marks. The first and the last are its ends, so that every value lies between them.

const ROUND = [1, 2, 5];
const MOST_LINEAR = 6;
/** Up to this many decades, a logarithmic axis has marks between the powers of ten. */
const SHORT_DECADES = 2;

/**
 * From 0 to `most` or a little more.
 * @param {number} most
 */
export function linearTicks(most) {
  if (!(most > 0)) return [0, 1];
  let step = 0;
  for (let exponent = Math.floor(Math.log10(most)) - 1; step === 0; exponent += 1)
    step = rounds(exponent).find((round) => Math.ceil(most / round) < MOST_LINEAR) ?? 0;
  const count = Math.ceil(most / step);
  return Array.from({ length: count + 1 }, (_, at) => exact(at * step));
}

/**
 * From `least` or a little less to `most` or a little more, both above 0.
 * @param {number} least
 * @param {number} most
 */
export function logTicks(least, most) {
  const [low, high] = [least, most].map(Math.log10);
  const marks = [];
  for (let exponent = Math.floor(low); exponent <= Math.ceil(high); exponent += 1)
    marks.push(...(high - low > SHORT_DECADES ? [10 ** exponent] : rounds(exponent)).map(exact));
  const first = marks.findLastIndex((mark) => mark <= least);
  const last = marks.findIndex((mark) => mark >= most && mark > (marks[first] ?? 0));
  return marks.slice(Math.max(0, first), last + 1);
}

function rounds(exponent) {
  return ROUND.map((round) => round * 10 ** exponent);
}

/** Without what binary fractions add. */
function exact(value) {
  return Number(value.toPrecision(12));
}
