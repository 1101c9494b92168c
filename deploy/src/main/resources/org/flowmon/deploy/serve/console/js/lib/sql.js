// Queries in flowmon's dialect, made of a view. Values become literals here and nowhere else.

/** How a column's values are compared and shown; of columns that the server's list does not have: text. */
export const ADDRESS = 'ADDRESS';

export const quoted = (text) => `'${String(text).replaceAll("'", "''")}'`;
export const timestamp = (time) => `TIMESTAMP '${new Date(time).toISOString()}'`;
export const interval = (ms) => `INTERVAL '${ms / 1000}' SECOND`;

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

/** Flows that ended in a range of times. */
export const during = ({from, to}) => `end_time >= ${timestamp(from)} AND end_time < ${timestamp(to)}`;

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

/** What is summed of a metric: bytes or packets both ways; flows are counted. */
export function summed(metric) {
  return metric.forward
    ? `COALESCE(SUM(${metric.forward}), 0) + COALESCE(SUM(${metric.reverse}), 0)`
    : 'COUNT(*)';
}

const bucket = (time, width) => `TIME_BUCKET(${time}, ${interval(width)})`;
const START = 'COALESCE(start_time, end_time)';

/**
 * Sums by time, for `spread` in series.js. Flows longer than a bucket give what fell into their first and their last
 * one; the rest is the same in each bucket between. `values` has a name and an expression of one flow each.
 */
export function seriesQuery({range, keys = [], values, filter}) {
  const {from, to, width} = range;
  const begin = bucket(START, width);
  const end = bucket('end_time', width);
  const long = `FILTER (WHERE ${begin} < ${end})`;
  const items = [...keys, `${begin} AS began`, `${end} AS ended`, 'COUNT(*) AS flows'];
  for (const {name, of} of values) {
    items.push(
      `SUM(${of}) AS ${name}`,
      `SUM((${of}) * ((${begin} + ${interval(width)} - ${START}) / (end_time - ${START}))) ${long} AS ${name}_first`,
      `SUM((${of}) * ((end_time - ${end}) / (end_time - ${START}))) ${long} AS ${name}_last`,
    );
  }
  const times = `end_time >= ${timestamp(from)} AND end_time < ${timestamp(to + LONGEST)}`;
  const running = `${START} < ${timestamp(to)}`;
  return `SELECT ${items.join(', ')} FROM flows${where(times, running, filter)} GROUP BY ${[...keys, 'began', 'ended'].join(', ')}`;
}

/** Flows that run on after a range are looked for so long after it. */
const LONGEST = 36e5;

/** Both ways of a flow in one expression. */
export const bothWays = (metric) => `COALESCE(${metric.forward}, 0) + COALESCE(${metric.reverse}, 0)`;

/** What came in, went out, and what is neither because nobody knows who began: values of seriesQuery. */
export function directions({forward, reverse}) {
  const way = (first, second) => `CASE WHEN outgoing THEN COALESCE(${first}, 0) WHEN NOT outgoing THEN COALESCE(${second}, 0) END`;
  return [
    {name: 'incoming', of: way(reverse, forward)},
    {name: 'leaving', of: way(forward, reverse)},
    {name: 'unknown', of: `CASE WHEN outgoing IS NULL THEN ${bothWays({forward, reverse})} END`},
  ];
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
