// Medians and bands. A ratio is taken within a round, where both clients met the same machine, and
// the median of these is told. What grows is told by its power.

/** @param {number[]} values */
export function median(values) {
  return quantile(values, 0.5);
}

/** Between the two nearest values, in proportion. */
export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const [low, high] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  return low + (high - low) * (at - Math.floor(at));
}

/** Half of all values lie in it. */
export function band(values) {
  return [quantile(values, 0.25), quantile(values, 0.75)];
}

/** The width of the band in parts of the median. */
export function spread(values) {
  const [low, high] = band(values);
  return (high - low) / median(values);
}

/** Round by round; rounds that one of the two lacks are left out. */
export function ratios(ours, theirs) {
  return ours
    .map((value, round) => value / theirs[round])
    .filter((ratio) => Number.isFinite(ratio));
}

/**
 * The power with which `y` grows with `x`: the slope of the straight line nearest to the points on two
 * logarithmic axes. 1 is linear, 0 constant.
 * @param {{ x: number, y: number }[]} points two or more, of different `x`
 */
export function power(points) {
  const [xs, ys] = ['x', 'y'].map((axis) => points.map((point) => Math.log(point[axis])));
  const [meanX, meanY] = [mean(xs), mean(ys)];
  const together = mean(xs.map((x, at) => (x - meanX) * (ys[at] - meanY)));
  return together / mean(xs.map((x) => (x - meanX) ** 2));
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
