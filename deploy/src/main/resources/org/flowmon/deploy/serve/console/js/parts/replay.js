// What an analysis would have reported: a replay over the archive, with its progress, and the reports as they come.
import {useEffect, useRef, useState} from 'preact/hooks';
import {stream} from '../lib/api.js';
import {dom, part} from '../lib/dom.js';
import {rowText, verdicts} from '../lib/reports.js';
import {isoTime, showInstant} from '../lib/time.js';
import {showWhole} from '../lib/units.js';
import {reportRows} from '../pages/report.js';
import {confidenceTag} from './confidence.js';
import {failure} from './states.js';
import {dataTable} from './table.js';

const {button, div, h2, input, label, progress, section, span} = dom;

/** Reports that are kept here; their counts go on. */
const MOST = 2000;

export const replay = part(({view, context, text, name}) => {
  const {range, session} = context;
  const [run, setRun] = useState(null);
  const [quiet, setQuiet] = useState(false);
  const [chosen, setChosen] = useState(null);
  const control = useRef(null);
  useEffect(() => () => control.current?.abort(), []);
  const begin = () => {
    control.current?.abort();
    const mine = new AbortController();
    control.current = mine;
    const state = {reports: [], counts: null, text};
    const tell = (changes) => control.current === mine && setRun((before) => ({...before, ...changes}));
    setChosen(null);
    setRun({...state, running: true});
    stream('replays', {text, from: isoTime(range.from), to: isoTime(range.to)}, mine.signal, (line) => {
      if (line.report && state.reports.length < MOST) {
        state.reports.push(line.report);
      }
      state.counts = line.progress ?? line.end ?? state.counts;
      if (!line.report) {
        tell({counts: state.counts, reports: [...state.reports], ended: Boolean(line.end)});
      }
    }).then(() => tell({running: false}), (error) => tell({
      running: false, reports: [...state.reports], ...(error.name === 'AbortError' ? {cancelled: true} : {error}),
    }));
  };
  const may = session.role !== 'read';
  return section({class: 'card', 'aria-label': 'Replay'},
    h2(null, 'What would it have reported?'),
    div({class: 'bar flat'},
      button({class: 'main', onClick: begin, disabled: !may || run?.running}, 'Replay over this range'),
      run?.running ? button({onClick: () => control.current.abort()}, 'Cancel') : null,
      span({class: 'muted'}, may
        ? 'Runs the text above over the archive as the job would have. It writes nothing.'
        : 'A replay needs the role analyst.')),
    run === null ? null : outcome({run}),
    run === null || run.reports.length === 0 ? null : div(null,
      label(null, input({type: 'checkbox', checked: quiet, onChange: (event) => setQuiet(event.target.checked)}), 'also those without rows'),
      results({run, quiet, chosen, setChosen, name}),
      chosen === null ? null : div({'data-replayed': chosen.window_end},
        h2(null, `${name}, ${showInstant(chosen.window_start)} – ${chosen.window_end.slice(11, 19)}`),
        reportRows({view, context, report: chosen, text: run.text}))));
});

const outcome = part(({run}) => {
  const {counts, reports, running, cancelled, error, ended} = run;
  const done = counts === null ? '' : `${showWhole(counts.reports)} ${counts.reports === 1 ? 'report' : 'reports'} with `
    + `${showWhole(counts.rows)} ${counts.rows === 1 ? 'row' : 'rows'}, of ${showWhole(counts.flows)} flows in ${counts.seconds.toFixed(1)} s`;
  return div(null,
    running ? progress({'aria-label': 'Progress of the replay', max: 1, value: counts?.share ?? 0}) : null,
    div({role: 'status', 'data-replay': running ? 'running' : ended ? 'ended' : cancelled ? 'cancelled' : 'failed'},
      running && counts === null ? 'It starts.' : running ? `Through ${showInstant(counts.through)}: ${done}` : '',
      ended && !running ? `${done}.` : '',
      cancelled ? `Cancelled. Until then: ${done || 'nothing'}.` : ''),
    ended && counts.flows === 0 ? div({class: 'state', 'data-state': 'empty'}, 'The archive has no flows of this range.') : null,
    ended && counts.flows > 0 && reports.length === 0
      ? div({class: 'state', 'data-state': 'empty'}, 'No window has a report: none of the flows meets the condition of the analysis.') : null,
    counts?.late_flows > 0 ? div({class: 'note-line'}, `${showWhole(counts.late_flows)} flows arrived too late for their windows and count in none, as in the job. `
      + 'Of files read later than their flows ended, an analysis with time: arrival or a larger lateness takes them.') : null,
    counts?.reports > MOST ? div({class: 'note-line'}, `Only the first ${showWhole(MOST)} reports are here. A shorter range has them all.`) : null,
    error ? failure({error}) : null);
});

const results = part(({run, quiet, chosen, setChosen, name}) => dataTable({
  label: 'Replayed reports', csvName: `replay-${name}`, rows: run.reports.filter((one) => quiet || one.row_count > 0),
  rowKey: (one) => one.window_end, select: (one) => one === chosen, columns: [
    {id: 'window_end', title: 'Window', value: (one) => one.window_end,
      show: (one) => button({class: 'quiet', onClick: () => setChosen(one)}, `${showInstant(one.window_start)} – ${one.window_end.slice(11, 19)}`)},
    {id: 'rows', title: 'Rows', number: true, value: (one) => one.row_count},
    {id: 'first', title: 'First row', value: (one) => (one.rows[0] ? rowText(one.rows[0]) : ''),
      show: (one) => span({class: 'mono'}, one.rows[0] ? rowText(one.rows[0]) : '')},
    {id: 'verdict', title: 'Verdicts', value: verdicts},
    {id: 'confidence', title: 'Confidence', value: (one) => one.confidence.history, show: (one) => confidenceTag(one.confidence)},
  ],
}));
