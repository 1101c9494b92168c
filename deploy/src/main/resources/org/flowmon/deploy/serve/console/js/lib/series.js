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
 * Volumes by bucket. Each row has the buckets in which its flows began and ended, their volume, and how much of it fell
 * into the first and into the last bucket: the rest lies evenly between, for a flow has one rate from begin to end.
 */
export function spread(rows, name, range) {
  const times = buckets(range);
  const sums = new Array(times.length).fill(0);
  const place = (time) => Math.round((time - times[0]) / range.width);
  for (const row of rows) {
    const volume = Number(row[name] ?? 0);
    const begin = place(row.began);
    const end = place(row.ended);
    if (begin >= end) {
      add(sums, end, volume);
      continue;
    }
    const first = Number(row[`${name}_first`] ?? 0);
    const last = Number(row[`${name}_last`] ?? 0);
    add(sums, begin, first);
    add(sums, end, last);
    const each = end - begin > 1 ? (volume - first - last) / (end - begin - 1) : 0;
    for (let i = Math.max(begin + 1, 0); i < Math.min(end, sums.length); i++) {
      sums[i] += each;
    }
  }
  return sums;
}

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

/** The smallest, largest, last, average and 95th percentile of rates; the nearest-rank percentile. */
export function statistics(values) {
  if (values.length === 0) {
    return {min: 0, max: 0, last: 0, avg: 0, p95: 0, sum: 0};
  }
  const sorted = [...values].sort((a, b) => a - b);
  const sum = values.reduce((total, value) => total + value, 0);
  return {
    min: sorted[0],
    max: sorted[sorted.length - 1],
    last: values[values.length - 1],
    avg: sum / values.length,
    p95: sorted[Math.ceil(0.95 * sorted.length) - 1],
    sum,
  };
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
