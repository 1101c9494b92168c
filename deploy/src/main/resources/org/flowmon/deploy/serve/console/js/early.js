// Asks for what a page needs first while its modules are still being loaded. lib/api.js takes the answers by their address.
{
  const token = sessionStorage.getItem('flowmon.token');
  const headers = {
    Accept: 'application/json, application/problem+json',
    ...(token === null ? {} : {Authorization: `Bearer ${token}`}),
  };
  const paths = ['session', 'columns', 'archive'];
  // The longest request, if it needs no times of the archive; pages/host.js makes the same address.
  const host = /^#\/host\/([\w.:]+)$/.exec(location.hash);
  if (host) {
    paths.unshift(`hosts/${encodeURIComponent(host[1])}?window=86400&limit=100`);
  }
  window.early = new Map(paths.map((path) => {
    const answer = fetch(`api/v1/${path}`, {credentials: 'same-origin', headers});
    answer.catch(() => {}); // Whoever takes it says so.
    return [`api/v1/${path}`, answer];
  }));
  setTimeout(() => window.early.clear(), 10_000); // Later they would be old.
}
