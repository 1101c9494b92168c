// Views under a name: kept in this browser, or shared by all who use the server.
import {useState} from 'preact/hooks';
import {get, send} from '../lib/api.js';
import {useKept, useWork} from '../lib/async.js';
import {dom, part} from '../lib/dom.js';
import {carried, go, href} from '../lib/view.js';
import {failure} from './states.js';

const {button, div, form, input, label, optgroup, option, select, span} = dom;

/** What is kept of a view: all but its times and its place in pages. */
function kept({page, params}) {
  const {range, from, to, cursor, alerts, refresh, ...parameters} = params;
  return {page, parameters};
}

const isSame = (one, other) => href(one.page, [], one.parameters) === href(other.page, [], other.parameters);

const address = (view, {page, parameters}) => href(page, [], {...carried(view), ...parameters});

export const savedViews = part(({view, session}) => {
  const [filters] = useKept('filters', {}); // As earlier versions kept them.
  const [local, setLocal] = useKept('views', Object.fromEntries(Object.entries(filters)
    .map(([name, filter]) => [name, {page: view.page, parameters: {filter}}])));
  const [asking, setAsking] = useState(false);
  const [error, setError] = useState(null);
  const isShared = session.features.views;
  const work = useWork(isShared ? 'views' : null, (signal) => get('views', {}, signal));
  const shared = work.value?.views ?? [];
  const own = Object.keys(local).sort().map((name) => ({name, ...local[name]}));
  const current = kept(view);
  const mine = own.find((one) => isSame(one, current));
  const ours = shared.find((one) => isSame(one, current));
  const may = isShared && session.role !== 'read';
  const change = (method, one, headers, body) => send(`views/${encodeURIComponent(one.name)}`, {method, body, headers})
    .then(() => {
      setError(null);
      setAsking(false);
      work.again();
    }, setError);
  const again = () => {
    setError(null);
    work.again();
  };
  const forget = () => {
    const {[mine.name]: gone, ...rest} = local;
    setLocal(rest);
  };
  const choose = (event) => {
    const [from, name] = JSON.parse(event.target.value);
    go(address(view, (from === 'own' ? own : shared).find((one) => one.name === name)));
  };
  const save = (name, where) => {
    if (where === 'shared') {
      const known = shared.find((one) => one.name === name);
      change('PUT', {name}, known ? {'If-Match': `"${known.revision}"`} : {'If-None-Match': '*'}, current);
    } else {
      setLocal({...local, [name]: current});
      setAsking(false);
    }
  };
  const choices = (title, from, list) => (list.length === 0 ? null
    : optgroup({label: title}, list.map(({name}) => option({key: name, value: JSON.stringify([from, name])}, name))));
  return div({class: 'group'},
    own.length + shared.length === 0 ? null : select({'aria-label': 'Saved views', value: '', onChange: choose},
      option({value: '', disabled: true}, 'Saved views'), choices('Shared', 'shared', shared), choices('In this browser', 'own', own)),
    mine ? button({class: 'quiet', onClick: forget}, `Forget “${mine.name}”`) : null,
    ours && may ? button({class: 'quiet', onClick: () => change('DELETE', ours, {'If-Match': `"${ours.revision}"`})}, `Remove shared “${ours.name}”`) : null,
    mine || ours || asking ? null : button({class: 'quiet', onClick: () => setAsking(true)}, 'Save view'),
    asking ? saveForm({may, names: {own, shared}, save, cancel: () => setAsking(false)}) : null,
    error ?? work.error ? failure({error: error ?? work.error, again}) : null);
});

const saveForm = part(({may, names, save, cancel}) => {
  const [name, setName] = useState('');
  const [where, setWhere] = useState('own');
  const submit = (event) => {
    event.preventDefault();
    save(name.trim(), where);
  };
  const isThere = names[where].some((one) => one.name === name.trim());
  return form({class: 'group', onSubmit: submit},
    label(null, 'Name ', input({
      type: 'text', size: 18, required: true, maxLength: 100, pattern: '[^/\\\\]*\\S[^/\\\\]*', value: name, title: 'No / and no \\',
      ref: (element) => element && !element.dataset.met && (element.dataset.met = '1', element.focus()), onInput: (event) => setName(event.target.value),
    })),
    may ? label(null, 'for ', select({value: where, onChange: (event) => setWhere(event.target.value)},
      option({value: 'own'}, 'this browser'), option({value: 'shared'}, 'all users'))) : null,
    button({class: 'main'}, isThere ? 'Replace it' : 'Save'),
    button({type: 'button', onClick: cancel}, 'Cancel'),
    span({class: 'muted'}, 'Times are not saved.'));
});
