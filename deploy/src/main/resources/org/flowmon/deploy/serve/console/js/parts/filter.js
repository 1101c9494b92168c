// The filter of a page: a condition of the dialect with completion, and filters that are kept in this browser.
import {useRef} from 'preact/hooks';
import {useKept} from '../lib/async.js';
import {dom, part} from '../lib/dom.js';
import {changed, go} from '../lib/view.js';
import {editor} from './editor.js';

const {button, div, option, select} = dom;

export const filterBar = part(({view}, ...children) => {
  const api = useRef(null);
  const [saved, setSaved] = useKept('filters', {});
  const filter = view.params.filter ?? '';
  const apply = (text) => go(changed(view, {filter: text.trim(), cursor: undefined}));
  const keep = () => {
    const name = prompt('Keep this filter under the name');
    if (name) {
      setSaved({...saved, [name]: (api.current?.text() ?? filter).trim()});
    }
  };
  const forget = () => {
    const name = Object.keys(saved).find((one) => saved[one] === filter);
    if (name !== undefined) {
      const {[name]: gone, ...rest} = saved;
      setSaved(rest);
    }
  };
  const names = Object.keys(saved).sort();
  const isKept = Object.values(saved).includes(filter);
  return div({class: 'bar', role: 'group', 'aria-label': 'Filter'},
    editor({
      value: filter, kind: 'condition', label: 'Filter: a condition of the query dialect', apiRef: api, onSubmit: apply,
      placeholder: "all flows; for example  dst_port = 'https' AND src_addr IN '10.0.0.0/8'",
    }),
    button({class: 'main', onClick: () => apply(api.current?.text() ?? filter)}, 'Apply'),
    filter === '' ? null : button({onClick: () => apply('')}, 'Clear'),
    names.length === 0 ? null : select({
      'aria-label': 'Kept filters', value: '', onChange: (event) => event.target.value && apply(saved[event.target.value]),
    }, option({value: ''}, 'Kept filters'), names.map((name) => option({key: name, value: name}, name))),
    filter === '' ? null : isKept
      ? button({class: 'quiet', onClick: forget}, 'Forget')
      : button({class: 'quiet', onClick: keep}, 'Keep'),
    ...children);
});
