// The console: loads what all pages need, then draws the page that the address names.
import {h, render} from 'preact';
import {useEffect, useLayoutEffect, useMemo, useState} from 'preact/hooks';
import {get, getHealth, unreachable} from './lib/api.js';
import {useEvery, useKept, useWork} from './lib/async.js';
import {dom, part} from './lib/dom.js';
import {learn} from './lib/names.js';
import {resolveRange} from './lib/time.js';
import {carried, href, useView} from './lib/view.js';
import {failure} from './parts/states.js';
import {timeBar} from './parts/timebar.js';

const {a, button, div, h1, header, main, nav} = dom;

const PAGES = {
  overview: ['Overview', () => import('./pages/overview.js').then((module) => module.overview)],
  explore: ['Explore', () => import('./pages/explore.js').then((module) => module.explore)],
  host: ['Host', () => import('./pages/host.js').then((module) => module.host)],
  flows: ['Flows', () => import('./pages/flows.js').then((module) => module.flows)],
  reports: ['Alerts', () => import('./pages/reports.js').then((module) => module.reports)],
  query: ['Query', () => import('./pages/query.js').then((module) => module.query)],
  analyses: ['Analyses', () => import('./pages/analyses.js').then((module) => module.analyses)],
  exporters: ['Exporters', () => import('./pages/exporters.js').then((module) => module.exporters)],
  report: [null, () => import('./pages/report.js').then((module) => module.report)],
  alert: [null, () => import('./pages/report.js').then((module) => module.alert)],
};
const PARENT = {report: 'reports', alert: 'reports'};

const app = part(() => {
  const view = useView();
  const [theme, setTheme] = useTheme();
  const [turn, setTurn] = useState(0);
  const refresh = Number(view.params.refresh ?? 0) * 1000;
  useEvery(refresh, () => setTurn((before) => before + 1));
  const facts = useWork('facts', loadFacts);
  const archive = useWork(`archive ${turn}`, (signal) => get('archive', {}, signal));
  const Page = usePage(view.page);
  const newest = newestOf(archive.value);
  const range = useMemo(() => resolveRange(view.params, newest),
    [view.params.range, view.params.from, view.params.to, newest, turn]);
  useEffect(() => {
    document.title = `${[PAGES[view.page]?.[0] ?? view.page, ...view.args].join(' ')} – flowmon`;
  }, [view]);
  const context = {range, newest, oldest: oldestOf(archive.value), archive: archive.value, session: facts.value?.session, theme, turn};
  return div(null,
    a({class: 'skip', href: '#content', onClick: skip}, 'To the content'),
    top({view, theme, setTheme}),
    main({id: 'content', tabIndex: -1}, content({view, context, facts, archive, Page})));
});

function content({view, context, facts, archive, Page}) {
  if (!PAGES[view.page]) {
    return div({class: 'state'}, h1(null, 'There is no such page'), a({href: href('overview')}, 'Overview'));
  }
  const error = facts.error ?? archive.error ?? Page.error;
  if (error) {
    const refused = [facts, archive].filter((work) => work.error);
    return failure({error, again: refused.length > 0 ? () => refused.forEach((work) => work.again()) : reload});
  }
  if (!facts.value || !archive.value || !Page.component) {
    return div({class: 'wait', role: 'status', 'aria-label': 'Loading'});
  }
  if (context.range.invalid) {
    return div(null, div({class: 'state error', role: 'alert'}, context.range.invalid),
      timeBar({view, range: context.range, newest: context.newest}));
  }
  return h(Shown, {key: view.page + view.args.join('/'), draw: Page.component, view, context});
}

/** A module that did not come is not asked for again, so the page is loaded anew, if the server is there. */
const reload = () => getHealth().then(() => location.reload(), () => {});

/** A page begins anew when it is another one, but not when its parameters change. */
const Shown = ({draw, view, context}) => draw({view, context});

const top = part(({view, theme, setTheme}) => header({class: 'top'},
  a({class: 'brand', href: href('overview')}, 'flowmon'),
  nav({'aria-label': 'Pages'}, Object.entries(PAGES).filter(([, [title]]) => title !== null).map(([page, [title]]) => a({
    key: page, href: href(page, [], carried(view)), 'aria-current': (PARENT[view.page] ?? view.page) === page ? 'page' : undefined,
  }, title))),
  div({class: 'tools'}, a({href: 'docs/'}, 'API'), button({
    onClick: () => setTheme(theme === 'dark' ? 'light' : 'dark'), 'aria-label': theme === 'dark' ? 'Light' : 'Dark',
  }, theme === 'dark' ? '☀' : '☾'))));

function skip(event) {
  event.preventDefault();
  document.getElementById('content').focus();
}

async function loadFacts(signal) {
  const [session, columns, names] = await Promise.all([
    get('session', {}, signal), get('columns', {}, signal),
    fetch(new URL('../names.json', import.meta.url), {signal}).then((response) => (response.ok ? response.json() : {ports: {}, protocols: {}})),
  ]);
  learn({...columns, ...names});
  return {session};
}

/** The end of the newest flow of all archives. */
function newestOf(archive) {
  const times = (archive?.archives ?? []).map(({last_end_time: last}) => Date.parse(last)).filter(Number.isFinite);
  return times.length === 0 ? NaN : Math.max(...times);
}

/** The begin of what the archives hold. */
function oldestOf(archive) {
  const times = (archive?.archives ?? []).map(({first_end_time: first}) => Date.parse(first)).filter(Number.isFinite);
  return times.length === 0 ? NaN : Math.min(...times);
}

/** The component of a page, loaded when it is first shown. */
function usePage(page) {
  const [state, setState] = useState({});
  useLayoutEffect(() => {
    let left = false;
    PAGES[page]?.[1]().then((component) => left || setState({page, component}), () => left || setState({page, error: unreachable()}));
    return () => {
      left = true;
    };
  }, [page]);
  return state.page === page ? state : {};
}

/** Light or dark: what was chosen here, else what the system prefers. */
function useTheme() {
  const preferred = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  const [theme, setTheme] = useKept('theme', null);
  const current = theme ?? preferred;
  if (document.documentElement.dataset.theme !== current) {
    document.documentElement.dataset.theme = current;
  }
  return [current, setTheme];
}

render(app({}), document.getElementById('app'));
