// Work that follows the view: requests are cancelled when the view is left or asks for something else.
import {useCallback, useEffect, useLayoutEffect, useRef, useState} from 'preact/hooks';

/**
 * Runs `work(signal, progress)` for each new `key`; null is no work. The state has `value` (the last one while the next
 * is loading; `isCurrent` tells whether it is of this key), `partial` (what `progress` reported), `error`, `loading`,
 * `again()`, and in `drawn.current` how the last value was drawn.
 */
export function useWork(key, work) {
  const [state, setState] = useState({loading: true});
  const [turn, setTurn] = useState(0);
  const latest = useRef(work);
  const drawn = useRef(null);
  latest.current = work;
  // Before the next frame, as an effect would not be.
  useLayoutEffect(() => {
    if (key === null) {
      setState({});
      return undefined;
    }
    const control = new AbortController();
    setState((before) => ({...before, error: undefined, partial: undefined, loading: true, begun: performance.now()}));
    const progress = (partial) => control.signal.aborted || setState((before) => ({...before, partial}));
    latest.current(control.signal, progress).then(
      (value) => control.signal.aborted || setState({value, key}),
      (error) => control.signal.aborted || setState({error, key}),
    );
    return () => control.abort();
  }, [key, turn]);
  const again = useCallback(() => setTurn((before) => before + 1), []);
  const isCurrent = state.key === key;
  return {...state, loading: state.loading || (key !== null && !isCurrent), isCurrent, again, drawn};
}

/** Whether a part's first frame is on the screen: what it can do without waits for that. */
export function useLater() {
  const [isLater, setLater] = useState(false);
  useLayoutEffect(() => {
    let timer;
    const frame = requestAnimationFrame(() => {
      timer = setTimeout(() => setLater(true));
    });
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  }, []);
  return isLater;
}

/** Calls again and again while the page is visible; 0 never. */
export function useEvery(ms, call) {
  const latest = useRef(call);
  latest.current = call;
  useEffect(() => {
    if (!(ms > 0)) {
      return undefined;
    }
    const timer = setInterval(() => document.hidden || latest.current(), ms);
    return () => clearInterval(timer);
  }, [ms]);
}

/** A value that is kept in this browser: the theme, saved filters. */
export function useKept(name, initial) {
  const [value, setValue] = useState(() => read(name) ?? initial);
  const keep = (next) => {
    setValue(next);
    try {
      localStorage.setItem(`flowmon.${name}`, JSON.stringify(next));
    } catch {
      // A browser that keeps nothing shows the value until the page is left.
    }
  };
  return [value, keep];
}

function read(name) {
  try {
    return JSON.parse(localStorage.getItem(`flowmon.${name}`) ?? 'null');
  } catch {
    return null;
  }
}
