// The worst of the newest alerts, and the newest reports, for the overview.
import {get} from '../lib/api.js';
import {useWork} from '../lib/async.js';
import {dom, part} from '../lib/dom.js';
import {alertHref, reportHref, rowText, severityTag, worstFirst} from '../lib/reports.js';
import {shown} from './states.js';

const {a, div, span} = dom;

export const findings = part(({view, context}) => {
  const has = context.session.features.reports;
  const work = useWork(has ? `findings ${context.turn}` : null, async (signal) => {
    const [alerts, reports] = await Promise.all([
      get('alerts', {state: 'firing', limit: 200}, signal),
      get('reports', {empty: false, limit: 8}, signal),
    ]);
    return {alerts: worstFirst(alerts.alerts).slice(0, 6), reports: reports.reports};
  });
  if (!has) {
    return div({class: 'state', 'data-state': 'empty'},
      'This server knows no job. Start it with ', span({class: 'mono'}, '--config flowmon.yaml'), ' to see reports and alerts here.');
  }
  return shown(work, ({alerts, reports}) => div(null,
    alerts.map((one) => line(alertHref(view, one), span({class: severityTag(one)}, one.severity), `${one.analysis}: ${one.rule}`, one.key, one.since)),
    reports.map((one) => line(reportHref(view, one), span({class: 'tag'}, one.analysis),
      `${one.row_count} ${one.row_count === 1 ? 'row' : 'rows'}`, one.rows[0] ? rowText(one.rows[0]) : '', one.window_end))), {
    isEmpty: ({alerts, reports}) => alerts.length + reports.length === 0,
    empty: 'No alert is firing, and no report has rows.',
  });
});

const line = (address, tag, name, text, time) => div({key: address, class: 'finding'},
  tag, ' ', a({href: address}, name), ' ', span({class: 'mono muted'}, text), ' ', span({class: 'muted'}, time.slice(11, 19)));
