// Series over time: stacked areas or lines, mirrored below zero if a series says so. Drawn by uPlot.
import {useEffect, useRef, useState} from 'preact/hooks';
import {unreachable} from '../lib/api.js';
import {useLater, useWork} from '../lib/async.js';
import {dom, part} from '../lib/dom.js';
import {showTime} from '../lib/time.js';
import {failure} from './states.js';

const {div, span, table, tbody, td, tr} = dom;

/** The mark of the i-th series; "other" is grey, the period before is dashed. */
export const swatch = (series, i) => span({
  class: `swatch ${series.dashed ? 'dashed' : series.other ? 'so' : `s${(series.colour ?? i) % 10}`}`, 'aria-hidden': 'true',
});

const colour = (style, series, i) => style.getPropertyValue(series.other ? '--other' : `--c${(series.colour ?? i) % 10}`).trim();

/** The library, once figures are shown: they need not wait for it. */
const loadPlot = () => import('uplot').then((module) => module.default, () => {
  throw unreachable();
});

/**
 * times: begins of buckets (ms). series: {name, values, other, below, dashed, colour}. `onRange(from, to)` hears of a
 * brush, `onPoint(time, series)` of a click; both have keys: arrows move, Shift with arrows selects, Enter opens.
 */
export const chart = part(({times, width, series, show, stacked, height = 260, label, onRange, onPoint, theme}) => {
  const place = useRef(null);
  const plot = useRef(null);
  const [tip, setTip] = useState(null);
  const handlers = useRef({});
  handlers.current = {onRange, onPoint, series, times, width};
  const {value: uPlot, error} = useWork(useLater() ? 'uplot' : null, loadPlot);

  useEffect(() => {
    if (!uPlot) {
      return undefined;
    }
    const style = getComputedStyle(document.documentElement);
    const {data, bands} = stacked ? stack(times, width, series) : {data: [times.map(seconds), ...series.map(signed)], bands: []};
    const options = chartOptions({uPlot, style, times, bucket: width, series, stacked, bands, show, height, width: place.current.clientWidth, handlers, setTip});
    plot.current = new uPlot(options, data, place.current);
    const watch = new ResizeObserver(() =>
      plot.current.setSize({width: place.current.clientWidth, height}));
    watch.observe(place.current);
    return () => {
      watch.disconnect();
      plot.current.destroy();
      setTip(null);
    };
  }, [uPlot, times, series, stacked, height, theme]);

  return error ? failure({error}) : div({
    class: 'chart', 'aria-busy': String(!uPlot), ref: place, tabIndex: 0, role: 'group', 'aria-label': `${label}. Arrow keys move, Enter shows the flows.`,
    onKeyDown: (event) => key(event, plot.current, handlers.current, setTip),
  }, tip === null ? null : tooltip({tip, series, times, width, show}));
});

const seconds = (time) => time / 1000;
const signed = ({values, below}) => (below ? values.map((value) => -value) : values);

/** The bucket under the cursor; null if there is none. */
const pointed = (u, times) => (typeof u.cursor.idx === 'number' && times.length > 0 ? Math.min(u.cursor.idx, times.length - 1) : null);

/** Sums upwards and, of those below, downwards; the first series is on top of its stack. */
function stack(times, width, series) {
  const sums = {up: new Array(times.length).fill(0), down: new Array(times.length).fill(0)};
  const lines = new Array(series.length);
  const bands = [];
  const last = {up: 0, down: 0};
  for (let s = series.length - 1; s >= 0; s--) {
    if (series[s].dashed) {
      lines[s] = signed(series[s]);
      continue;
    }
    const side = series[s].below ? 'down' : 'up';
    const sign = series[s].below ? -1 : 1;
    lines[s] = sums[side].map((sum, i) => sum + sign * series[s].values[i]);
    sums[side] = lines[s];
    if (last[side] > 0) {
      bands.push({series: [s + 1, last[side]], dir: sign > 0 ? -1 : 1});
    }
    last[side] = s + 1;
  }
  // A step reaches to the next point: the last bucket's to its own end.
  const end = times.length === 0 ? [] : [times[times.length - 1] + width];
  return {
    data: [[...times, ...end].map(seconds),
      ...lines.map((line, s) => [...line, ...end.map(() => (series[s].dashed ? null : line[line.length - 1]))])],
    bands,
  };
}

