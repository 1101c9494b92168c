// A field for a query or a condition. CodeMirror is loaded when the first one is shown; it lives in a shadow tree, where
// its style sheets are allowed by the page's security policy.
import {useEffect, useRef, useState} from 'preact/hooks';
import {dom, part} from '../lib/dom.js';
import {failure} from './states.js';

const {div} = dom;

/**
 * kind: 'query' or 'condition'. onSubmit(text) on Ctrl-Enter, and on Enter in a condition. `apiRef.current` gets
 * {text(), set(text), showError(error)}.
 */
export const editor = part(({value, kind, label, onSubmit, placeholder, apiRef}) => {
  const place = useRef(null);
  const view = useRef(null);
  const handlers = useRef({});
  handlers.current = {onSubmit, value};
  const [problem, setProblem] = useState(null);
  const [broken, setBroken] = useState(null);

  useEffect(() => {
    let gone = false;
    import('./codemirror.js').then(({makeEditor}) => {
      if (gone) {
        return;
      }
      const root = place.current.shadowRoot ?? place.current.attachShadow({mode: 'open'});
      root.replaceChildren();
      view.current = makeEditor({
        root, value: handlers.current.value, kind, label, placeholder,
        submit: (text) => handlers.current.onSubmit?.(text),
        checked: setProblem,
      });
      if (apiRef) {
        apiRef.current = view.current;
      }
    }, setBroken);
    return () => {
      gone = true;
      view.current?.destroy();
      view.current = null;
    };
  }, []);

  useEffect(() => {
    if (view.current && view.current.text() !== value) {
      view.current.set(value);
    }
  }, [value]);

  if (broken) {
    return failure({error: broken});
  }
  return div({class: kind === 'query' ? '' : 'group grow'},
    div({ref: place, class: `editor ${problem ? 'bad' : ''}`, 'data-editor': kind}),
    problem ? div({class: 'bad', role: 'status'}, problem.message) : null);
});
