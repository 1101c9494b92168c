// The filter of a page: a condition of the dialect with completion, and views that are kept.
import {useRef} from 'preact/hooks';
import {dom, part} from '../lib/dom.js';
import {changed, go} from '../lib/view.js';
import {editor} from './editor.js';
import {savedViews} from './views.js';

const {button, div} = dom;

export const filterBar = part(({view, session}, ...children) => {
  const api = useRef(null);
  const filter = view.params.filter ?? '';
  const apply = (text) => go(changed(view, {filter: text.trim()}));
  return div({class: 'bar', role: 'group', 'aria-label': 'Filter'},
    editor({
      value: filter, kind: 'condition', label: 'Filter: a condition of the query dialect', apiRef: api, onSubmit: apply,
      placeholder: "all flows; for example  dst_port = 'https' AND src_addr IN '10.0.0.0/8'",
    }),
    button({class: 'main', onClick: () => apply(api.current?.text() ?? filter)}, 'Apply'),
    filter === '' ? null : button({onClick: () => apply('')}, 'Clear'),
    savedViews({view, session}),
    ...children);
});
