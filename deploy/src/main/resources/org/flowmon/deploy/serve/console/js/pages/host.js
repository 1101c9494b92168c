// One address: what it did in the range, with whom, over which services, now against before.
import {useMemo} from 'preact/hooks';
import {get} from '../lib/api.js';
import {useWork} from '../lib/async.js';
import {dom, part} from '../lib/dom.js';
import {ofAddress, flowTable} from './flows.js';
import {exploreHref, flowsHref, hostHref} from '../lib/links.js';
import {showValue} from '../lib/names.js';
import {all, equals} from '../lib/sql.js';
import {fixedRange, isoTime, parseDuration, showDuration, showInstant} from '../lib/time.js';
import {showBytes, showCount, showChange, showBits} from '../lib/units.js';
import {changed, go, href, carried} from '../lib/view.js';
import {alertHref, reportHref, rowText} from '../lib/reports.js';
import {chart, swatch} from '../parts/chart.js';
import {dataTable} from '../parts/table.js';
import {remarks, shown} from '../parts/states.js';
import {timeBar} from '../parts/timebar.js';

const {a, button, div, form, h1, h2, header, input, label, section, span} = dom;
const HOUR = 36e5;

const hostSearch = part(({view}) => div(null,
  div({class: 'title'}, h1(null, 'Host')),
  form({class: 'bar', onSubmit: (event) => {
    event.preventDefault();
    go(href('host', [new FormData(event.target).get('address').trim()], carried(view)));
  }}, label(null, 'Address ', input({type: 'search', name: 'address', required: true, class: 'wide', autoFocus: true, placeholder: '10.0.0.1 or 2001:db8::1'})),
  button({class: 'main'}, 'Show'))));

export const host = part(({view, context}) => {
  const address = view.args[0];
  if (!address) {
    return hostSearch({view});
  }
  const {newest} = context;
  const range = view.params.range || view.params.from ? context.range : null;
  const window = view.params.window ?? '1d';
  const work = useWork(JSON.stringify([address, range, window]), (signal) => get(`hosts/${encodeURIComponent(address)}`, {
    ...(range ? {from: isoTime(range.from), to: isoTime(range.to)} : {}), window: Math.round(parseDuration(window) / 1000), limit: 100,
  }, signal));
  return div(null,
    div({class: 'title'}, h1({class: 'mono'}, address),
      a({href: flowsHref(view, ofAddress(address))}, 'flows'), a({href: exploreHref(view, {filter: ofAddress(address), by: 'dst_port'})}, 'explore'),
      range ? a({href: changed(view, {range: undefined, from: undefined, to: undefined})}, 'all of its time') : span({class: 'tag'}, 'all of its time')),
    timeBar({view, range: context.range, newest},
      label(null, '“Now” is the last ', windowChoice({view, window}))),
    shown(work, (value) => summary({view, context, value, address, range}), {
      isEmpty: ({flows}) => flows === 0, empty: `${address} has no flows${range ? ' in this range' : ' in the archive'}.`,
    }),
    context.session.features.reports ? mentions({view, address}) : null,
    work.error || (work.isCurrent && work.value?.flows === 0) ? null : flowTable({
      view, context: {...context, range}, address, summary: {isThere: work.value !== undefined, flows: work.isCurrent ? work.value?.flows : undefined},
    }));
});

const windowChoice = part(({view, window}) => div({class: 'choice'}, ['1h', '1d', '7d'].map((choice) => button({
  key: choice, 'aria-pressed': String(window === choice),
  onClick: () => go(changed(view, {window: choice === '1d' ? undefined : choice})),
}, showDuration(parseDuration(choice))))));

const summary = part(({view, context, value, address, range}) => div(null,
  remarks(value),
  div({class: 'tiles'},
    tile('First seen', showInstant(value.first_seen), 'first_seen'), tile('Last seen', showInstant(value.last_seen), 'last_seen'),
    tile('Flows', showCount(value.flows), 'flows', null, value.flows),
    tile('Sent', showBytes(value.sent), 'sent', null, value.sent), tile('Received', showBytes(value.received), 'received', null, value.received),
    tile('Peers now', showCount(value.peers_now), 'peers_now',
      `since ${showInstant(value.now_from)}, ${showCount(value.peers_before)} before: ${showChange(value.peers_now, value.peers_before)}`, value.peers_now)),
  section({class: 'card', 'aria-label': 'By hour'}, header(null, h2(null, 'Received above and sent below, by hour')),
    hourChart({view, context, hours: value.hours, address})),
  div({class: 'grid'},
    section({class: 'card w6', 'aria-label': 'Peers'}, header(null, h2(null, `Peers (${showCount(value.peer_count)})`)), peers({view, value, address})),
    section({class: 'card w6', 'aria-label': 'Services'}, header(null, h2(null, 'Services it offers and uses')), services({view, value, address})))));

const tile = (title, figure, id, note, exact = figure) => div({class: 'tile', 'data-tile': id, key: id, 'data-value': String(exact)},
  div({class: 'label'}, title), div({class: 'figure small'}, figure), note ? div({class: 'note'}, note) : null);

