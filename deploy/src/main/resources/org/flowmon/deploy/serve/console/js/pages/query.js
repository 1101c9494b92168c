// A box for queries: completion, errors with their place, the plan drawn, the answer as a table and as CSV.
import {useEffect, useRef, useState} from 'preact/hooks';
import {ask, csv, post} from '../lib/api.js';
import {useKept, useWork} from '../lib/async.js';
import {dom, part} from '../lib/dom.js';
import {showCount, showBytes} from '../lib/units.js';
import {changed, go} from '../lib/view.js';
import {cell, isNumber} from '../parts/cells.js';
import {approximate} from '../parts/confidence.js';
import {editor} from '../parts/editor.js';
import {plan} from '../parts/plan.js';
import {dataTable, save} from '../parts/table.js';
import {failure, remarks, shown} from '../parts/states.js';

const {a, button, div, h1, li, option, section, select, span, ul} = dom;

const FIRST = `SELECT src_addr, COUNT(*) AS flows, SUM(bytes) AS bytes FROM flows
GROUP BY src_addr ORDER BY bytes DESC LIMIT 20`;
const KEPT = 20;

export const query = part(({view}) => {
  const api = useRef(null);
  const sql = view.params.sql ?? FIRST;
  const [past, setPast] = useKept('queries', []);
  const isRun = view.params.run !== undefined;
  const run = (mode) => {
    const text = api.current?.text() ?? sql;
    setPast([text, ...past.filter((one) => one !== text)].slice(0, KEPT));
    // A query that is asked again is another view only if the archive has grown; the number makes it ask.
    go(changed(view, {sql: text, plan: mode === 'plan' ? '1' : undefined, run: isRun && text === sql ? String(Number(view.params.run) + 1) : '1'}));
  };
  return div(null,
    div({class: 'title'}, h1(null, 'Query'), span({class: 'muted'}, 'Ctrl-Enter runs, Ctrl-Space completes')),
    editor({value: sql, kind: 'query', label: 'Query', apiRef: api, onSubmit: () => run('rows')}),
    div({class: 'bar'},
      button({class: 'main', onClick: () => run('rows')}, 'Run'), button({onClick: () => run('plan')}, 'Explain'),
      past.length === 0 ? null : select({
        'aria-label': 'Queries before', value: '', onChange: (event) => event.target.value && api.current.set(past[Number(event.target.value)]),
      }, option({value: ''}, 'Queries before'), past.map((one, i) => option({key: i, value: String(i)}, one.replace(/\s+/g, ' ').slice(0, 90))))),
    isRun ? (view.params.plan ? explained({view, sql, api}) : answered({view, sql, api})) : null);
});

/** An error's place is marked in the box. */
const marked = (api, work) => work.catch((error) => {
  api.current?.showError(error.position === undefined ? null : error);
  throw error;
});

const answered = part(({view, sql, api}) => {
  const {cursor, run} = view.params;
  const work = useWork(JSON.stringify([sql, cursor, run]), (signal) => {
    api.current?.showError(null);
    return marked(api, ask(sql, {signal, limit: 1000, cursor}));
  });
  return section({class: 'card', 'aria-label': 'Answer'}, shown(work, (value) => div(null,
    div({class: 'group'}, span({'data-rows': value.row_count}, `${showCount(value.row_count)} rows`),
      span({class: 'muted'}, statsLine(value.stats)), download({sql}), a({href: changed(view, {plan: '1'})}, 'how it was answered')),
    remarks(value),
    approximate({list: value.approximate}),
    dataTable({
      label: 'Answer', rows: value.rows, csvName: 'answer', columns: value.columns.map((column) => ({
        id: column.name, title: column.name, number: isNumber(column), value: (row) => row[column.name], show: (row) => cell(view, column, row[column.name]),
      })),
    }),
    value.next ? a({class: 'button', href: changed(view, {cursor: value.next})}, 'Next page') : null),
  {isEmpty: ({rows}) => rows.length === 0, empty: 'The answer has no rows.'}));
});

const statsLine = (stats) =>
  `${stats.milliseconds.toFixed(1)} ms · ${showCount(stats.rows_examined)} of ${showCount(stats.rows)} flows examined · ${showBytes(stats.bytes_read)} read`;

/** The whole answer, by the server: more rows than are shown. */
const download = part(({sql}) => {
  const [state, setState] = useState({});
  const control = useRef(null);
  useEffect(() => () => control.current?.abort(), [sql]);
  const run = () => {
    control.current = new AbortController();
    const {signal} = control.current;
    setState({busy: true});
    csv(sql, signal).then((blob) => (save('answer.csv', blob), setState({})), (error) => setState(signal.aborted ? {} : {error}));
  };
  return span(null, button({onClick: run, disabled: state.busy}, state.busy ? 'Fetching …' : 'CSV of all rows'),
    state.error ? failure({error: state.error}) : null);
});

const explained = part(({view, sql, api}) => {
  const work = useWork(JSON.stringify(['plan', sql, view.params.run]), (signal) => {
    api.current?.showError(null);
    return marked(api, post('explain', {sql}, signal));
  });
  return section({class: 'card', 'aria-label': 'Plan'}, shown(work, (value) => div(null,
    plan({explanation: value}),
    value.warnings.length === 0 ? null : ul(null, value.warnings.map((line) => li({key: line}, line))),
    a({href: changed(view, {plan: undefined})}, 'its rows'))));
});
