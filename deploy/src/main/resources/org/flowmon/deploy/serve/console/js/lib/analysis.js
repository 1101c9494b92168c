// The condition of an analysis's live query, out of its YAML, so that the flows behind a report are those it counted.

/** {condition, aliases} of the live query: its WHERE and what its named items are; null if the text does not tell. */
export function liveQuery(text) {
  if (!text) {
    return null;
  }
  const live = section(text, 'live');
  const query = live && block(live, 'query');
  if (!query) {
    return null;
  }
  const filled = substitute(query, variables(section(text, 'variables') ?? ''));
  const where = /\bFROM\s+flows\s+WHERE\b([\s\S]*?)(?=\bGROUP\s+BY\b|\bHAVING\b|\bORDER\s+BY\b|\bLIMIT\b|$)/i.exec(filled);
  if (/\bFROM\s*\(/i.test(filled) || /\$\{|:[a-z]/i.test(where?.[1] ?? '')) {
    return null;
  }
  const aliases = {};
  for (const [, column, name] of filled.matchAll(/\b([a-z][a-z0-9_]*)\s+AS\s+([a-z][a-z0-9_]*)/gi)) {
    aliases[name] = column;
  }
  return {condition: where ? where[1].replace(/--.*$/gm, '').replace(/\s+/g, ' ').trim() : '', aliases};
}

/** The lines below a key at the beginning of a line. */
function section(text, key) {
  const found = new RegExp(`^${key}:[ \\t]*(?:#.*)?\\n((?:[ \\t]+.*\\n|[ \\t]*#.*\\n|[ \\t]*\\n)*)`, 'm').exec(text + '\n');
  return found?.[1] ?? null;
}

/** A block scalar or a plain one of a key one level down. */
function block(lines, key) {
  const found = new RegExp(`^([ \\t]+)${key}:[ \\t]*(.*)\\n([\\s\\S]*)`, 'm').exec(lines);
  if (!found) {
    return null;
  }
  if (!/^[|>][-+]?\s*$/.test(found[2])) {
    return found[2].replace(/^["']|["']$/g, '');
  }
  const kept = [];
  for (const line of found[3].split('\n')) {
    if (line.trim() !== '' && !line.startsWith(`${found[1]} `)) {
      break;
    }
    kept.push(line);
  }
  return kept.join('\n');
}

function variables(lines) {
  const found = {};
  for (const [, name] of lines.matchAll(/^ {2}([a-z][a-z0-9_]*):/gm)) {
    found[name] = block(lines, name)?.trim();
  }
  return found;
}

function substitute(query, values) {
  let text = query;
  for (let turn = 0; turn < 8 && text.includes('${'); turn++) {
    text = text.replace(/\$\{([a-z0-9_]+)\}/gi, (whole, name) => values[name] ?? whole);
  }
  return text;
}
