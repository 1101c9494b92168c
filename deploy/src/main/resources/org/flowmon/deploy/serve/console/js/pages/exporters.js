// Who sends flows: from the collector, if the server knows one, and from the archive.
import {get} from '../lib/api.js';
import {useWork} from '../lib/async.js';
import {dom, part} from '../lib/dom.js';
import {exploreHref, flowsHref} from '../lib/links.js';
import {equals} from '../lib/sql.js';
import {isoTime, showInstant} from '../lib/time.js';
import {showBytes, showCount} from '../lib/units.js';
import {dataTable} from '../parts/table.js';
import {shown} from '../parts/states.js';
import {timeBar} from '../parts/timebar.js';

const {a, details, div, h1, pre, section, span, summary} = dom;

export const exporters = part(({view, context}) => {
  const {range, newest, turn} = context;
  const work = useWork(JSON.stringify(['exporters', range, turn]), (signal) =>
    get('exporters', {from: isoTime(range.from), to: isoTime(range.to)}, signal));
  return div(null,
    div({class: 'title'}, h1(null, 'Exporters')),
    timeBar({view, range, newest}),
    section({class: 'card', 'aria-label': 'Exporters'}, shown(work, (value) => div(null,
      value.collector ? div({class: 'note-line'}, `The collector did not answer: ${value.collector}`) : null,
      dataTable({
        label: 'Exporters', rows: value.exporters, rowKey: ({exporter}) => exporter ?? '', csvName: 'exporters', columns: [
          {id: 'exporter', title: 'Exporter', value: (one) => one.exporter,
            show: (one) => (one.exporter === null ? span({class: 'muted'}, 'none: logs and files') : span({class: 'mono'}, one.exporter))},
          {id: 'flows', title: 'Flows in the range', number: true, value: (one) => one.archived_flows,
            show: (one) => a({href: flowsHref(view, equals('exporter', one.exporter))}, showCount(one.archived_flows))},
          {id: 'bytes', title: 'Bytes', number: true, value: (one) => one.archived_bytes, show: (one) => showBytes(one.archived_bytes)},
          {id: 'last', title: 'Newest flow', value: (one) => one.last_end_time, show: (one) => showInstant(one.last_end_time)},
          {id: 'explore', title: '', show: (one) => a({href: exploreHref(view, {filter: equals('exporter', one.exporter), by: 'input_if'})}, 'by interface')},
          {id: 'live', title: 'Collector', show: (one) => (one.live === null ? span({class: 'muted'}, '–')
            : details(null, summary(null, 'what it says'), pre(null, JSON.stringify(one.live, null, 1))))},
        ],
      })), {isEmpty: (value) => value.exporters.length === 0, empty: 'No exporter sent flows in this range.'})));
});
