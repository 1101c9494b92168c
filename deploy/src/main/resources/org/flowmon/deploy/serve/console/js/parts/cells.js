// Values of columns as cells: addresses lead to their hosts, ports and protocols have their names.
import {dom} from '../lib/dom.js';
import {column as known, showValue} from '../lib/names.js';
import {hostHref, isAddress} from '../lib/links.js';
import {showDuration} from '../lib/time.js';
import {showBytes, showWhole} from '../lib/units.js';

const {a, span} = dom;

/** A value with the kind of its column in the answer. */
export function cell(view, {name, kind, unit}, value) {
  if (value === null || value === undefined) {
    return span({class: 'muted'}, '–');
  }
  switch (kind) {
    case 'address':
      return a({href: hostHref(view, value), class: 'mono'}, value);
    case 'timestamp':
      return value.replace('T', ' ').replace(/Z$/, '');
    case 'duration':
      return showDuration(value / 1000);
    case 'double':
      return Number.isInteger(value) ? showWhole(value) : Number(value).toPrecision(6).replace(/\.?0+$/, '');
    case 'list':
      return span({class: 'mono'}, JSON.stringify(value));
    case 'long':
      return longCell(name, unit, value);
    default:
      return String(value);
  }
}

function longCell(name, unit, value) {
  if (typeof value === 'string' || /(_port|^protocol|tcp_flags)$/.test(name)) {
    return showValue(name, value);
  }
  return unit === 'B' || unit === 'bytes'
    ? span({title: `${showWhole(value)} bytes`}, showBytes(value))
    : /(_as|_id|_rate|vlan|_if|label|sequence|domain)$/.test(name) ? String(value) : showWhole(value);
}

export const isNumber = ({name, kind}) =>
  kind === 'double' || kind === 'duration' || (kind === 'long' && !/(_port|^protocol|tcp_flags|_as|state)$/.test(name));

/** A key of columns in one line. */
export const keyName = (columns, key) => columns.map((column, c) => showValue(column, key[c])).join(' · ');

/** Links of a key: a single address leads to its host. */
export function keyCell(view, columns, key) {
  return columns.map((column, c) => span({key: column},
    c > 0 ? ' · ' : '',
    isAddress(column) && key[c] !== null && known(column)?.kind === 'address'
      ? a({href: hostHref(view, key[c]), class: 'mono'}, key[c])
      : showValue(column, key[c])));
}
