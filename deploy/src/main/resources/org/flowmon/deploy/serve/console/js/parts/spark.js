// A small line of values beside a figure.
import {dom} from '../lib/dom.js';

const {path, svg} = dom;
const WIDTH = 110;
const HEIGHT = 24;

export function spark(values, label) {
  if (values.length === 0) {
    return null;
  }
  const top = Math.max(...values, 0) || 1;
  const step = WIDTH / Math.max(1, values.length - 1);
  const points = values.map((value, i) => `${(i * step).toFixed(1)},${(HEIGHT - 2 - (value / top) * (HEIGHT - 4)).toFixed(1)}`);
  const line = `M${points.join('L')}`;
  return svg({class: 'spark', viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': label, preserveAspectRatio: 'none'},
    path({class: 'area', d: `${line}L${WIDTH},${HEIGHT}L0,${HEIGHT}Z`}), path({class: 'line', d: line}));
}
