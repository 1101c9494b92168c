// Any columns of any flows: their largest values as areas, lines or a Sankey diagram, with a table of the same figures.
import {useMemo, useState} from 'preact/hooks';
import {ask} from '../lib/api.js';
import {useWork} from '../lib/async.js';
import {dom, part} from '../lib/dom.js';
import {columns as allColumns, showValue} from '../lib/names.js';
import {flowsHref, queryHref} from '../lib/links.js';
import {loadSeries} from '../lib/load.js';
import {all, anyOf, equals, narrowed, summed, swapped, topQuery, where, during} from '../lib/sql.js';
import {fixedRange} from '../lib/time.js';
import {METRICS, showChange} from '../lib/units.js';
import {changed, go} from '../lib/view.js';
import {keyCell, keyName} from '../parts/cells.js';
import {chart, swatch} from '../parts/chart.js';
import {filterBar} from '../parts/filter.js';
import {sankey} from '../parts/sankey.js';
import {dataTable} from '../parts/table.js';
import {noFlows, partlyBefore, remarks, shown} from '../parts/states.js';
import {timeBar} from '../parts/timebar.js';

const {a, button, datalist, div, form, h1, h2, header, input, label, option, section, select, span} = dom;

const KINDS = {area: 'areas', line: 'lines', sankey: 'Sankey'};
const LIMITS = [5, 8, 10, 20, 50];

/** The question of a view of this page; parameters that the address lacks have their defaults. */
function question({params}) {
  return {
    keys: (params.by ?? 'protocol').split(',').filter((name) => /^[a-z][a-z0-9_]*$/.test(name)),
    metric: METRICS[params.metric] ? params.metric : 'bits',
    kind: KINDS[params.kind] ? params.kind : 'area',
    top: ['avg', 'max', 'last'].includes(params.top) ? params.top : 'avg',
    limit: LIMITS.includes(Number(params.limit)) ? Number(params.limit) : 8,
    both: params.both === '1',
    before: params.before !== '0',
    filter: params.filter ?? '',
  };
}

export const explore = part(({view, context}) => {
  const {range, newest} = context;
  const asked = question(view);
  return div(null,
    div({class: 'title'}, h1(null, 'Explore')),
    timeBar({view, range, newest}),
    filterBar({view, session: context.session}),
    controls({view, asked}),
    asked.kind === 'sankey' && asked.keys.length > 1
      ? flowDiagram({view, context, asked})
      : seriesOf({view, context, asked}));
});

const choice = (view, name, current, values, initial) => div({class: 'choice', role: 'group', 'aria-label': name},
  Object.entries(values).map(([value, title]) => button({
    key: value, 'aria-pressed': String(String(current) === value),
    onClick: () => go(changed(view, {[name]: value === initial ? undefined : value})),
  }, title)));

const controls = part(({view, asked}) => div({class: 'bar', role: 'group', 'aria-label': 'What is shown'},
  dimensions({view, asked}),
  choice(view, 'metric', asked.metric, Object.fromEntries(Object.entries(METRICS).map(([id, {title}]) => [id, title])), 'bits'),
  choice(view, 'kind', asked.kind, KINDS, 'area'),
  label(null, 'top ', select({
    value: String(asked.limit), onChange: (event) => go(changed(view, {limit: event.target.value === '8' ? undefined : event.target.value})),
  }, LIMITS.map((limit) => option({key: limit, value: String(limit)}, limit)))),
  label(null, 'by ', select({
    value: asked.top, onChange: (event) => go(changed(view, {top: event.target.value === 'avg' ? undefined : event.target.value})),
  }, [['avg', 'average'], ['max', 'maximum'], ['last', 'last']].map(([id, title]) => option({key: id, value: id}, title)))),
  toggle(view, 'both', asked.both, 'both directions', '1', undefined),
  toggle(view, 'before', asked.before, 'period before', undefined, '0')));

const toggle = (view, name, checked, title, on, off) => label(null, input({
  type: 'checkbox', checked, onChange: (event) => go(changed(view, {[name]: event.target.checked ? on : off})),
}), title);

