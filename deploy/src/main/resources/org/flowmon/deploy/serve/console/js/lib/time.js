// Times and ranges. Times are milliseconds since 1970 and shown in UTC, as the archive's answers are.

const UNITS = {s: 1e3, m: 6e4, h: 36e5, d: 864e5, w: 6048e5};
const WORDS = {sec: 's', second: 's', min: 'm', minute: 'm', hr: 'h', hour: 'h', day: 'd', week: 'w'};
const WIDTHS = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 604800];

export const PRESETS = ['15m', '1h', '6h', '24h', '7d', '30d'];
const DEFAULT_RANGE = '1h';

/** Milliseconds of 15m, 6h, "2 hours"; NaN of anything else. */
export function parseDuration(text) {
  const found = /^\s*(\d+(?:\.\d+)?)\s*([a-z]+)\s*$/i.exec(text);
  if (!found) {
    return NaN;
  }
  const word = found[2].toLowerCase();
  const unit = UNITS[word] ?? UNITS[WORDS[word.replace(/s$/, '')]];
  return unit === undefined ? NaN : Number(found[1]) * unit;
}

/** Milliseconds of "2026-11-21", "2026-11-21 08:00", of either with seconds and zone; NaN of anything else. */
function parseTime(text) {
  const found = /^\s*(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:?\d\d)?)?\s*$/.exec(text ?? '');
  return found ? Date.parse(`${found[1]}T${found[2] ?? '00:00'}${found[3] ?? 'Z'}`) : NaN;
}

/** "2026-11-21 08:00:00" without parts that are zero. */
export function showTime(time) {
  if (!Number.isFinite(time)) {
    return '–';
  }
  const text = new Date(time).toISOString();
  const digits = time % 1000 !== 0 ? 23 : time % 6e4 !== 0 ? 19 : 16;
  return text.slice(0, digits).replace('T', ' ');
}

/** "2026-11-21 08:00:00" of a time in an answer. */
export const showInstant = (text) => (text ? text.slice(0, 19).replace('T', ' ') : '–');

/** The time as an address and a query have it. */
export const isoTime = (time) => new Date(time).toISOString().replace('.000Z', 'Z');

export function showDuration(ms) {
  if (!Number.isFinite(ms)) {
    return '–';
  }
  for (const [name, unit] of [['d', 864e5], ['h', 36e5], ['min', 6e4], ['s', 1e3]]) {
    if (Math.abs(ms) >= unit) {
      const value = ms / unit;
      return `${Number.isInteger(value) ? value : value.toFixed(value < 10 ? 1 : 0)} ${name}`;
    }
  }
  return ms === 0 ? '0 s' : `${ms < 1 ? ms.toFixed(3) : Math.round(ms)} ms`;
}

/**
 * The range of a view's parameters. `range` is a length that ends with the newest flow of the archive (`end`), or
 * with `now`; `from` and `to` are fixed times. The newest flow is the default, so that no archive looks empty.
 */
export function resolveRange(params, newest, now = Date.now()) {
  const end = Number.isFinite(newest) ? newest + 1000 - (newest % 1000) : now;
  const to = params.to === 'now' ? now : params.to === undefined || params.to === 'end' ? end : parseTime(params.to);
  if (params.from !== undefined) {
    return checked(parseTime(params.from), to, {fixed: true});
  }
  const length = parseDuration(params.range ?? DEFAULT_RANGE);
  return checked(to - length, to, {relative: params.range ?? DEFAULT_RANGE, anchor: params.to ?? 'end'});
}

function checked(from, to, rest) {
  if (!(from < to)) {
    return {invalid: 'The range of times is empty or is no range. Choose another one.', from: 0, to: 0, ...rest};
  }
  const width = bucketWidth(from, to);
  // Relative ranges consist of whole buckets; fixed ones are as they were asked for.
  return rest.fixed
    ? {from, to, width, ...rest}
    : {from: Math.floor(from / width) * width, to: Math.ceil(to / width) * width, width, ...rest};
}

/** The narrowest bucket, in milliseconds, that gives at most `points` of them. */
function bucketWidth(from, to, points = 200) {
  const wanted = (to - from) / 1000 / points;
  return (WIDTHS.find((width) => width >= wanted) ?? 604800) * 1000;
}

/** Parameters of what a person typed: "6 hours", "today", "2026-11-20", "2026-11-20 08:00 to 09:30"; or null. */
export function parseRange(text, now = Date.now()) {
  const words = text.trim().toLowerCase().replace(/^last\s+/, '');
  const today = now - (now % 864e5);
  const named = {today: [today, now], yesterday: [today - 864e5, today]}[words];
  if (named) {
    return fixedRange(named[0], named[1]);
  }
  const length = parseDuration(words);
  if (length > 0) {
    const unit = ['w', 'd', 'h', 'm', 's'].find((name) => length % UNITS[name] === 0);
    return unit ? {range: `${length / UNITS[unit]}${unit}`, from: undefined, to: undefined} : null;
  }
  const [first, second] = text.split(/\s+(?:to|until|through)\s+|\s*(?:\.\.|–|—)\s*|\s+-\s+/i);
  const from = parseTime(first);
  if (second === undefined) {
    return Number.isNaN(from) ? null : fixedRange(from, from + (/:/.test(first) ? 36e5 : 864e5));
  }
  const day = first.trim().slice(0, 10);
  const to = /^\d\d:\d\d/.test(second.trim()) ? parseTime(`${day} ${second.trim()}`) : parseTime(second);
  return from < to ? fixedRange(from, to) : null;
}

/** Parameters of a fixed range. */
export const fixedRange = (from, to) => ({range: undefined, from: isoTime(from), to: isoTime(to)});
