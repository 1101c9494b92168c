// The range of times of a page: presets, a text in plain words, arrows, and how it ends.
import {useState} from 'preact/hooks';
import {dom, part} from '../lib/dom.js';
import {PRESETS, fixedRange, parseRange, showDuration, showTime} from '../lib/time.js';
import {changed, go} from '../lib/view.js';

const {a, button, div, form, input, option, select, span} = dom;

const REFRESH = [0, 10, 60, 300];

export const timeBar = part(({view, range, newest}, ...children) => {
  const [wrong, setWrong] = useState(false);
  const to = (params) => go(changed(view, params));
  const shift = (share) => {
    const by = (range.to - range.from) * share;
    to(fixedRange(range.from + by, range.to + by));
  };
  const zoom = (factor) => {
    const middle = (range.from + range.to) / 2;
    const half = Math.max(500, ((range.to - range.from) * factor) / 2);
    to(fixedRange(Math.round(middle - half), Math.round(middle + half)));
  };
  const submit = (event) => {
    event.preventDefault();
    const params = parseRange(new FormData(event.target).get('when'));
    setWrong(params === null);
    if (params !== null) {
      to(params);
    }
  };
  const text = `${showTime(range.from)} – ${showTime(range.to)} UTC`;
  return div({class: 'bar', role: 'group', 'aria-label': 'Range of times'},
    div({class: 'choice'}, PRESETS.map((preset) => button({
      key: preset, 'aria-pressed': String(range.relative === preset),
      onClick: () => to({range: preset, from: undefined, to: range.anchor === 'now' ? 'now' : undefined}),
    }, preset))),
    div({class: 'group'},
      button({onClick: () => shift(-1), 'aria-label': 'Earlier', title: 'One range earlier'}, '‹'),
      button({onClick: () => shift(1), 'aria-label': 'Later', title: 'One range later'}, '›'),
      button({onClick: () => zoom(2), 'aria-label': 'Longer range', title: 'Twice as long'}, '−'),
      button({onClick: () => zoom(0.5), 'aria-label': 'Shorter range', title: 'Half as long'}, '+')),
    form({onSubmit: submit, class: 'group'},
      input({
        type: 'text', name: 'when', size: 14, 'aria-label': 'Range in words', 'aria-invalid': String(wrong), key: text,
        placeholder: '6 hours …', title: '6 hours · yesterday · 2026-11-21 · 2026-11-21 08:00 to 09:30',
        defaultValue: range.fixed ? text.replace(' UTC', '') : '',
      }),
      wrong ? span({class: 'bad', role: 'alert'}, 'Not a range: try “6 hours” or “2026-11-21 08:00 to 09:30”') : null),
    span({class: 'muted', 'data-range': text}, text, ending(range, newest)),
    a({href: changed(view, fixedRange(range.from, range.to)), title: 'An address with these fixed times, to share'}, 'fix times'),
    select({
      'aria-label': 'Refresh', value: view.params.refresh ?? '0',
      onChange: (event) => go(changed(view, {refresh: event.target.value === '0' ? undefined : event.target.value}), {replace: true}),
    }, REFRESH.map((period) => option({key: period, value: String(period)},
      period === 0 ? 'refresh: off' : `every ${showDuration(period * 1000)}`))),
    ...children);
});

/** How far the end is from the newest flow, if that matters. */
function ending(range, newest) {
  if (range.anchor === 'end') {
    return Date.now() - newest > 36e5 ? ' (newest flow)' : '';
  }
  return Number.isFinite(newest) && range.from > newest ? ' (after the newest flow)' : '';
}