const dimensions = part(({view, asked}) => {
  const [wrong, setWrong] = useState(false);
  const set = (keys) => go(changed(view, {by: keys.join(',') || undefined}));
  const add = (event) => {
    event.preventDefault();
    const name = new FormData(event.target).get('column').trim().toLowerCase();
    const isKnown = allColumns().some((column) => column.name === name);
    setWrong(!isKnown);
    if (isKnown) {
      event.target.reset();
      set([...asked.keys.filter((key) => key !== name), name]);
    }
  };
  return div({class: 'group'}, span({class: 'label'}, 'by'),
    asked.keys.map((key) => span({key, class: 'chip'}, key.replaceAll('_', ' '),
      button({onClick: () => set(asked.keys.filter((other) => other !== key)), 'aria-label': `Without ${key}`}, '×'))),
    form({onSubmit: add, class: 'group'},
      input({type: 'text', name: 'column', list: 'columns', size: 14, placeholder: 'add a column', 'aria-label': 'Column', 'aria-invalid': String(wrong)}),
      datalist({id: 'columns'}, allColumns().map((column) => option({key: column.name, value: column.name}, column.description ?? ''))),
      wrong ? span({class: 'bad', role: 'alert'}, 'No such column') : null));
});

const seriesOf = part(({view, context, asked}) => {
  const {range, newest} = context;
  const metric = METRICS[asked.metric];
  const load = async (signal, progress) => {
    const options = {range, metric, newest, signal, progress, by: asked.top, limit: asked.limit};
    const there = await loadSeries({...options, keys: asked.keys, filter: asked.filter, before: asked.before});
    const filter = swapped(asked.filter);
    const known = filter === asked.filter ? there.sum : undefined;
    const back = asked.both ? await loadSeries({...options, keys: asked.keys.map(swapped), filter, before: false, known}) : null;
    return {...there, back};
  };
  const {kind, ...sums} = asked; // Areas and lines are drawn from the same sums.
  const work = useWork(JSON.stringify([range, newest, sums]), load);
  return section({class: 'card', 'aria-label': 'Series'},
    header(null, h2(null, `${metric.title} by ${asked.keys.join(', ') || 'nothing'}`),
      a({class: 'end', href: queryHref(topQuery({range, keys: asked.keys.length ? asked.keys : ['protocol'], metric, filter: asked.filter, by: asked.top, limit: asked.limit}))}, 'as a query')),
    shown(work, (value) => drawn({view, context, asked, value}), {isEmpty: ({empty}) => empty, empty: noFlows(context)}));
});

const drawn = part(({view, context, asked, value}) => {
  const metric = METRICS[asked.metric];
  const series = useMemo(() => chartSeries(asked, value), [value, asked.kind]);
  const filterOf = (one) => (one?.key ? all(asked.filter, anyOf(one.columns, [one.key])) : asked.filter);
  return div(null,
    remarks(...value.answers),
    asked.before ? partlyBefore(context) : null,
    chart({
      times: value.times, width: context.range.width, series, show: metric.show, stacked: asked.kind === 'area', height: 320, theme: context.theme,
      label: `${metric.title} by ${asked.keys.join(', ')}`,
      onRange: (from, to) => go(changed(view, fixedRange(from, to))),
      onPoint: (time, one) => go(flowsHref(view, filterOf(one), {from: time, to: time + context.range.width})),
    }),
    div({class: 'muted'}, 'Drag selects a range, a click shows the flows of that moment. Long flows count evenly over the time they ran.'),
    statisticsTable({view, asked, value, metric}));
});

function chartSeries(asked, value) {
  const named = (items, columns, below) => items.map((item, i) => ({
    name: item.other ? 'other' : keyName(columns, item.key), values: item.rates, other: item.other, below, key: item.key, columns, colour: i,
  }));
  const up = asked.keys.length === 0 ? [{name: 'all', values: value.whole.rates, colour: 0}] : named(value.items, asked.keys, false);
  const down = value.back === null ? []
    : asked.keys.length === 0 ? [{name: 'all, back', values: value.back.whole.rates, below: true, colour: 0}]
      : named(value.back.items, asked.keys.map(swapped), true).map((one) => sameColour(one, up));
  const before = value.before === null ? [] : [{name: 'all, period before', values: value.before.rates.slice(0, value.times.length), dashed: true, other: true}];
  return [...up, ...down, ...before];
}

/** The way back of a key has its colour. */
function sameColour(one, up) {
  const partner = up.find((other) => JSON.stringify(other.key) === JSON.stringify(one.key));
  return partner ? {...one, colour: partner.colour, name: `${one.name}, back`} : {...one, name: `${one.name}, back`};
}

