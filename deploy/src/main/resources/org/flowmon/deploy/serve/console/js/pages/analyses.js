// Analyses of the job: what runs and what was refused; check, change, add, remove, replay.
import {useState} from 'preact/hooks';
import {get, post, remove} from '../lib/api.js';
import {useWork} from '../lib/async.js';
import {dom, part} from '../lib/dom.js';
import {showDuration} from '../lib/time.js';
import {href} from '../lib/view.js';
import {dataTable} from '../parts/table.js';
import {replay} from '../parts/replay.js';
import {failure, shown} from '../parts/states.js';
import {timeBar} from '../parts/timebar.js';

const {a, button, div, h1, li, pre, section, span, textarea, ul} = dom;

const RUNS = {
  yes: ['good', 'runs'], added: ['good', 'added while it runs'], refused: ['bad', 'refused'], sent: ['warn', 'sent, no answer yet'],
  no: ['', 'does not run'], bundled: ['', 'comes with flowmon'], offered: ['', 'offered'],
};

export const analyses = part(({view, context}) => {
  const [name] = view.args;
  return name || view.params.new ? one({view, context, name}) : list({view, context});
});

const list = part(({context}) => {
  const work = useWork(`analyses ${context.turn}`, (signal) => get('analyses', {}, signal));
  return div(null,
    div({class: 'title'}, h1(null, 'Analyses'), a({class: 'button', href: href('analyses', [], {new: '1'})}, 'Write a new one')),
    section({class: 'card', 'aria-label': 'Analyses'}, shown(work, (value) => div(null,
      value.remarks.length === 0 ? null : ul({class: 'note-line'}, value.remarks.map((remark) => li({key: remark}, remark))),
      dataTable({
        label: 'Analyses', rows: value.analyses, rowKey: ({name}) => name, csvName: 'analyses', columns: [
          {id: 'name', title: 'Analysis', value: (row) => row.name, show: (row) => a({href: href('analyses', [row.name])}, row.name)},
          {id: 'runs', title: 'Runs', value: (row) => row.runs, show: (row) => span({class: `tag ${RUNS[row.runs][0]}`}, RUNS[row.runs][1])},
          {id: 'window', title: 'Window', number: true, value: (row) => row.window_seconds, show: (row) => showDuration(row.window_seconds * 1000)},
          {id: 'slide', title: 'Every', number: true, value: (row) => row.slide_seconds, show: (row) => showDuration(row.slide_seconds * 1000)},
          {id: 'history', title: 'History', value: (row) => (row.history ? 'yes' : 'no')},
          {id: 'logic', title: 'Made by', value: (row) => row.logic},
          {id: 'sinks', title: 'Goes to', value: (row) => row.sinks.join(', ')},
        ],
      })), {isEmpty: (value) => value.analyses.length === 0, empty: 'No analyses.'})));
});

const BEGIN = `name: mine

live:
  query: |
    SELECT src_addr, SUM(bytes) AS bytes FROM flows
    GROUP BY src_addr ORDER BY bytes DESC LIMIT 10
  window: 1m
  time: end_time
  lateness: 5s

report:
  query: SELECT rank, src_addr, bytes FROM live ORDER BY rank

sinks: [kafka]
`;

const one = part(({view, context, name}) => {
  const work = useWork(`analysis ${name}`, (signal) => (name
    ? get(`analyses/${name}`, {}, signal)
    : Promise.resolve({name: 'mine', text: BEGIN, runs: 'no'})));
  return shown(work, (value) => div(null,
    div({class: 'title'}, h1(null, name ?? 'A new analysis'),
      value.runs ? span({class: `tag ${RUNS[value.runs][0]}`}, RUNS[value.runs][1]) : null,
      name ? a({href: href('reports', [], {analysis: name})}, 'its reports') : null),
    timeBar({view, range: context.range, newest: context.newest}),
    value.text === null
      ? div({class: 'state'}, 'Its text is not known here: the job has it from its own configuration.')
      : form({view, context, initial: value.text, name, runs: value.runs})));
});

const form = part(({view, context, initial, name, runs}) => {
  const [text, setText] = useState(initial);
  const [state, setState] = useState({});
  const admin = context.session.role === 'admin' && context.session.features.job;
  const act = (work) => {
    setState({busy: true});
    work.then((value) => setState(value), (error) => setState({error}));
  };
  const check = () => act(post('analyses/check', {text}).then((checked) => ({checked})));
  const add = () => act(post('analyses/check', {text}).then((checked) => (checked.valid
    ? post(`analyses/${checked.name}`, {text}, undefined, 'PUT').then((change) => ({change}))
    : {checked})));
  const drop = () => act(remove(`analyses/${name}`).then((change) => ({change})));
  return div(null, section({class: 'card', 'aria-label': 'Text of the analysis'},
    textarea({
      class: 'mono code', value: text, rows: Math.min(44, Math.max(14, text.split('\n').length + 1)), spellcheck: false,
      'aria-label': 'YAML of the analysis', onInput: (event) => setText(event.target.value),
    }),
    div({class: 'bar flat'},
      button({onClick: check, disabled: state.busy}, 'Check'),
      admin ? button({class: 'main', onClick: add, disabled: state.busy}, runs === 'yes' || runs === 'added' ? 'Change it in the job' : 'Add it to the job') : null,
      admin && name && (runs === 'yes' || runs === 'added') ? button({onClick: drop, disabled: state.busy}, 'Remove it') : null,
      context.session.features.job ? null : span({class: 'muted'}, 'No job is known here, so it can be checked but not run.')),
    outcome({state})),
    replay({view, context, text, name: name ?? state.checked?.name ?? 'mine'}));
});

const outcome = part(({state}) => {
  if (state.error) {
    return failure({error: state.error});
  }
  if (state.change) {
    return div({class: state.change.outcome === 'refused' ? 'state error' : 'note-line', role: 'status'},
      `${state.change.name}: ${state.change.outcome}. `, state.change.message ?? '');
  }
  if (!state.checked) {
    return null;
  }
  return state.checked.valid
    ? div({class: 'good', role: 'status'}, `${state.checked.name} is right.`)
    : div({class: 'state error', role: 'alert'}, state.checked.errors.map(({message, line}, i) => pre({key: i}, line ? `line ${line}: ` : '', message)));
});
