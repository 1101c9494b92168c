// What flows now: rates, who talks, what is out of the ordinary, how the archive and the job are.
import {useMemo} from 'preact/hooks';
import {ask, get, post} from '../lib/api.js';
import {useWork} from '../lib/async.js';
import {dom, part} from '../lib/dom.js';
import {hostHref, flowsHref, exploreHref} from '../lib/links.js';
import {loadSeries} from '../lib/load.js';
import {anyOf, equals, seriesQuery, topQuery} from '../lib/sql.js';
import {showValue} from '../lib/names.js';
import {buckets, ended, plus, previous, rates, spread, statistics} from '../lib/series.js';
import {fixedRange} from '../lib/time.js';
import {METRICS, showBits, showChange, showFlows, showPackets} from '../lib/units.js';
import {changed, go} from '../lib/view.js';
import {chart, swatch} from '../parts/chart.js';
import {dataTable} from '../parts/table.js';
import {noFlows, partlyBefore, remarks, shown} from '../parts/states.js';
import {spark} from '../parts/spark.js';
import {health} from '../parts/health.js';
import {findings} from '../parts/findings.js';
import {timeBar} from '../parts/timebar.js';

const {a, button, div, h1, h2, header, section, span} = dom;

const SIDES = {src_addr: 'Sources', dst_addr: 'Destinations', dst_port: 'Services'};

export const overview = part(({view, context}) => {
  const {range, newest} = context;
  const metric = METRICS[view.params.metric] ? view.params.metric : 'bits';
  const rate = useWork(JSON.stringify([range, newest, 'rates']), (signal) => loadRates(range, newest, signal));
  const choose = (id) => button({
    key: id, 'aria-pressed': String(metric === id),
    onClick: () => go(changed(view, {metric: id === 'bits' ? undefined : id})),
  }, METRICS[id].title);
  return div(null,
    div({class: 'title'}, h1(null, 'Overview')),
    timeBar({view, range, newest}),
    tiles({rate}),
    div({class: 'grid'},
      section({class: 'card w8', 'aria-label': 'Traffic'},
        header(null, h2(null, 'Traffic, in above and out below'), div({class: 'choice end'}, Object.keys(METRICS).map(choose))),
        shown(rate, (value) => traffic({view, context, value, metric}), {isEmpty: ({empty}) => empty, empty: noFlows(context)})),
      section({class: 'card w4', 'aria-label': 'Out of the ordinary'},
        header(null, h2(null, 'Out of the ordinary'), a({class: 'end', href: '#/reports'}, 'all reports')),
        findings({view, context}))),
    partlyBefore(context),
    talkers({view, context, metric}),
    health({context}));
});

async function loadRates(range, newest, signal) {
  const sql = (of) => seriesQuery({range: of, keys: ['outgoing'], metrics: ['bits', 'packets']});
  const options = {signal, times: true, limit: 1000000};
  const [now, before] = await Promise.all([ask(sql(range), options), ask(sql(previous(range)), options)]);
  const series = (rows, of) => ({
    bits: directions(rows, METRICS.bits, of),
    packets: directions(rows, METRICS.packets, of),
    flows: [rates(ended(rows, of), of, 1)],
  });
  const current = series(now.rows, range);
  const past = series(before.rows, previous(range));
  const summary = (lists, of) => statistics(lists.reduce(plus), of, newest);
  return {
    current, past, answers: [now], empty: now.rows.length === 0, times: buckets(range),
    stats: Object.fromEntries(Object.keys(METRICS).map((id) => [id, summary(current[id], range)])),
    pastAverage: Object.fromEntries(Object.keys(METRICS).map((id) => [id, summary(past[id], previous(range)).avg])),
  };
}

/** Rates of what came in, what went out, and what is neither because nobody knows who began. */
function directions(rows, {forward, reverse, factor}, range) {
  const way = (outward, inward) => (row) =>
    (row.outgoing === true ? Number(row[outward] ?? 0) : row.outgoing === false ? Number(row[inward] ?? 0) : 0);
  const neither = (row) => (row.outgoing === null ? Number(row[forward] ?? 0) + Number(row[reverse] ?? 0) : 0);
  return [way(reverse, forward), way(forward, reverse), neither].map((volume) => rates(spread(rows, volume, range), range, factor));
}

const compared = (now, before) => (before > 0 ? `${showChange(now, before)} to the period before` : 'nothing in the period before');

const tiles = part(({rate}) => {
  const value = rate.value;
  const tile = (id, show, title) => div({class: 'tile', key: id, 'data-tile': id},
    div({class: 'label'}, title),
    div({class: 'figure'}, value ? show(value.stats[id].last) : '…'),
    div({class: 'note'}, value ? `average ${show(value.stats[id].avg)}, ${compared(value.stats[id].avg, value.pastAverage[id])}` : ' '));
  return div({class: 'tiles'},
    tile('bits', showBits, 'Last bit/s'), tile('packets', showPackets, 'Last packets/s'), tile('flows', showFlows, 'Last flows/s'),
    div({class: 'tile', 'data-tile': 'p95'}, div({class: 'label'}, '95th percentile'),
      div({class: 'figure'}, value ? showBits(value.stats.bits.p95) : '…'),
      div({class: 'note'}, value ? `peak ${showBits(value.stats.bits.max)}` : ' ')));
});

