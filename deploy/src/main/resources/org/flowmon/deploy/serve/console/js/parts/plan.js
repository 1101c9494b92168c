// The plan of a query as a tree, each step with what it read.
import {dom, part} from '../lib/dom.js';
import {showBytes, showCount} from '../lib/units.js';

const {details, div, li, span, summary, ul} = dom;
const MANY = 12;

export const plan = part(({explanation}) => div({class: 'plan'},
  explanation.plans.map((root, i) => ul({key: i, role: 'tree', 'aria-label': 'Plan'}, step(root))),
  explanation.summary.map((line, i) => div({key: i, class: 'muted'}, line)),
  div({class: 'muted'}, `${showCount(explanation.rows)} rows in ${explanation.stats.milliseconds.toFixed(1)} ms`)));

function step(one) {
  const counts = [
    one.examined > 0 ? `${showCount(one.examined)} examined` : null,
    one.kept > 0 ? `${showCount(one.kept)} kept` : null,
    one.sums > 0 ? `${showCount(one.sums)} sums` : null,
    one.bytes > 0 ? showBytes(one.bytes) : null,
  ].filter(Boolean);
  const inputs = one.inputs.map((input, i) => [i, input]);
  return li({role: 'treeitem', 'aria-expanded': one.inputs.length > 0 ? 'true' : undefined},
    span({class: 'step'}, one.step, one.by ? ` by ${one.by}` : ''), span({class: 'cost'}, counts.join(' · ')),
    inputs.length === 0 ? null
      : inputs.length <= MANY ? ul({role: 'group'}, inputs.map(([, input]) => step(input)))
        : details(null, summary(null, `${inputs.length} inputs`), ul({role: 'group'}, inputs.map(([, input]) => step(input)))));
}
