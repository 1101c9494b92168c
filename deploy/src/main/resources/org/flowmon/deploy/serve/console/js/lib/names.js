// Names of ports, protocols and columns, which the server has; loaded once, before the first page is drawn.

const known = {columns: [], keywords: [], ports: {}, protocols: {}};
const byName = new Map();

export function learn(facts) {
  Object.assign(known, facts);
  known.columns.forEach((column) => byName.set(column.name, column));
}

export const columns = () => known.columns;
export const keywords = () => known.keywords;
export const column = (name) => byName.get(name);

/** The code's name, if the column has such names. */
function nameOf(column, value) {
  if (value === null || value === undefined) {
    return undefined;
  }
  if (/(^|_)port$/.test(column)) {
    return known.ports[value];
  }
  return column === 'protocol' ? known.protocols[value] : undefined;
}

const FLAGS = 'FSRPAUEC';

/** A value of a column as people read it: 443 (https), SYN and ACK as SA. NULL is unknown. */
export function showValue(column, value) {
  if (value === null || value === undefined) {
    return 'unknown';
  }
  if (/tcp_flags$/.test(column)) {
    return value === 0 ? 'none' : [...FLAGS].filter((_, bit) => value & (1 << bit)).join('');
  }
  const name = nameOf(column, value);
  if (column === 'protocol') {
    return name ? name.toUpperCase() : String(value);
  }
  return name ? `${value} (${name})` : String(value);
}