const traffic = part(({view, context, value, metric}) => {
  const series = useMemo(() => {
    const [first, second, third] = value.current[metric];
    if (metric === 'flows') {
      return [{name: 'flows', values: first}, {name: 'period before', values: value.past.flows[0], dashed: true, other: true}];
    }
    const [beforeIn, beforeOut, beforeUnknown] = value.past[metric];
    const moves = (list) => list.some((one) => one > 0);
    const line = (name, values, rest) => ({name, values, ...rest});
    return [
      line('in', first), line('out', second, {below: true}), line('direction unknown', third, {other: true}),
      line('in, period before', plus(beforeIn, beforeUnknown), {dashed: true, other: true}),
      line('out, period before', beforeOut, {dashed: true, below: true, other: true}),
    ].filter(({values}) => moves(values));
  }, [value, metric]);
  return div(null,
    remarks(...value.answers),
    chart({
      times: value.times, width: context.range.width, series, show: METRICS[metric].show, stacked: true, theme: context.theme,
      label: `Traffic in ${METRICS[metric].title}`,
      onRange: (from, to) => go(changed(view, fixedRange(from, to))),
      onPoint: (time, one) => go(flowsHref(view, {in: 'NOT outgoing', out: 'outgoing', 'direction unknown': 'outgoing IS NULL'}[one?.name],
        {from: time, to: time + context.range.width})),
    }),
    div({class: 'legend'}, series.map((one, i) => span({key: one.name}, swatch(one, i), one.name))));
});

const talkers = part(({view, context, metric}) => {
  const {range, newest} = context;
  const side = SIDES[view.params.side] ? view.params.side : 'src_addr';
  const work = useWork(JSON.stringify([range, metric, side, newest]), (signal, progress) =>
    loadTalkers({range, side, metric: METRICS[metric], newest, signal, progress}));
  return section({class: 'card', 'aria-label': 'Top talkers'},
    header(null, h2(null, 'Top talkers'),
      div({class: 'choice'}, Object.entries(SIDES).map(([id, title]) => button({
        key: id, 'aria-pressed': String(side === id),
        onClick: () => go(changed(view, {side: id === 'src_addr' ? undefined : id})),
      }, title))),
      a({class: 'end', href: exploreHref(view, {by: side, metric: metric === 'bits' ? undefined : metric})}, 'explore')),
    shown(work, (value) => talkerTable({view, value, side, metric: METRICS[metric]}), {isEmpty: ({empty}) => empty, empty: noFlows(context)}));
});

async function loadTalkers({range, side, metric, newest, signal, progress}) {
  const found = await loadSeries({range, keys: [side], metric, limit: 10, before: false, newest, signal, progress});
  const keys = found.items.filter(({other}) => !other).map(({key}) => key);
  if (keys.length === 0) {
    return found;
  }
  const addresses = side === 'dst_port' ? [] : keys.map(([address]) => address).filter((address) => address !== null);
  const [past, seen] = await Promise.all([
    ask(topQuery({range: previous(range), keys: [side], metric, filter: anyOf([side], keys), by: 'avg', limit: 10}), {signal}),
    addresses.length === 0 ? null : post('seen', {addresses, as_of: new Date(range.from).toISOString()}, signal).catch(() => null),
  ]);
  const before = new Map(past.rows.map((row) => [row[side], row.volume]));
  const hosts = new Map(seen?.hosts.map((host) => [host.address, host]) ?? []);
  found.items.forEach((item) => {
    item.before = item.other ? undefined : before.get(item.key[0]) ?? 0;
    item.seen = item.other ? undefined : hosts.get(item.key[0]);
  });
  return found;
}

const talkerTable = part(({view, value, side, metric}) => {
  const total = value.whole.total || 1;
  const columns = [
    {id: side, title: SIDES[side].replace(/s$/, ''), value: ({key, other}) => (other ? 'other' : key[0]),
      show: (row) => (row.other ? span({class: 'muted'}, 'other') : talkerName(view, side, row.key[0]))},
    {id: 'history', title: 'Over the range', show: (row) => spark(row.rates, `Rates of ${row.other ? 'others' : row.key[0]}`)},
    {id: 'average', title: 'Average', number: true, value: ({stats}) => stats.avg, show: ({stats}) => metric.show(stats.avg)},
    {id: 'maximum', title: 'Maximum', number: true, value: ({stats}) => stats.max, show: ({stats}) => metric.show(stats.max)},
    {id: 'total', title: 'Total', number: true, value: ({total: sum}) => Math.round(sum), show: ({total: sum}) => metric.total(sum)},
    {id: 'share', title: 'Share', number: true, value: ({total: sum}) => sum / total, show: (row) => share(row.total / total)},
    {id: 'change', title: 'To the period before', number: true, value: (row) => (row.before === undefined ? null : row.total / (row.before || 1)),
      show: (row) => (row.before === undefined ? '' : showChange(row.total, row.before))},
    ...(side === 'dst_port' ? [] : [{id: 'seen', title: 'Seen in the 30 days before', value: ({seen}) => seen?.last ?? null,
      show: ({seen, other}) => (other || !seen ? '' : seen.seen ? seen.last.slice(0, 16).replace('T', ' ') : span({class: 'tag warn'}, 'never'))}]),
  ];
  return div(null, remarks(...value.answers), dataTable({
    columns, rows: value.items, label: 'Top talkers', rowKey: ({key}) => JSON.stringify(key), csvName: `top-${side}`,
  }));
});

const talkerName = (view, side, key) =>
  side === 'dst_port' || key === null
    ? a({href: flowsHref(view, equals(side, key))}, key === null ? 'without port' : showValue('dst_port', key))
    : a({href: hostHref(view, key), class: 'mono'}, key);

function share(part) {
  return span({title: `${(part * 100).toFixed(2)}%`}, span({class: 'share', style: {width: `${Math.round(part * 70)}px`}}),
    `${(part * 100).toFixed(part < 0.1 ? 1 : 0)}%`);
}