function chartOptions({uPlot, style, times, bucket, series, stacked, bands, show, height, width, handlers, setTip}) {
  const grid = {stroke: style.getPropertyValue('--line').trim(), width: 0.6};
  const axis = {stroke: style.getPropertyValue('--muted').trim(), grid, ticks: grid, font: '11px system-ui'};
  return {
    width: width || 600,
    height,
    bands,
    tzDate: (time) => uPlot.tzDate(new Date(time * 1000), 'Etc/UTC'),
    padding: [10, 12, 0, 0],
    cursor: {drag: {x: true, y: false, setScale: false}, points: {show: !stacked}, focus: {prox: 24}},
    legend: {show: false},
    scales: {
      // One point alone would be shown among years.
      x: {range: (u, low, high) => (low === high ? [low, low + bucket / 1000] : [low, high])},
      y: {range: (u, low, high) => [Math.min(0, low * 1.05), high <= 0 ? (low < 0 ? 0 : 1) : high * 1.05]},
    },
    axes: [
      {...axis, space: 74, values: (u, ticks, axisIdx, space, step) => ticks.map((tick, i) => tickText(tick, ticks[i - 1], step))},
      {...axis, size: 78, values: (u, ticks) => ticks.map((tick) => show(Math.abs(tick)))},
    ],
    series: [{}, ...series.map((one, i) => {
      const stroke = colour(style, one, i);
      return {
        label: one.name,
        stroke,
        width: one.dashed ? 1.2 : stacked ? 1 : 1.6,
        dash: one.dashed ? [5, 4] : undefined,
        fill: stacked && !one.dashed ? `${stroke}b0` : undefined,
        points: {show: false},
        paths: stacked && !one.dashed ? uPlot.paths.stepped({align: 1}) : undefined,
      };
    })],
    hooks: {
      setCursor: [(u) => setTip(pointed(u, times) === null
        ? null
        : {idx: pointed(u, times), left: u.cursor.left, near: nearest(u, stacked, handlers.current.series)})],
      setSelect: [(u) => brushed(u, handlers.current)],
      ready: [(u) => u.over.addEventListener('click', () => clicked(u, stacked, handlers.current))],
    },
  };
}

/** The time of a tick, with its date at the first one and when the day changes. */
function tickText(tick, before, step) {
  const text = new Date(tick * 1000).toISOString();
  const time = step >= 86400 ? '' : text.slice(11, step < 60 ? 19 : 16);
  const day = before === undefined || new Date(before * 1000).toISOString().slice(0, 10) !== text.slice(0, 10);
  return day ? (time === '' ? text.slice(5, 10) : `${time}\n${text.slice(0, 10)}`) : time;
}

function brushed(u, {onRange, times, width}) {
  if (u.select.width > 4 && onRange) {
    const from = Math.floor((u.posToVal(u.select.left, 'x') * 1000) / width) * width;
    const to = Math.ceil((u.posToVal(u.select.left + u.select.width, 'x') * 1000) / width) * width;
    u.brushed = true;
    onRange(Math.max(from, times[0]), Math.max(to, from + width));
  }
  u.setSelect({left: 0, top: 0, width: 0, height: 0}, false);
}

function clicked(u, stacked, {onPoint, times, series}) {
  if (!u.brushed && onPoint && pointed(u, times) !== null) {
    onPoint(times[pointed(u, times)], series[nearest(u, stacked, series)]);
  }
  u.brushed = false;
}

/** The series under the cursor: in a stack the area, else the nearest line. */
function nearest(u, stacked, series) {
  const value = u.posToVal(u.cursor.top, 'y');
  const idx = u.cursor.idx;
  let best = 0;
  let distance = Infinity;
  series.forEach((one, s) => {
    const at = u.data[s + 1]?.[idx];
    if (at === undefined || (stacked && (one.dashed || Boolean(one.below) !== value < 0 || Math.abs(at) < Math.abs(value)))) {
      return;
    }
    if (Math.abs(at - value) <= distance) {
      distance = Math.abs(at - value);
      best = s;
    }
  });
  return best;
}

function key(event, u, {onRange, onPoint, times, width, series}, setTip) {
  if (u === null) {
    return;
  }
  const step = {ArrowLeft: -1, ArrowRight: 1}[event.key];
  const idx = pointed(u, times) ?? times.length - 1;
  if (step !== undefined) {
    event.preventDefault();
    const next = Math.min(times.length - 1, Math.max(0, idx + step));
    u.keyFrom = event.shiftKey ? u.keyFrom ?? idx : undefined;
    u.setCursor({left: u.valToPos(times[next] / 1000, 'x'), top: 4});
    setTip({idx: next, left: u.valToPos(times[next] / 1000, 'x'), near: 0});
  } else if (event.key === 'Enter' && u.keyFrom !== undefined && onRange) {
    onRange(times[Math.min(u.keyFrom, idx)], times[Math.max(u.keyFrom, idx)] + width);
  } else if (event.key === 'Enter' && onPoint) {
    onPoint(times[idx], series.length === 1 ? series[0] : undefined);
  } else if (event.key === 'Escape') {
    setTip(null);
  }
}

function tooltip({tip, series, times, width, show}) {
  const right = tip.left > 380;
  const shownSeries = series.map((one, i) => ({one, i, value: one.values[tip.idx]})).filter(({value}) => value !== undefined);
  return div({class: 'tip', style: right ? {right: `calc(100% - ${tip.left + 66}px)`, top: '6px'} : {left: `${tip.left + 92}px`, top: '6px'}},
    div({class: 'muted'}, `${showTime(times[tip.idx])} – ${showTime(times[tip.idx] + width).slice(11)}`),
    table(null, tbody(null, shownSeries.map(({one, i, value}) => tr({key: i, 'data-near': String(i === tip.near)},
      td(null, swatch(one, i), one.name), td({class: 'num'}, show(value)))))));
}