const hourChart = part(({view, context, hours, address}) => {
  const {times, series} = useMemo(() => {
    const kept = hours.filter(({hour}) => hour !== null);
    const first = Date.parse(kept[0]?.hour ?? 0);
    const last = Date.parse(kept[kept.length - 1]?.hour ?? 0);
    const step = HOUR * Math.max(1, Math.ceil((last - first) / HOUR / 2000));
    const count = Math.floor((last - first) / step) + 1;
    const received = new Array(count).fill(0);
    const sent = new Array(count).fill(0);
    kept.forEach((one) => {
      const i = Math.floor((Date.parse(one.hour) - first) / step);
      received[i] += (one.received * 8000) / step;
      sent[i] += (one.sent * 8000) / step;
    });
    return {
      times: received.map((_, i) => first + i * step),
      series: [{name: 'received', values: received}, {name: 'sent', values: sent, below: true}],
    };
  }, [hours]);
  return div(null, chart({
    times, width: HOUR, series, show: showBits, stacked: true, height: 180, theme: context.theme, label: 'Bit/s by hour',
    onRange: (from, to) => go(changed(view, fixedRange(from, to))),
    onPoint: (time) => go(flowsHref(view, ofAddress(address), {from: time, to: time + HOUR})),
  }), div({class: 'legend'}, series.map((one, i) => span({key: one.name}, swatch(one, i), one.name))));
});

const both = (address, peer) => `(${all(equals('src_addr', address), equals('dst_addr', peer))}) OR (${all(equals('src_addr', peer), equals('dst_addr', address))})`;

const peers = part(({view, value, address}) => dataTable({
  label: 'Peers', rows: value.peers, csvName: `peers-${address}`, rowKey: (row) => row.address,
  columns: [
    {id: 'address', title: 'Peer', value: (row) => row.address, show: (row) => a({href: hostHref(view, row.address), class: 'mono'}, row.address)},
    {id: 'flows', title: 'Flows', number: true, value: (row) => row.flows,
      show: (row) => a({href: flowsHref(view, both(address, row.address))}, showCount(row.flows))},
    {id: 'sent', title: 'Sent', number: true, value: (row) => row.sent, show: (row) => showBytes(row.sent)},
    {id: 'received', title: 'Received', number: true, value: (row) => row.received, show: (row) => showBytes(row.received)},
  ],
}));

const services = part(({view, value, address}) => dataTable({
  label: 'Services', csvName: `services-${address}`,
  rows: [...value.scattered.map((row) => ({...row, many: true})), ...value.services],
  columns: [
    {id: 'service', title: 'Service', value: (row) => row.port ?? null, show: (row) => serviceLink(view, row, address)},
    {id: 'side', title: 'Side', value: (row) => row.side},
    {id: 'flows', title: 'Flows', number: true, value: (row) => row.flows, show: (row) => showCount(row.flows)},
    {id: 'bytes', title: 'Both ways', number: true, value: (row) => row.sent + row.received, show: (row) => showBytes(row.sent + row.received)},
    {id: 'peers_now', title: 'Peers now', number: true, value: (row) => row.peers_now, show: (row) => showCount(row.peers_now)},
    {id: 'peers_before', title: 'Before', number: true, value: (row) => row.peers_before, show: (row) => showCount(row.peers_before)},
    {id: 'change', title: 'Change', number: true, value: (row) => row.peers_now / (row.peers_before || 1), show: (row) => showChange(row.peers_now, row.peers_before)},
  ],
}));

function serviceLink(view, row, address) {
  const protocol = showValue('protocol', row.protocol);
  if (row.many) {
    return span({class: 'tag warn'}, `${protocol}: ${showCount(row.ports)} ports, ${row.lowest_port}–${row.highest_port}, hardly used`);
  }
  const filter = all(equals('server_port', row.port), equals('protocol', row.protocol), equals(row.side === 'offers' ? 'server_addr' : 'client_addr', address));
  return a({href: flowsHref(view, filter)}, row.port === null ? protocol : `${protocol} ${showValue('dst_port', row.port)}`);
}

/** Reports and alerts whose rows name the address. */
const mentions = part(({view, address}) => {
  const work = useWork(`mentions ${address}`, async (signal) => {
    const [alerts, reports] = await Promise.all([
      get('alerts', {state: 'all', limit: 1000}, signal), get('reports', {empty: false, limit: 1000}, signal),
    ]);
    const named = (columns) => Object.values(columns ?? {}).includes(address);
    return {
      alerts: alerts.alerts.filter((one) => named(one.columns) || one.key.split('|').includes(address)),
      reports: reports.reports.flatMap((one) => one.rows.filter((row) => named(row.columns)).map((row) => ({one, row}))).slice(0, 50),
      more: reports.next !== null || alerts.next !== null,
    };
  });
  return section({class: 'card', 'aria-label': 'Reports and alerts'}, header(null, h2(null, 'Reports and alerts about it')),
    shown(work, ({alerts, reports, more}) => div(null,
      alerts.map((one) => div({key: one.id}, span({class: `tag ${one.state === 'firing' ? 'bad' : ''}`}, one.state), ' ',
        a({href: alertHref(view, one)}, `${one.analysis}: ${one.rule}`), span({class: 'muted'}, ` since ${showInstant(one.since)}`))),
      reports.map(({one, row}) => div({key: `${one.analysis}${one.window_end}${row.row_key}`}, span({class: 'tag'}, row.columns.verdict ?? 'report'), ' ',
        a({href: reportHref(view, one)}, `${one.analysis}, ${showInstant(one.window_end)}`), span({class: 'muted mono'}, ` ${rowText(row)}`))),
      more ? div({class: 'muted'}, 'Of the newest 1000 reports and 1000 alerts.') : null), {
      isEmpty: ({alerts, reports}) => alerts.length + reports.length === 0, empty: 'No report and no alert names this address.',
    }));
});
