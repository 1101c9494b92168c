// Flows one by one: of an address or subnet, of a filter, page by page.
import {get, ask} from '../lib/api.js';
import {useWork} from '../lib/async.js';
import {dom, part} from '../lib/dom.js';
import {all, during, quoted, where} from '../lib/sql.js';
import {queryHref, exploreHref} from '../lib/links.js';
import {changed, go} from '../lib/view.js';
import {cell, isNumber} from '../parts/cells.js';
import {filterBar} from '../parts/filter.js';
import {dataTable} from '../parts/table.js';
import {noFlows, remarks, shown} from '../parts/states.js';
import {timeBar} from '../parts/timebar.js';
import {isoTime} from '../lib/time.js';
import {showCount} from '../lib/units.js';

const {a, button, div, form, h1, input, label, option, select, section, span} = dom;

const FIRST = ['end_time', 'duration', 'src_addr', 'src_port', 'dst_addr', 'dst_port', 'protocol', 'bytes', 'packets',
  'reverse_bytes', 'reverse_packets', 'tcp_flags', 'state', 'service', 'exporter'];
const PAGE = 100;

export const flows = part(({view, context}) => {
  const {range, newest} = context;
  return div(null,
    div({class: 'title'}, h1(null, 'Flows')),
    timeBar({view, range, newest}),
    filterBar({view, session: context.session}, addressForm({view})),
    flowTable({view, context, filter: view.params.filter, address: view.params.address}));
});

const addressForm = part(({view}) => form({
  class: 'group',
  onSubmit: (event) => {
    event.preventDefault();
    go(changed(view, {address: new FormData(event.target).get('address').trim()}));
  },
}, label(null, 'Address or subnet ', input({
  type: 'search', name: 'address', defaultValue: view.params.address ?? '', key: view.params.address, placeholder: '192.0.2.0/24',
}))));

/** Both sides of an address, as /api/v1/flows has it. */
export const ofAddress = (address) => (address ? `src_addr IN ${quoted(address)} OR dst_addr IN ${quoted(address)}` : '');

/**
 * A page of flows, of all times if the context has no range; the cursor is part of the address, so that Back works.
 * A page that shows a `summary` of them above has their count in it, and is drawn from above.
 */
export const flowTable = part(({view, context, filter, address, summary}) => {
  const {range} = context;
  const {cursor, order = 'newest'} = view.params;
  const columns = view.params.columns === '*' ? undefined : view.params.columns ?? FIRST.join(',');
  const work = useWork(JSON.stringify([range, filter, address, cursor, order, columns]), (signal) => address
    ? get('flows', {
      address, ...(range ? {from: isoTime(range.from), to: isoTime(range.to)} : {}), where: filter || undefined, order,
      limit: PAGE, cursor, columns,
    }, signal)
    : ask(sqlOf(range, filter, order, columns), {signal, limit: PAGE, cursor}));
  const counted = useWork(summary ? null : JSON.stringify([range, filter, address, 'count']), (signal) =>
    ask(`SELECT COUNT(*) AS flows FROM flows${where(during(range), filter, ofAddress(address))}`, {signal}));
  const count = summary ? summary.flows : counted.value?.rows[0]?.flows;
  const sql = sqlOf(range, all(filter, ofAddress(address)), order, columns);
  return section({class: 'card', 'aria-label': 'Flows'},
    div({class: 'group'},
      span({'data-count': count}, count === undefined ? ' ' : `${showCount(count)} flows${range ? ' in this range' : ''}`),
      label(null, select({
        'aria-label': 'Order', value: order,
        onChange: (event) => go(changed(view, {order: event.target.value === 'newest' ? undefined : event.target.value})),
      }, option({value: 'newest'}, 'newest first'), option({value: 'oldest'}, 'oldest first'))),
      label(null, input({
        type: 'checkbox', checked: view.params.columns === '*',
        onChange: (event) => go(changed(view, {columns: event.target.checked ? '*' : undefined})),
      }), 'all columns'),
      a({href: exploreHref(view, {filter: all(filter, ofAddress(address))})}, 'explore these'),
      a({href: queryHref(sql)}, 'as a query')),
    shown(summary && !summary.isThere ? {loading: true, drawn: {}} : work, (value) => div(null,
      remarks({...value, next: null}),
      dataTable({
        columns: tableColumns(view, value.columns, value.rows), rows: value.rows, label: 'Flows', csvName: 'flows',
      }),
      div({class: 'group'},
        cursor ? button({onClick: () => history.back()}, 'Page before') : null,
        value.next ? a({class: 'button', href: changed(view, {cursor: value.next})}, 'Next page') : null)),
    {isEmpty: ({rows}) => rows.length === 0, empty: noFlows(context)}));
});

const sqlOf = (range, filter, order, columns) =>
  `SELECT ${columns?.replaceAll(',', ', ') ?? '*'} FROM flows${where(during(range), filter)} ORDER BY end_time${order === 'newest' ? ' DESC' : ''}`;

/** Columns that have a value in any row, the usual ones first. */
function tableColumns(view, columns, rows) {
  const rank = ({name}) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
  return columns
    .filter(({name}) => rows.some((row) => row[name] !== null && row[name] !== undefined))
    .sort((a, b) => rank(a) - rank(b))
    .map((column) => ({
      id: column.name, title: column.name.replaceAll('_', ' '), number: isNumber(column), value: (row) => row[column.name],
      show: (row) => cell(view, column, row[column.name]),
    }));
}
