// How the server, the archive and the job are.
import {getHealth} from '../lib/api.js';
import {useWork} from '../lib/async.js';
import {dom, part} from '../lib/dom.js';
import {showInstant} from '../lib/time.js';
import {showBytes, showWhole} from '../lib/units.js';
import {shown} from './states.js';

const {dd, div, dl, dt, h2, header, section, span} = dom;

export const health = part(({context}) => {
  const work = useWork(`health ${context.turn}`, getHealth);
  return section({class: 'card', 'aria-label': 'Archive and pipeline'},
    header(null, h2(null, 'Archive and pipeline'), work.value
      ? span({class: `tag ${work.value.status === 'ok' ? 'good' : 'bad'} end`}, work.value.status === 'ok' ? 'all well' : 'degraded') : null),
    shown(work, (value) => dl({class: 'pairs'},
      value.parts.flatMap(({part: name, status, detail}) => [
        dt({key: `${name} t`}, name),
        dd({key: name}, span({class: `tag ${{ok: 'good', waiting: 'warn', failed: 'bad'}[status]}`}, status), detail ? ` ${detail}` : ''),
      ]),
      (context.archive?.archives ?? []).flatMap((one) => [
        dt({key: `${one.archive} t`}, 'archive'),
        dd({key: one.archive}, archiveLine(one)),
      ]))));
});

function archiveLine(one) {
  const bytes = one.segment_bytes + one.sidecar_bytes + one.directory_bytes + one.day_sum_bytes;
  const parts = [
    `${showWhole(one.flows)} flows in ${showWhole(one.segments)} segments, ${showBytes(bytes)}`,
    one.first_end_time ? `${showInstant(one.first_end_time)} – ${showInstant(one.last_end_time)}` : null,
    one.complete_through ? `complete through ${showInstant(one.complete_through)}` : null,
    one.expired_flows > 0 ? `${showWhole(one.expired_flows)} flows expired` : null,
  ].filter(Boolean);
  return div(null, parts.join(' · '),
    one.gaps.length === 0 ? null : div({class: 'warn'}, `Gaps: ${one.gaps.join('; ')}`));
}