const statisticsTable = part(({view, asked, value, metric}) => {
  const rows = [
    ...(asked.keys.length === 0 ? [] : value.items.map((item, i) => ({...item, i, columns: asked.keys}))),
    {...value.whole, isAll: true, name: 'all'},
    ...(value.before === null ? [] : [{...value.before, isAll: true, name: 'all, period before', isBefore: true}]),
    ...(value.back === null ? [] : value.back.items.map((item, i) => ({...item, i, columns: asked.keys.map(swapped), isBack: true}))),
  ];
  const figure = (id, title, pick) => ({id, title, number: true, value: pick, show: (row) => metric.show(pick(row))});
  const nameOf = (row) => (row.isAll ? row.name : `${row.other ? 'other' : keyName(row.columns, row.key)}${row.isBack ? ', back' : ''}`);
  return dataTable({
    label: 'Statistics', rows, csvName: `explore-${asked.keys.join('-')}`, rowKey: (row) => nameOf(row),
    columns: [
      {id: asked.keys.join(' ') || 'all', title: asked.keys.join(' · ') || 'all', value: nameOf, show: (row) => rowName(view, row)},
      figure('min', 'Min', ({stats}) => stats.min), figure('max', 'Max', ({stats}) => stats.max),
      figure('last', 'Last', ({stats}) => stats.last), figure('average', 'Average', ({stats}) => stats.avg),
      figure('p95', '95th', ({stats}) => stats.p95),
      {id: 'total', title: 'Total', number: true, value: ({total}) => Math.round(total), show: ({total}) => metric.total(total)},
      {id: 'share', title: 'Share', number: true, value: ({total}) => total / (value.whole.total || 1),
        show: (row) => (row.isBefore ? (row.total > 0 ? `now ${showChange(value.whole.total, row.total)}` : '–') : `${((100 * row.total) / (value.whole.total || 1)).toFixed(1)}%`)},
      {id: 'only', title: '', show: (row) => (row.isAll || row.other ? '' : a({
        href: changed(view, {filter: narrowed(asked.filter, row.columns.map((column, c) => equals(column, row.key[c])).join(' AND '))}),
        'aria-label': `Only ${nameOf(row)}`,
      }, 'only'))},
    ],
  });
});

function rowName(view, row) {
  if (row.isAll) {
    return span({class: 'muted'}, row.name);
  }
  return span(null, swatch(row, row.i), row.other ? span({class: 'muted'}, 'other') : keyCell(view, row.columns, row.key), row.isBack ? ', back' : '');
}

const flowDiagram = part(({view, context, asked}) => {
  const {range} = context;
  const metric = METRICS[asked.metric];
  const limit = Math.max(asked.limit, 8) * 3;
  const work = useWork(JSON.stringify([range, asked.keys, asked.metric, asked.filter, limit]), async (signal) => {
    const [top, total] = await Promise.all([
      ask(topQuery({range, keys: asked.keys, metric, filter: asked.filter, by: 'avg', limit}), {signal}),
      ask(`SELECT ${summed(metric)} AS volume FROM flows${where(during(range), asked.filter)}`, {signal}),
    ]);
    const rows = top.rows.map((row) => ({key: asked.keys.map((name) => row[name]), volume: Number(row.volume)}));
    const shownVolume = rows.reduce((sum, row) => sum + row.volume, 0);
    return {rows, total: Number(total.rows[0].volume), rest: Math.max(0, Number(total.rows[0].volume) - shownVolume), answers: [top]};
  });
  const narrow = (pairs) => changed(view, {filter: narrowed(asked.filter, pairs.map(([column, value]) => equals(column, value)).join(' AND '))});
  return section({class: 'card', 'aria-label': 'Sankey'},
    header(null, h2(null, `${metric.title.replace('bit/s', 'bytes').replace('/s', '')} from ${asked.keys.join(' to ')}`)),
    shown(work, (value) => div(null, remarks(...value.answers),
      sankey({columns: asked.keys, rows: value.rows, rest: value.rest, name: showValue, show: metric.total, narrow, label: 'A click on a value narrows the view to it'}),
      dataTable({
        label: 'Statistics', rows: value.rows, csvName: `sankey-${asked.keys.join('-')}`, rowKey: ({key}) => JSON.stringify(key),
        columns: [
          ...asked.keys.map((name, c) => ({id: name, title: name.replaceAll('_', ' '), value: ({key}) => key[c], show: ({key}) => keyCell(view, [name], [key[c]])})),
          {id: 'total', title: 'Total', number: true, value: ({volume}) => volume, show: ({volume}) => metric.total(volume)},
          {id: 'share', title: 'Share', number: true, value: ({volume}) => volume / (value.total || 1), show: ({volume}) => `${((100 * volume) / (value.total || 1)).toFixed(1)}%`},
        ],
      })), {isEmpty: ({rows}) => rows.length === 0, empty: noFlows(context)}));
});
