// CodeMirror for flowmon's dialect: completion, errors with their place, history, colours. Loaded by editor.js alone.
import {EditorState} from '@codemirror/state';
import {EditorView, drawSelection, keymap, lineNumbers, placeholder as hint} from '@codemirror/view';
import {defaultKeymap, history, historyKeymap} from '@codemirror/commands';
import {HighlightStyle, StreamLanguage, bracketMatching, syntaxHighlighting} from '@codemirror/language';
import {autocompletion, completionKeymap, startCompletion} from '@codemirror/autocomplete';
import {linter, setDiagnostics} from '@codemirror/lint';
import {tags} from '@lezer/highlight';
import {post} from '../lib/api.js';
import {keywords} from '../lib/names.js';

const WORD = /^[a-z_:][a-z0-9_.]*/i;

/** Tokens as the dialect has them; what a name means the server knows. */
const dialect = () => {
  const words = new Set(keywords().map((word) => word.toLowerCase()));
  return StreamLanguage.define({
    token(stream) {
      if (stream.match(/^--.*/) || stream.match(/^\/\*.*?\*\//)) {
        return 'comment';
      }
      if (stream.match(/^'(?:[^']|'')*'?/)) {
        return 'string';
      }
      if (stream.match(/^\d+(?:\.\d+)?(?:e[+-]?\d+)?/i)) {
        return 'number';
      }
      if (stream.match(WORD)) {
        return words.has(stream.current().toLowerCase()) ? 'keyword' : 'variableName';
      }
      stream.next();
      return null;
    },
  });
};

const colours = HighlightStyle.define([
  {tag: tags.keyword, color: 'var(--accent)', fontWeight: '600'},
  {tag: tags.string, color: 'var(--good)'},
  {tag: tags.number, color: 'var(--warn)'},
  {tag: tags.comment, color: 'var(--muted)', fontStyle: 'italic'},
]);

const look = EditorView.theme({
  '&': {fontSize: '13px', color: 'var(--text)', backgroundColor: 'transparent'},
  '&.cm-focused': {outline: 'none'},
  '.cm-content': {fontFamily: 'var(--mono)', caretColor: 'var(--text)', padding: '4px 0'},
  '.cm-cursor': {borderLeftColor: 'var(--text)'},
  '.cm-gutters': {backgroundColor: 'var(--sunken)', color: 'var(--muted)', border: 'none'},
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--accent-soft)',
  },
  '.cm-placeholder': {color: 'var(--muted)'},
  '.cm-matchingBracket': {backgroundColor: 'var(--accent-soft)', outline: 'none'},
  '.cm-tooltip': {backgroundColor: 'var(--surface)', color: 'var(--text)', border: '1px solid var(--line)'},
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': {backgroundColor: 'var(--accent)', color: 'var(--accent-text)'},
  '.cm-completionDetail': {color: 'var(--muted)', fontStyle: 'normal', marginLeft: '1em'},
  '.cm-diagnostic': {fontFamily: 'inherit'},
});

/** An editor in a shadow tree; see editor.js. */
export function makeEditor({root, value, kind, label, placeholder, submit, checked}) {
  let checking = new AbortController();
  const send = {run: (view) => (submit(view.state.doc.toString()), true)};
  const single = kind === 'condition';

  async function complete(context) {
    const before = context.matchBefore(/['\w.:]*/);
    if (!context.explicit && (!before || before.from === before.to)) {
      return null;
    }
    const control = new AbortController();
    context.addEventListener?.('abort', () => control.abort());
    const sql = context.state.doc.toString();
    const found = await post('complete', {sql, position: context.pos, kind}, control.signal).catch(() => null);
    return found === null || found.proposals.length === 0 ? null : {
      from: found.from,
      to: found.to,
      options: found.proposals.map(({text, type, detail}, i) => ({
        label: text, type: TYPES[type], detail: detail ?? undefined, boost: -i,
      })),
      validFor: /^'?\w*$/,
    };
  }

  async function check(view) {
    checking.abort();
    checking = new AbortController();
    const {signal} = checking;
    const sql = view.state.doc.toString();
    if (sql.trim() === '') {
      checked(null);
      return [];
    }
    const found = await post('check', {sql, kind}, signal).catch(() => null);
    if (signal.aborted) {
      return [];
    }
    const error = found?.valid === false ? found.error : null;
    checked(error);
    return error === null ? [] : [diagnostic(error, view.state.doc.length)];
  }

  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: value,
      extensions: [
        history(), drawSelection(), bracketMatching(), dialect(), syntaxHighlighting(colours), look,
        EditorView.lineWrapping, EditorView.contentAttributes.of({'aria-label': label}),
        autocompletion({override: [complete], activateOnTyping: true, icons: false, interactionDelay: 20}),
        linter(check, {delay: 350}),
        single ? EditorState.transactionFilter.of((change) => (change.newDoc.lines > 1 ? [] : change)) : lineNumbers(),
        keymap.of([
          {key: 'Ctrl-Enter', ...send}, {key: 'Mod-Enter', ...send}, {key: 'Ctrl-Space', run: startCompletion},
          ...completionKeymap, ...(single ? [{key: 'Enter', ...send}] : []), ...defaultKeymap, ...historyKeymap,
        ]),
        hint(placeholder ?? ''),
      ],
    }),
  });
  return {
    text: () => view.state.doc.toString(),
    set: (text) => view.dispatch({changes: {from: 0, to: view.state.doc.length, insert: text}}),
    showError: (error) =>
      view.dispatch(setDiagnostics(view.state, error === null ? [] : [diagnostic(error, view.state.doc.length)])),
    destroy: () => (checking.abort(), view.destroy()),
  };
}

const TYPES = {column: 'property', function: 'function', keyword: 'keyword', value: 'constant'};

function diagnostic({message, position}, length) {
  const from = Math.min(position ?? 0, Math.max(0, length - 1));
  return {from, to: Math.min(from + 1, length), severity: 'error', message};
}
