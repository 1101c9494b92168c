// Queries in flowmon's dialect, made of a view. Values become literals here and nowhere else.

export const quoted = (text) => `'${String(text).replaceAll("'", "''")}'`;
export const timestamp = (time) => `TIMESTAMP '${new Date(time).toISOString()}'`;
const interval = (ms) => `INTERVAL '${ms / 1000}' SECOND`;

/** `column = value`; NULL is a value, too. */
export function equals(column, value) {
  if (value === null || value === undefined) {
    return `${column} IS NULL`;
  }
  return typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint'
    ? `${column} = ${String(value).toUpperCase()}`
    : `${column} = ${quoted(value)}`;
}

/** All conditions that are not empty; each keeps its own OR to itself. */
export function all(...conditions) {
  const kept = conditions.filter((condition) => condition && condition.trim() !== '');
  return kept.length === 1 ? kept[0] : kept.map((condition) => `(${condition})`).join(' AND ');
}

export const where = (...conditions) => {
  const condition = all(...conditions);
  return condition === '' ? '' : ` WHERE ${condition}`;
};

/** Flows that ended in a range of times; all flows without one. */
export const during = (range) => (range ? `end_time >= ${timestamp(range.from)} AND end_time < ${timestamp(range.to)}` : '');

/** One of the keys, each a list of the columns' values. */
export const anyOf = (columns, keys) =>
  columns.length === 1 && keys.length > 1 && keys.every(([value]) => value !== null)
    ? `${columns[0]} IN (${keys.map(([value]) => (typeof value === 'string' ? quoted(value) : value)).join(', ')})`
    : keys.map((key) => `(${columns.map((column, c) => equals(column, key[c])).join(' AND ')})`).join(' OR ');

/** The condition with a further one, as a person would have written it. */
export function narrowed(filter, condition) {
  if (!filter) {
    return condition;
  }
  return filter.includes(condition) ? filter : `${/\bOR\b/i.test(filter) ? `(${filter})` : filter} AND ${condition}`;
}

const PARTNERS = [['src_', 'dst_'], ['input_if', 'output_if'], ['in_if_', 'out_if_'], ['client_', 'server_']];

/** The same of the way back: source and destination change places, but in quotes. */
export function swapped(text) {
  return text.replace(/'(?:[^']|'')*'|[a-z_][a-z0-9_]*/gi, (word) => {
    for (const [a, b] of word.startsWith("'") ? [] : PARTNERS) {
      for (const [from, to] of [[a, b], [b, a]]) {
        if (word.startsWith(from)) {
          return to + word.slice(from.length);
        }
      }
    }
    return word;
  });
}

/** A metric's sum: bytes or packets both ways; flows are counted. */
export function summed(metric) {
  return metric.forward
    ? `COALESCE(SUM(${metric.forward}), 0) + COALESCE(SUM(${metric.reverse}), 0)`
    : 'COUNT(*)';
}

const bucket = (time, width) => `TIME_BUCKET(${time}, ${interval(width)})`;

/** Flows that run on after a range are looked for so long after it. */
const LONGEST = 36e5;

/** The columns that series sum, one way each. */
const SUMS = {bits: ['bytes', 'reverse_bytes'], packets: ['packets', 'reverse_packets'], flows: []};

/**
 * Sums by the buckets in which flows began and ended, for `spread` in series.js: also how long after these buckets'
 * begins all of them together began and ended. They are plain sums, so long ranges stay quick.
 */
export function seriesQuery({range, keys = [], metrics, filter}) {
  const {from, to, width} = range;
  const began = bucket('start_time', width);
  const ended = bucket('end_time', width);
  const items = [
    ...keys, `${began} AS began`, `${ended} AS ended`, 'COUNT(*) AS flows',
    `SUM(start_time - ${began}) AS head`, `SUM(end_time - ${ended}) AS tail`,
    ...metrics.flatMap((metric) => SUMS[metric]).map((name) => `SUM(${name}) AS ${name}`),
  ];
  const times = `end_time >= ${timestamp(from)} AND end_time < ${timestamp(to + LONGEST)}`;
  const running = `end_time < ${timestamp(to)} OR start_time < ${timestamp(to)}`;
  return `SELECT ${items.join(', ')} FROM flows${where(times, running, filter)}`
    + ` GROUP BY ${[...keys, 'began', 'ended'].join(', ')}`;
}

/** The keys that have most of a metric over the whole range: by its average, its peak or its last bucket. */
export function topQuery({range, keys, metric, filter, by, limit}) {
  const value = summed(metric);
  const names = keys.join(', ');
  if (by === 'max') {
    const inner = `SELECT ${names}, ${bucket('end_time', range.width)} AS ended, ${value} AS volume FROM flows`
      + `${where(during(range), filter)} GROUP BY ${names}, ended`;
    return `SELECT ${names}, MAX(volume) AS volume FROM (${inner}) AS buckets GROUP BY ${names}`
      + ` ORDER BY volume DESC LIMIT ${limit}`;
  }
  const last = Math.floor((range.to - 1) / range.width) * range.width;
  const times = by === 'last' ? {from: Math.max(range.from, last - range.width), to: range.to} : range;
  return `SELECT ${names}, ${value} AS volume FROM flows${where(during(times), filter)} GROUP BY ${names}`
    + ` ORDER BY volume DESC LIMIT ${limit}`;
}
