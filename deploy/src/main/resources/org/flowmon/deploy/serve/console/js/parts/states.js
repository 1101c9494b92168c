// The states of a part: loading, empty, refused, partial. Every part that asks the server shows one of them.
import {useEffect, useState} from 'preact/hooks';
import {dom, part} from '../lib/dom.js';
import {showTime} from '../lib/time.js';
import {hasToken, setToken} from '../lib/api.js';

const {button, div, form, input, label, p, pre, span, strong} = dom;

/**
 * The content of work, or why there is none. While the next value is loading, the last one stays as it was drawn: the
 * view may ask for other columns already.
 */
export const shown = (work, content, {isEmpty = () => false, empty = 'Nothing in this range.'} = {}) => {
  if (work.error) {
    return failure({error: work.error, again: work.again});
  }
  const {value, loading, drawn} = work;
  const has = value !== undefined;
  if (has && work.isCurrent) {
    drawn.current = isEmpty(value) ? div({class: 'state', 'data-state': 'empty'}, empty) : content(value);
  }
  return div({class: has && loading ? 'stale' : '', 'aria-busy': String(Boolean(loading))},
    loading ? waiting({begun: work.begun, partial: work.partial, quiet: has}) : null, has ? drawn.current : null);
};

/** A bar, and after a second how long it has taken. The page stays usable; leaving it cancels the work. */
const waiting = part(({begun, partial, quiet}) => {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setSeconds(Math.floor((performance.now() - begun) / 1000)), 500);
    return () => clearInterval(timer);
  }, [begun]);
  return div({role: 'status'},
    div({class: 'wait'}),
    quiet && !partial && seconds < 2
      ? span({class: 'sr'}, 'Loading')
      : p({class: 'muted'}, `${partial ?? 'Loading'}${seconds > 0 ? `, ${seconds} s` : ''}`));
});

export const failure = part(({error, again}) => {
  if (error.status === 401) {
    return tokenForm({again});
  }
  const place = error.line ? ` (line ${error.line}, column ${error.column})` : '';
  return div({class: 'state error', role: 'alert', 'data-state': 'error'},
    strong(null, TITLES[error.code] ?? 'This did not work'), place, pre(null, error.message),
    again ? button({onClick: again}, 'Try again') : null);
});

const TITLES = {
  bad_query: 'The query is not right',
  bad_request: 'The request is not right',
  time_limit: 'The query took too long',
  conflict: 'Somebody else changed it meanwhile',
  too_large: 'That is too large',
  too_many_rows: 'That would be too many rows',
  too_much_memory: 'That would take too much memory',
  too_many_queries: 'The server has too many queries now',
  unavailable: 'Not available',
  forbidden: 'Not allowed',
  damaged: 'The archive is damaged',
};

const tokenForm = part(({again}) => {
  const submit = (event) => {
    event.preventDefault();
    setToken(new FormData(event.target).get('token').trim());
    again ? again() : location.reload();
  };
  return form({class: 'state error', onSubmit: submit},
    strong(null, hasToken() ? 'The server does not know this token' : 'The server wants a token'),
    p(null, 'It is kept until this tab is closed.'),
    label(null, 'Token ', input({type: 'password', name: 'token', autocomplete: 'off', required: true})), ' ',
    button({class: 'main'}, 'Go on'));
});

/** Says that the archive does not hold all of the period that a range is compared with. */
export const partlyBefore = ({range, oldest}) => {
  const from = range.from - (range.to - range.from);
  return oldest > from
    ? p({class: 'muted', 'data-state': 'partial'}, `The archive begins at ${showTime(oldest)}, so it holds ${
      oldest >= range.from ? 'none' : 'only a part'} of the period before.`)
    : null;
};

/** Says that the archive is still to take flows of a range, as of a window that has just closed. */
export const notYet = ({archive}, to) => {
  const through = Math.min(...(archive?.archives ?? []).map((one) => Date.parse(one.complete_through)).filter(Number.isFinite));
  return Number.isFinite(through) && through < to
    ? p({class: 'note-line', 'data-state': 'partial'}, `The archive is complete through ${showTime(through)}: later flows may still be missing.`)
    : null;
};

/** Why a range is empty. */
export const noFlows = ({archive}) => {
  const held = archive?.archives?.flatMap(({holds}) => holds) ?? [];
  return held.length === 0
    ? 'The archive has no flows yet.'
    : `No flows ended in this range. The archive holds ${held[0].from} to ${held[held.length - 1].through}.`;
};

/** What an answer lacks: expired flows, gaps, damage, sampling. Null if it lacks nothing. */
export const remarks = (...answers) => {
  const lines = new Set();
  for (const answer of answers.filter(Boolean)) {
    (answer.warnings ?? []).forEach((line) => lines.add(line));
    if (answer.next) {
      lines.add(`Only the first ${answer.rows.length} rows are here.`);
    }
    for (const archive of answer.confidence?.archives ?? []) {
      if (archive.asks_expired) {
        lines.add(`Flows before ${archive.expired_before} have expired, and the range begins before.`);
      }
      if (archive.gaps.length > 0) {
        lines.add(`${archive.gaps.length} ${archive.gaps.length === 1 ? 'gap' : 'gaps'}: flows that were never archived.`);
      }
      if (archive.sampling_rate) {
        lines.add(`Some exporters sample up to 1 of ${archive.sampling_rate} packets; figures are as seen.`);
      }
    }
  }
  return lines.size === 0
    ? null
    : div({class: 'note-line', 'data-state': 'partial'}, [...lines].map((line) => div({key: line}, line)));
};
