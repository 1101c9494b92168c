// How far a report, or an approximate value, can be trusted.
import {dom, part} from '../lib/dom.js';
import {queryHref} from '../lib/links.js';
import {showWhole} from '../lib/units.js';

const {a, dd, details, div, dl, dt, span, summary} = dom;

const LEVELS = {exact: 'good', none: '', partial: 'warn', refused: 'bad', timeout: 'bad', failed: 'bad'};

export const confidenceTag = (confidence) => span({class: `tag ${LEVELS[confidence.history] ?? ''}`, title: confidence.message ?? ''},
  confidence.history === 'none' ? 'no history needed' : `history ${confidence.history}`,
  confidence.late_flows + confidence.lost_flows > 0 ? `, ${showWhole(confidence.late_flows + confidence.lost_flows)} flows late or lost` : '',
  confidence.group_sampling < 1 ? ', sampled groups' : '');

/** All of it, with what each member means. */
export const confidenceBox = part(({confidence}) => details({open: true},
  summary(null, 'How far it can be trusted: ', confidenceTag(confidence)),
  confidence.message ? div({class: 'note-line'}, confidence.message) : null,
  dl({class: 'pairs'}, Object.entries(MEANING).filter(([name]) => name in confidence && confidence[name] !== null).flatMap(([name, meaning]) => [
    dt({key: `${name}t`}, meaning), dd({key: name}, show(confidence[name]))]))));

const show = (value) => (typeof value === 'number' ? showWhole(value) : Array.isArray(value) ? value.join(', ')
  : String(value).replace('T', ' ').replace(/Z$/, ''));

const MEANING = {
  flows: 'flows of the filter that arrived in the window',
  late_flows: 'of these, too late to be counted',
  ahead_flows: 'of these, with a time far ahead',
  lost_flows: 'known losses, of all flows',
  sampled_flows: 'of sampling exporters',
  group_sampling: 'share of the groups that are in the report',
  groups: 'groups of the window',
  history: 'history',
  history_from: 'history begins',
  history_through: 'history is complete through',
  as_of: 'history is that of',
  arrived_through: 'flows are here that arrived through',
  final_at: 'final at',
  enrichment: 'joined files',
};

export const boundText = ({value, bound, bound_of: of, probability}) =>
  `${value}: ${bound === null ? 'bounds are those of each value' : `at most ${bound} ${of} off`}${probability ? `, with probability ${probability}` : ''}`;

/** The bounds of approximate columns; one click leads to the exact values. */
export const approximate = part(({list}) => (list.length === 0 ? null : div({class: 'note-line'},
  list.map((one, i) => div({key: i}, `≈ ${one.column} is approximate. ${boundText(one)} `,
    one.exact ? a({href: queryHref(one.exact)}, 'exact values') : null)))));
