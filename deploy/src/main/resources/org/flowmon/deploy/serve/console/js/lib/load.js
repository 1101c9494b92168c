// What pages with series ask for: the largest values of columns, their series, the total and the period before.
import {ask} from './api.js';
import {anyOf, seriesQuery, topQuery, all} from './sql.js';
import {bothWays, buckets, byKey, ended, keyText, minus, plus, previous, rates, spread, statistics} from './series.js';

const sums = (rows, metric, range) => (metric.forward ? spread(rows, bothWays(metric), range) : ended(rows, range));

/** The sums of a metric by bucket. */
async function total({range, metric, filter, signal}) {
  const answer = await ask(seriesQuery({range, metrics: [metric.id], filter}), {signal, times: true, limit: 1000000});
  return {answer, sums: sums(answer.rows, metric, range)};
}

/**
 * Series of rates: of the `limit` largest keys, of the others, of all, and of all in the period before. `items` have
 * `key` (values of the columns), `sums`, `rates`, `stats`; the last is `other`, if there are others. `known` is the `sum`
 * of another call with the same filter.
 */
export async function loadSeries({range, keys, metric, filter, by = 'avg', limit = 8, before = true, newest, known, signal, progress}) {
  const top = keys.length === 0
    ? null
    : await ask(topQuery({range, keys, metric, filter, by, limit}), {signal});
  progress?.('Loading the series');
  const earlier = previous(range);
  const found = top === null ? [] : top.rows.map((row) => keys.map((name) => row[name]));
  const [whole, past, parts] = await Promise.all([
    known ?? total({range, metric, filter, signal}),
    before ? total({range: earlier, metric, filter, signal}) : null,
    found.length === 0
      ? null
      : ask(seriesQuery({range, keys, metrics: [metric.id], filter: all(filter, anyOf(keys, found))}),
        {signal, times: true, limit: 1000000}),
  ]);
  const item = (key, volume, of = range) => {
    const rate = rates(volume, of, metric.factor);
    return {key, sums: volume, rates: rate, stats: statistics(rate, of, newest), total: volume.reduce((a, b) => a + b, 0)};
  };
  const groups = parts === null ? new Map() : byKey(parts.rows, keys);
  const items = found.map((key) => item(key, sums(groups.get(keyText(key)) ?? [], metric, range)));
  if (keys.length > 0) {
    const others = minus(whole.sums, items.reduce((sum, one) => plus(sum, one.sums), new Array(whole.sums.length).fill(0)));
    if (others.some((value) => value > 0.5)) {
      items.push({...item(null, others), other: true});
    }
  }
  return {
    times: buckets(range),
    items,
    whole: item(null, whole.sums),
    before: past === null ? null : item(null, past.sums, earlier),
    sum: whole,
    answers: [top, whole.answer, parts],
    empty: whole.answer.rows.length === 0,
  };
}
