// Alerts and reports, the newest first.
import {get} from '../lib/api.js';
import {useWork} from '../lib/async.js';
import {dom, part} from '../lib/dom.js';
import {isoTime, showInstant} from '../lib/time.js';
import {changed, go} from '../lib/view.js';
import {alertHref, reportHref, rowText, verdicts} from '../lib/reports.js';
import {confidenceTag} from '../parts/confidence.js';
import {dataTable} from '../parts/table.js';
import {remarks, shown} from '../parts/states.js';
import {timeBar} from '../parts/timebar.js';

const {a, button, div, h1, h2, header, input, label, option, section, select, span} = dom;

const noJob = () => div({class: 'state', 'data-state': 'empty'},
  'This server knows no job, so it has no reports and no alerts. Start it with ', span({class: 'mono'}, '--config flowmon.yaml'), '.');

/** Times bound the reports only if the view names some: else the newest are shown. */
const bounds = (view, range) => (view.params.range || view.params.from ? {from: isoTime(range.from), to: isoTime(range.to)} : {});

export const reports = part(({view, context}) => {
  const {range, newest, session} = context;
  if (!session.features.reports) {
    return div(null, div({class: 'title'}, h1(null, 'Alerts and reports')), noJob());
  }
  return div(null,
    div({class: 'title'}, h1(null, 'Alerts and reports')),
    timeBar({view, range, newest}, analysisChoice({view})),
    alertList({view, context}),
    reportList({view, context}));
});

const analysisChoice = part(({view}) => {
  const work = useWork('analyses', (signal) => get('analyses', {}, signal));
  return label(null, 'Analysis ', select({
    value: view.params.analysis ?? '', onChange: (event) => go(changed(view, {analysis: event.target.value})),
  }, option({value: ''}, 'all'), (work.value?.analyses ?? []).map(({name}) => option({key: name, value: name}, name))));
});

/** Buttons to the pages beside this one, whose cursor the parameter has. */
const pages = (view, parameter, next) => div({class: 'group'},
  view.params[parameter] ? button({onClick: () => history.back()}, 'Page before') : null,
  next ? a({class: 'button', href: changed(view, {[parameter]: next})}, 'Next page') : null);

const severity = {info: '', warning: 'warn', critical: 'bad'};

const alertList = part(({view, context}) => {
  const state = view.params.state ?? 'firing';
  const params = {
    state, analysis: view.params.analysis, ...bounds(view, context.range), limit: 100, cursor: view.params.alerts,
  };
  const work = useWork(JSON.stringify(['alerts', params, context.turn]), (signal) => get('alerts', params, signal));
  return section({class: 'card', 'aria-label': 'Alerts'},
    header(null, h2(null, 'Alerts'), div({class: 'choice'}, ['firing', 'resolved', 'all'].map((one) => button({
      key: one, 'aria-pressed': String(state === one), onClick: () => go(changed(view, {state: one === 'firing' ? undefined : one})),
    }, one)))),
    shown(work, ({alerts, next, warnings}) => div(null, remarks({warnings}), dataTable({
      label: 'Alerts', rows: alerts, rowKey: ({id}) => id, csvName: 'alerts',
      columns: [
        {id: 'severity', title: 'Severity', value: (one) => one.severity,
          show: (one) => span({class: `tag ${one.state === 'firing' ? severity[one.severity] ?? '' : ''}`}, one.severity)},
        {id: 'rule', title: 'Alert', value: (one) => `${one.analysis}: ${one.rule}`, show: (one) => a({href: alertHref(view, one)}, `${one.analysis}: ${one.rule}`)},
        {id: 'key', title: 'Of', value: (one) => one.key, show: (one) => span({class: 'mono'}, one.key.replaceAll('|', ' · '))},
        {id: 'state', title: 'State', value: (one) => one.state},
        {id: 'since', title: 'Since', value: (one) => one.since, show: (one) => showInstant(one.since)},
        {id: 'last_held', title: 'Last held', value: (one) => one.last_held, show: (one) => showInstant(one.last_held)},
      ],
    }), pages(view, 'alerts', next)), {
      isEmpty: ({alerts}) => alerts.length === 0, empty: state === 'firing' ? 'No alert is firing.' : 'No such alerts.',
    }));
});

const reportList = part(({view, context}) => {
  const params = {
    analysis: view.params.analysis, ...bounds(view, context.range), empty: view.params.empty === '1', limit: 50, cursor: view.params.cursor,
  };
  const work = useWork(JSON.stringify(['reports', params, context.turn]), (signal) => get('reports', params, signal));
  return section({class: 'card', 'aria-label': 'Reports'},
    header(null, h2(null, 'Reports'), label(null, input({
      type: 'checkbox', checked: view.params.empty === '1',
      onChange: (event) => go(changed(view, {empty: event.target.checked ? '1' : undefined})),
    }), 'also those without rows')),
    shown(work, ({reports: found, next, warnings}) => div(null, remarks({warnings}), dataTable({
      label: 'Reports', rows: found, rowKey: (one) => one.analysis + one.window_end, csvName: 'reports',
      columns: [
        {id: 'window_end', title: 'Window', value: (one) => one.window_end,
          show: (one) => a({href: reportHref(view, one)}, `${showInstant(one.window_start)} – ${one.window_end.slice(11, 19)}`)},
        {id: 'analysis', title: 'Analysis', value: (one) => one.analysis},
        {id: 'rows', title: 'Rows', number: true, value: (one) => one.row_count},
        {id: 'first', title: 'First row', value: (one) => (one.rows[0] ? rowText(one.rows[0]) : ''),
          show: (one) => span({class: 'mono'}, one.rows[0] ? rowText(one.rows[0]) : '')},
        {id: 'verdict', title: 'Verdicts', value: verdicts},
        {id: 'confidence', title: 'Confidence', value: (one) => one.confidence.history, show: (one) => confidenceTag(one.confidence)},
      ],
    }), pages(view, 'cursor', next)), {
      isEmpty: ({reports: found}) => found.length === 0, empty: 'No reports with rows.',
    }));
});
