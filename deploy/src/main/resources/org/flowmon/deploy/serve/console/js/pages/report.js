// A report or an alert, with the flows behind each row: those it counted, the same before, and after.
import {useRef, useState} from 'preact/hooks';
import {ask, get, post} from '../lib/api.js';
import {useWork} from '../lib/async.js';
import {dom, part} from '../lib/dom.js';
import {liveQuery} from '../lib/analysis.js';
import {flowsHref, hostHref} from '../lib/links.js';
import {column as known} from '../lib/names.js';
import {flowsOf, keysOf, reportHref, rowText} from '../lib/reports.js';
import {all, during, where} from '../lib/sql.js';
import {showInstant, showTime} from '../lib/time.js';
import {showBytes, showChange, showWhole} from '../lib/units.js';
import {href, go, changed} from '../lib/view.js';
import {cell} from '../parts/cells.js';
import {approximate, boundText, confidenceBox} from '../parts/confidence.js';
import {dataTable} from '../parts/table.js';
import {failure, notYet, shown} from '../parts/states.js';

const {a, button, code, dd, div, dl, dt, h1, h2, header, section, span} = dom;

const windowOf = (one) => ({from: Date.parse(one.window_start), to: Date.parse(one.window_end)});

export const report = part(({view, context}) => {
  const [analysis, start, end] = view.args;
  const work = useWork(JSON.stringify(['report', analysis, start, end]), async (signal) => {
    const after = new Date(Date.parse(end) + 1).toISOString();
    const page = await get('reports', {analysis, from: end, to: after, limit: 10}, signal);
    const found = page.reports.find((one) => one.window_end === end && one.window_start === start) ?? page.reports[0];
    return {report: found, text: await textOf(analysis, signal)};
  });
  return div(null, shown(work, (value) => reportBody({view, context, ...value}), {
    isEmpty: (value) => value.report === undefined, empty: 'There is no report of this window. It may have been deleted with its topic.',
  }));
});

const textOf = (analysis, signal) =>
  get(`analyses/${analysis}`, {}, signal).then(({text}) => text, (error) => {
    if (error.name === 'AbortError') {
      throw error;
    }
    return null;
  });

const reportBody = part(({view, context, report: one, text}) => div(null,
  div({class: 'title'}, h1(null, `${one.analysis}, ${showInstant(one.window_start)} – ${one.window_end.slice(11, 19)}`),
    span({class: 'muted'}, `revision ${one.revision}${one.updated ? ', replaced an earlier one' : ''}`),
    a({href: href('reports', [], {analysis: one.analysis})}, 'all of this analysis')),
  reportRows({view, context, report: one, text})));

/** The rows of a report, the flows behind the one that the view selects, and how far all can be trusted. */
export const reportRows = part(({view, context, report: one, text}) => {
  const selected = Number(view.params.row ?? 0);
  const row = one.rows[selected];
  const names = [...new Set(one.rows.flatMap(({columns}) => Object.keys(columns)))];
  const flowsBehind = useRef(null);
  const select = (other) => {
    go(changed(view, {row: String(one.rows.indexOf(other))}));
    flowsBehind.current.scrollIntoView();
  };
  return div(null,
    section({class: 'card', 'aria-label': 'Rows'},
      header(null, h2(null, `${showWhole(one.row_count)} ${one.row_count === 1 ? 'row' : 'rows'}`), one.complete ? null : span({class: 'tag warn'}, 'not all rows are here')),
      dataTable({
        label: 'Rows of the report', rows: one.rows, rowKey: ({row_key: key}) => key, csvName: `${one.analysis}-${one.window_end}`,
        select: (other) => other === row,
        columns: [
          ...names.map((name) => ({
            id: name, title: name.replaceAll('_', ' '), number: one.rows.some(({columns}) => typeof columns[name] === 'number'),
            value: ({columns}) => columns[name] ?? null, show: ({columns}) => rowCell(view, name, columns[name], one.approximate),
          })),
          {id: 'flows', title: '', show: (other) => button({class: 'quiet', onClick: () => select(other)}, 'flows')},
        ],
      }),
      approximate({list: one.approximate})),
    div({ref: flowsBehind}, row ? behind({view, context, columns: row.columns, range: windowOf(one), text}) : null),
    section({class: 'card', 'aria-label': 'Confidence'}, confidenceBox({confidence: one.confidence})));
});

function rowCell(view, name, value, approximations) {
  const kind = typeof value === 'string' && /_addr$|^exporter$/.test(name) && !value.includes('/') ? 'address'
    : typeof value === 'number' ? (Number.isInteger(value) ? 'long' : 'double') : Array.isArray(value) ? 'list' : 'text';
  const shownValue = cell(view, {name, kind, unit: /bytes$/.test(name) ? 'B' : null}, value);
  const bound = approximations.find((one) => one.column === name);
  return bound ? span({title: boundText(bound)}, '≈ ', shownValue) : name === 'verdict' ? span({class: 'tag'}, value) : shownValue;
}

