'use strict';

/** Reads the small line format: "id<TAB>date<TAB>title". */
function parseFeed(text) {
  const entries = [];
  const seen = new Set();
  for (const line of text.split(/\r?\n/)) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const [id, date, ...rest] = line.split('\t');
    if (!id || !date || rest.length === 0) throw new SyntaxError(`bad feed line: ${line}`);
    if (seen.has(id)) continue;
    seen.add(id);
    entries.push({ id, date, title: rest.join(' ').trim() });
  }
  return entries;
}

/** Newest first; equal dates by id. */
function byDate(a, b) {
  if (a.date !== b.date) return a.date < b.date ? 1 : -1;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

module.exports = { parseFeed, byDate };
