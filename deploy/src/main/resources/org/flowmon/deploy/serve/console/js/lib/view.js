// The whole view is in the address: #/page/argument?name=value. Nothing else decides what is shown.
import {useEffect, useState} from 'preact/hooks';

/** {page, args, params} of an address's part after #. */
function parseView(hash) {
  const text = hash.replace(/^#/, '');
  const cut = text.indexOf('?');
  const path = (cut < 0 ? text : text.slice(0, cut)).split('/').filter((step) => step !== '').map(decode);
  const params = {};
  for (const [name, value] of new URLSearchParams(cut < 0 ? '' : text.slice(cut + 1))) {
    params[name] = value;
  }
  return {page: path[0] ?? 'overview', args: path.slice(1), params};
}

function decode(step) {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

/** The address of a view. Names are sorted, so that equal views have equal addresses. */
export function href(page, args = [], params = {}) {
  const path = [page, ...args].map(encodeURIComponent).join('/').replaceAll('%3A', ':');
  const query = new URLSearchParams();
  for (const name of Object.keys(params).sort()) {
    const value = params[name];
    if (value !== undefined && value !== null && value !== '') {
      query.set(name, value);
    }
  }
  const text = query.toString().replaceAll('+', '%20').replaceAll('%3A', ':').replaceAll('%2C', ',');
  return `#/${path}${text === '' ? '' : '?' + text}`;
}

/** Parameters that are a place in pages of rows. */
const PLACES = ['cursor', 'alerts'];

/**
 * The address of the same page with some parameters changed; undefined removes one. A place is one in the rows of one
 * question: any other change begins at the first page.
 */
export function changed(view, params) {
  const isPaging = PLACES.some((name) => name in params);
  const kept = Object.entries(view.params).filter(([name]) => isPaging || !PLACES.includes(name));
  return href(view.page, view.args, {...Object.fromEntries(kept), ...params});
}

/** The parameters that other pages take along: the times. */
export function carried(view) {
  const {range, from, to} = view.params;
  return {range, from, to};
}

export function go(address, {replace = false} = {}) {
  if (address === location.hash) {
    return;
  }
  if (replace) {
    history.replaceState(null, '', address);
    dispatchEvent(new HashChangeEvent('hashchange'));
  } else {
    location.hash = address;
  }
}

/** The view of the address, now and after each change of it. */
export function useView() {
  const [view, setView] = useState(() => parseView(location.hash));
  useEffect(() => {
    const follow = () => setView(parseView(location.hash));
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return view;
}