/** The flows of a row: in its window, and as long before and after. */
const behind = part(({view, context, columns, range, text}) => {
  const live = liveQuery(text);
  const keys = Object.fromEntries(keysOf(Object.fromEntries(Object.entries(columns).filter(([name]) => known(live?.aliases[name] ?? name))))
    .map(([name, value]) => [live?.aliases[name] ?? name, value]));
  const own = flowsOf(keys);
  const filter = all(own, live?.condition);
  const length = range.to - range.from;
  const times = [
    ['Before', {from: range.from - length, to: range.from}], ['In the window', range], ['After', {from: range.to, to: range.to + length}],
  ];
  const work = useWork(JSON.stringify(['behind', filter, range]), async (signal) => {
    const checked = await post('check', {sql: filter, kind: 'condition'}, signal);
    const used = checked.valid ? filter : own;
    const answers = await Promise.all(times.map(([, of]) => ask(
      `SELECT COUNT(*) AS flows, SUM(bytes) AS bytes, SUM(packets) AS packets, COUNT(DISTINCT src_addr) AS sources,`
      + ` COUNT(DISTINCT dst_addr) AS destinations FROM flows${where(during(of), used)}`, {signal})));
    return {used, rows: answers.map(({rows}, i) => ({title: times[i][0], range: times[i][1], ...rows[0]}))};
  });
  const addresses = Object.entries(keys).filter(([name]) => /_addr$/.test(name)).map(([, value]) => value);
  return section({class: 'card', 'aria-label': 'Flows behind it'},
    header(null, h2(null, 'Flows behind ', span({class: 'mono'}, rowText({columns}))),
      addresses.map((address) => a({key: address, href: hostHref(view, address)}, `host ${address}`))),
    notYet(context, range.to + length),
    own === '' ? div({class: 'state'}, 'This row names no columns of flows; its flows are those of the window.') : null,
    shown(work, ({used, rows}) => div(null, dataTable({
      label: 'Flows before, in and after the window', rows, csvName: 'flows-behind', columns: [
        {id: 'title', title: '', value: (one) => one.title, show: (one) => a({href: flowsHref(view, used, one.range)}, one.title)},
        {id: 'flows', title: 'Flows', number: true, value: (one) => one.flows, show: (one) => a({href: flowsHref(view, used, one.range)}, showWhole(one.flows))},
        {id: 'bytes', title: 'Bytes', number: true, value: (one) => one.bytes, show: (one) => showBytes(one.bytes)},
        {id: 'packets', title: 'Packets', number: true, value: (one) => one.packets, show: (one) => showWhole(one.packets)},
        {id: 'sources', title: 'Sources', number: true, value: (one) => one.sources},
        {id: 'destinations', title: 'Destinations', number: true, value: (one) => one.destinations},
        {id: 'change', title: 'Bytes to before', number: true, value: (one) => one.bytes / (rows[0].bytes || 1), show: (one) => (one === rows[0] ? '' : showChange(one.bytes, rows[0].bytes))},
        {id: 'time', title: 'Time', value: (one) => showTime(one.range.from), show: (one) => `${showTime(one.range.from)} – ${showTime(one.range.to)}`},
      ],
    }), div({class: 'muted'}, 'Filter: ', code(null, used || 'none')))));
});

export const alert = part(({view, context}) => {
  const [id] = view.args;
  const work = useWork(`alert ${id} ${context.turn}`, async (signal) => {
    const one = await get(`alerts/${id}`, {}, signal);
    return {one, text: await textOf(one.analysis, signal)};
  });
  return shown(work, ({one, text}) => div(null,
    div({class: 'title'}, h1(null, `${one.analysis}: ${one.rule}`), span({class: `tag ${one.state === 'firing' ? 'bad' : 'good'}`}, one.state),
      span({class: 'mono'}, one.key.replaceAll('|', ' · '))),
    section({class: 'card', 'aria-label': 'Alert'},
      dl({class: 'pairs'}, [['severity', one.severity], ['since', showInstant(one.since)], ['last held', showInstant(one.last_held)],
        ['window', `${showInstant(one.window_start)} – ${showInstant(one.window_end)}`], ['cause', one.cause], ['messages', one.number]]
        .flatMap(([name, value]) => [dt({key: `${name}t`}, name), dd({key: name}, String(value))]),
      Object.entries(one.columns ?? {}).flatMap(([name, value]) => [
        dt({key: `${name}c`}, name.replaceAll('_', ' ')), dd({key: `${name}v`}, rowCell(view, name, value, []))])),
      div({class: 'group'}, a({class: 'button', href: reportHref(view, one)}, 'the report'), resolve({one, again: work.again, context}))),
    one.columns ? behind({view, context, columns: one.columns, range: windowOf(one), text}) : null));
});

const resolve = part(({one, again, context}) => {
  const [error, setError] = useState(null);
  if (one.state !== 'firing' || context.session.role === 'read') {
    return null;
  }
  return div(null, button({onClick: () => post(`alerts/${one.id}/resolve`, {}).then(again, setError)}, 'Say it is resolved'),
    error ? failure({error}) : null);
});
