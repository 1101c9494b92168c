// Addresses of views that pages link to.
import {carried, href} from './view.js';
import {fixedRange} from './time.js';

export const hostHref = (view, address) => href('host', [address], carried(view));

/** The flows of a filter; of the view's range, or of a given one. */
export const flowsHref = (view, filter, range) =>
  href('flows', [], {...(range ? fixedRange(range.from, range.to) : carried(view)), filter});

export const exploreHref = (view, params) => href('explore', [], {...carried(view), ...params});

export const queryHref = (sql) => href('query', [], {sql, run: '1'});

/** Columns whose values are addresses lead to their hosts. */
export const isAddress = (column) => /(^|_)(addr|exporter|hop)$/.test(column);
