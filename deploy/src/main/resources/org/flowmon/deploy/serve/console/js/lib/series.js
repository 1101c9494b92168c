// Series over the buckets of a range: spread, summed, compared. Pure functions over plain arrays.

/** The buckets of a range: their begins, in milliseconds. The first and the last may reach over its ends. */
export function buckets({from, to, width}) {
  const times = [];
  for (let time = Math.floor(from / width) * width; time < to; time += width) {
    times.push(time);
  }
  return times;
}

/**
 * Volumes by bucket. Each row has flows that began in one bucket and ended in another, and when on average: their volume
 * lies evenly between these two times, for a flow has one rate from begin to end. `volume` takes it from a row.
 */
export function spread(rows, volume, range) {
  const times = buckets(range);
  const sums = new Array(times.length).fill(0);
  const place = (time) => (time - times[0]) / range.width;
  for (const row of rows) {
    const value = volume(row);
    if (row.began === null || row.began >= row.ended) {
      add(sums, Math.round(place(row.ended)), value);
      continue;
    }
    const begin = place(row.began + row.head / row.flows / 1000);
    const end = place(row.ended + row.tail / row.flows / 1000);
    for (let i = Math.max(0, Math.floor(begin)); i < Math.min(end, sums.length); i++) {
      sums[i] += (value * (Math.min(end, i + 1) - Math.max(begin, i))) / (end - begin);
    }
  }
  return sums;
}

/** Both ways of a metric in a row of seriesQuery. */
export const bothWays = ({forward, reverse}) => (row) => Number(row[forward] ?? 0) + Number(row[reverse] ?? 0);

/** Counts of flows by the bucket in which they ended. */
export function ended(rows, range) {
  const times = buckets(range);
  const sums = new Array(times.length).fill(0);
  for (const row of rows) {
    add(sums, Math.round((row.ended - times[0]) / range.width), Number(row.flows));
  }
  return sums;
}

function add(sums, place, value) {
  if (place >= 0 && place < sums.length) {
    sums[place] += value;
  }
}

export const rates = (sums, range, factor) => sums.map((sum) => (sum * factor * 1000) / range.width);

export const plus = (a, b) => a.map((value, i) => value + b[i]);
export const minus = (a, b) => a.map((value, i) => Math.max(0, value - b[i]));

/**
 * The smallest, largest and last rate and the nearest-rank 95th percentile, of the complete buckets; the average, of the
 * range up to the newest flow: times this time it is the total.
 */
export function statistics(rate, range, newest = Infinity) {
  const values = complete(rate, range, newest);
  const sorted = [...values].sort((a, b) => a - b);
  return {
    min: sorted[0],
    max: sorted[sorted.length - 1],
    last: values[values.length - 1],
    avg: average(rate, range, newest),
    p95: sorted[Math.ceil(0.95 * sorted.length) - 1],
  };
}

function average(rate, range, newest) {
  const covered = Math.min(range.to, newest) - range.from;
  return (rate.reduce((a, b) => a + b, 0) * range.width) / (covered > 0 ? covered : range.to - range.from);
}

/** Rates of the buckets that are wholly within the range and before the newest flow; all if there is none. */
function complete(rate, range, newest) {
  const times = buckets(range);
  const kept = rate.filter((_, i) => times[i] >= range.from && times[i] + range.width <= Math.min(range.to, newest));
  return kept.length === 0 ? rate : kept;
}

/** Rows by the text of their key. */
export function byKey(rows, keys) {
  const groups = new Map();
  for (const row of rows) {
    const key = keyText(keys.map((name) => row[name]));
    (groups.get(key) ?? groups.set(key, []).get(key)).push(row);
  }
  return groups;
}

export const keyText = (values) => JSON.stringify(values.map((value) => (typeof value === 'bigint' ? `${value}` : value)));

/** The range of the same length before it. */
export const previous = (range) => ({...range, from: range.from - (range.to - range.from), to: range.from});
