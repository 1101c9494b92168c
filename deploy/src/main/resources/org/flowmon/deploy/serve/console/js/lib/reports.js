// Reports and alerts: their addresses, their rows in a line, the flows behind a row.
import {carried, href} from './view.js';
import {column as known} from './names.js';
import {all, equals, quoted} from './sql.js';

export const alertHref = (view, {id}) => href('alert', [id], carried(view));

export const reportHref = (view, {analysis, window_start: start, window_end: end}) =>
  href('report', [analysis, start, end], carried(view));

/** The colour of a firing alert's severity; the worst has the highest rank. */
const SEVERITIES = {info: {rank: 0, colour: ''}, warning: {rank: 1, colour: 'warn'}, critical: {rank: 2, colour: 'bad'}};

const UNKNOWN = SEVERITIES.warning;

export const severityTag = ({state, severity}) => `tag ${state === 'firing' ? (SEVERITIES[severity] ?? UNKNOWN).colour : ''}`;

/** The worst alerts first, of one severity as they were. */
export const worstFirst = (alerts) => [...alerts].sort((one, other) =>
  (SEVERITIES[other.severity] ?? UNKNOWN).rank - (SEVERITIES[one.severity] ?? UNKNOWN).rank);

/** The first columns of a row: what it is about. */
export const rowText = ({columns}) =>
  Object.entries(columns).filter(([name, value]) => typeof value === 'string' && name !== 'verdict').slice(0, 3)
    .map(([, value]) => value).join(' · ');

/** Columns of a row by which its flows are found: those that flows have, with plain values. */
export function keysOf(columns) {
  return Object.entries(columns).filter(([name, value]) =>
    known(name) && /(_addr|_port|^protocol|^exporter|_as|^service|_country|_network)$/.test(name)
    && (typeof value === 'string' || typeof value === 'number'));
}

/** The condition of the flows of a row; a network is a prefix, "src" in one analysis is a column in another. */
export function flowsOf(columns) {
  return all(...keysOf(columns).map(([name, value]) =>
    typeof value === 'string' && /\/\d+$/.test(value) ? `${name} IN ${quoted(value)}` : equals(name, value)));
}

/** How many rows have which verdict, in a line. */
export function verdicts({rows}) {
  const counts = new Map();
  rows.forEach(({columns}) => columns.verdict && counts.set(columns.verdict, (counts.get(columns.verdict) ?? 0) + 1));
  return [...counts].map(([verdict, count]) => `${count} ${verdict}`).join(', ');
}
