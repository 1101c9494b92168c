// A table that sorts by a click on a heading, and its rows as CSV.
import {useMemo, useState} from 'preact/hooks';
import {useLater} from '../lib/async.js';
import {dom, part} from '../lib/dom.js';

const {button, div, span, table, tbody, td, th, thead, tr} = dom;

/** Rows that are drawn at once; the others when these are on the screen. */
const FIRST = 15;

/**
 * columns: {id, title, value(row), show(row), number}. `value` sorts and goes into CSV; `show` is a text or an element.
 */
export const dataTable = part(({columns, rows, label, rowKey, csvName, select}) => {
  const [order, setOrder] = useState(null);
  const isLater = useLater();
  const isWhole = isLater || rows.length <= FIRST;
  const sorted = useMemo(() => sortedRows(rows, columns, order), [rows, order, columns]);
  const heading = (column) => {
    const active = order?.by === column.id;
    const turn = () => setOrder({by: column.id, down: active ? !order.down : Boolean(column.number)});
    return th({
      key: column.id, class: column.number ? 'num' : '', scope: 'col',
      'aria-sort': active ? (order.down ? 'descending' : 'ascending') : undefined,
    }, column.value ? button({onClick: turn, title: 'Sort'}, column.title, active ? (order.down ? ' ▾' : ' ▴') : '') : column.title === '' ? span({class: 'sr'}, column.id) : column.title);
  };
  return div({'aria-busy': String(!isWhole)},
    div({class: 'scroll', tabIndex: 0, role: 'group', 'aria-label': `${label}, table`},
      table({'aria-label': label},
        thead(null, tr(null, columns.map(heading))),
        tbody(null, (isWhole ? sorted : sorted.slice(0, FIRST)).map((row, r) => tr({
          key: rowKey ? rowKey(row) : r,
          'data-selected': select?.(row) ? 'true' : undefined,
        }, columns.map((column) => td({key: column.id, class: cellClass(column, row), 'data-column': column.id, 'data-value': rawValue(column, row)},
          column.show ? column.show(row) : text(column.value(row))))))))),
    csvName ? csvButton({name: csvName, columns, rows: sorted}) : null);
});

/** What the cell's figure is exactly, for whoever reads the page by program. */
const rawValue = (column, row) => {
  const value = column.value?.(row);
  return value === null || value === undefined ? undefined : String(value);
};

const cellClass = (column, row) =>
  column.number ? 'num' : String(column.value?.(row) ?? '').length > 60 ? 'cell wide' : 'cell';

const text = (value) => (value === null || value === undefined ? '–' : String(value));

function sortedRows(rows, columns, order) {
  const column = order && columns.find(({id}) => id === order.by);
  if (!column) {
    return rows;
  }
  const sign = order.down ? -1 : 1;
  return [...rows].sort((a, b) => sign * compare(column.value(a), column.value(b)));
}

function compare(a, b) {
  if (a === null || a === undefined || b === null || b === undefined) {
    return (a ?? null) === (b ?? null) ? 0 : a === null || a === undefined ? -1 : 1;
  }
  if (typeof a === 'string' || typeof b === 'string') {
    return String(a).localeCompare(String(b), 'en', {numeric: true});
  }
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Saves exactly the rows of the table beside it, in their order. */
const csvButton = ({name, columns, rows}) =>
  button({class: 'quiet', onClick: () => save(`${name}.csv`, csvText(columns, rows), 'text/csv')}, 'CSV of this table');

function csvText(columns, rows) {
  const kept = columns.filter((column) => column.value);
  const lines = [kept.map((column) => field(column.id))];
  for (const row of rows) {
    lines.push(kept.map((column) => field(column.value(row))));
  }
  return lines.map((fields) => fields.join(',')).join('\n') + '\n';
}

function field(value) {
  if (value === null || value === undefined) {
    return '';
  }
  let plain = String(value);
  if (typeof value === 'string' && /^[=+\-@\t\r]/.test(plain)) {
    plain = `'${plain}`; // A spreadsheet would run it.
  }
  return /[",\n\r]/.test(plain) || plain === '' ? `"${plain.replaceAll('"', '""')}"` : plain;
}

/** Gives the browser a file. */
export function save(name, content, type) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], {type}));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
