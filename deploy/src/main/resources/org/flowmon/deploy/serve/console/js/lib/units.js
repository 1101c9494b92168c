// Numbers as people read them.

const DECIMAL = ['', 'k', 'M', 'G', 'T', 'P', 'E'];

function scaled(value, base, prefixes) {
  let size = Math.abs(value);
  let step = 0;
  while (size >= base * 0.9995 && step < prefixes.length - 1) {
    size /= base;
    step++;
  }
  const digits = size === 0 || (step === 0 && Number.isInteger(size)) ? 0 : size < 10 ? 2 : size < 100 ? 1 : 0;
  return [(value < 0 ? -size : size).toFixed(digits), prefixes[step]];
}

const withUnit = (unit) => (value) => {
  if (value === null || value === undefined || !Number.isFinite(Number(value))) {
    return '–';
  }
  const [digits, prefix] = scaled(Number(value), 1000, DECIMAL);
  return unit === '' ? `${digits}${prefix === '' ? '' : ' ' + prefix}` : `${digits} ${prefix}${unit}`;
};

export const showBits = withUnit('bit/s');
export const showBytes = withUnit('B');
export const showPackets = withUnit('packet/s');
export const showFlows = withUnit('flow/s');
export const showCount = withUnit('');

/** All digits, in groups of three. */
export const showWhole = (value) =>
  value === null || value === undefined ? '–' : String(value).replace(/\B(?=(\d{3})+(?!\d))/g, ' ');

/** "+12%", "−40%", "new"; a figure beside that of the previous period. */
export function showChange(now, before) {
  if (!(before > 0)) {
    return now > 0 ? 'new' : '–';
  }
  const ratio = now / before;
  if (ratio >= 10) {
    return `×${ratio.toFixed(ratio < 100 ? 1 : 0)}`;
  }
  const percent = Math.round((ratio - 1) * 100);
  return percent === 0 ? '±0%' : percent > 0 ? `+${percent}%` : `−${-percent}%`;
}

/** What is counted, and how a rate of it is shown. */
export const METRICS = {
  bits: {
    id: 'bits', title: 'bit/s', forward: 'bytes', reverse: 'reverse_bytes', factor: 8, show: showBits, total: showBytes,
  },
  packets: {
    id: 'packets', title: 'packets/s', forward: 'packets', reverse: 'reverse_packets', factor: 1, show: showPackets, total: showCount,
  },
  flows: {id: 'flows', title: 'flows/s', factor: 1, show: showFlows, total: showCount},
};
