// The server's REST interface (openapi.yaml). An error is a Refusal with the server's reason.

const TOKEN = 'flowmon.token';

/** Why the server did not answer as asked. */
class Refusal extends Error {
  constructor(problem, status) {
    super(problem.detail ?? problem.title ?? `The server answered with status ${status}.`);
    this.status = status;
    this.code = problem.code ?? 'internal';
    this.position = problem.position;
    this.line = problem.line;
    this.column = problem.column;
  }
}

/** No answer at all. */
export const unreachable = () => new Refusal({code: 'unavailable', detail: 'The server cannot be reached. Is flowmon serve running?'}, 0);

export const hasToken = () => sessionStorage.getItem(TOKEN) !== null;

/** Keeps the token until the browser's tab is closed; an empty one is forgotten. */
export function setToken(token) {
  if (token) {
    sessionStorage.setItem(TOKEN, token);
  } else {
    sessionStorage.removeItem(TOKEN);
  }
}

export async function send(path, {method = 'GET', body, signal, accept = 'application/json', params = {}, taken = [], headers = {}}) {
  const query = new URLSearchParams(Object.entries(params).filter(([, value]) => value !== undefined)).toString();
  const token = sessionStorage.getItem(TOKEN);
  const address = `api/v1/${path}${query === '' ? '' : '?' + query}`;
  const asked = method === 'GET' ? window.early.get(address) : undefined;
  window.early.delete(address);
  let response;
  try {
    response = await (asked ?? fetch(address, {
      method,
      signal,
      credentials: 'same-origin',
      headers: {
        ...headers,
        Accept: `${accept}, application/problem+json`,
        ...(body === undefined ? {} : {'Content-Type': 'application/json'}),
        ...(token === null ? {} : {Authorization: `Bearer ${token}`}),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    }));
  } catch (error) {
    if (error.name === 'AbortError') {
      throw error;
    }
    throw unreachable();
  }
  if (!response.ok && !taken.includes(response.status)) {
    const text = await response.text();
    throw new Refusal(text.startsWith('{') ? JSON.parse(text) : {title: text || undefined}, response.status);
  }
  return response;
}

/** Whole numbers that a double cannot hold stay exact, as BigInt; they have 16 digits or more. */
function parse(text) {
  return !/\d{16}/.test(text) ? JSON.parse(text) : JSON.parse(text, (key, value, context) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? '')
      ? BigInt(context.source)
      : value);
}

export async function get(path, params, signal) {
  return parse(await (await send(path, {params, signal})).text());
}

/** The server's health, also if a part of it is not well. */
export async function getHealth(signal) {
  return parse(await (await send('health', {signal, taken: [503]})).text());
}

export async function post(path, body, signal, method = 'POST') {
  return parse(await (await send(path, {method, body, signal})).text());
}

export const remove = async (path, signal) => parse(await (await send(path, {method: 'DELETE', signal})).text());

/** Calls `take` with each line of a streamed answer, which are objects; a line with `error` ends it. */
export async function stream(path, body, signal, take) {
  const response = await send(path, {method: 'POST', body, signal, accept: 'application/x-ndjson'});
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const lines = (rest + part.value).split('\n');
    rest = lines.pop();
    for (const line of lines.filter((one) => one !== '').map(parse)) {
      if (line.error) {
        throw new Refusal(line.error, line.error.status);
      }
      take(line);
    }
  }
}

/** An answer with columns, rows and how it was found. Times of its rows are milliseconds if `times` is given. */
export async function ask(sql, {signal, limit, cursor, times = false} = {}) {
  const answer = await post('query', {sql, format: 'json', limit, cursor}, signal);
  if (times) {
    const names = answer.columns.filter((column) => column.kind === 'timestamp').map((column) => column.name);
    for (const row of answer.rows) {
      names.forEach((name) => (row[name] = row[name] === null ? null : Date.parse(row[name])));
    }
  }
  return answer;
}

/** The file that a query's whole answer is, as the server writes it. */
export async function csv(sql, signal) {
  return (await send('query', {method: 'POST', body: {sql, format: 'csv'}, signal, accept: 'text/csv'})).blob();
}
