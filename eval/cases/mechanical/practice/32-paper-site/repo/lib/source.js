'use strict';

/** Reads "key: value" lines up to the first empty line; the rest is the text. */
function parseSource(text) {
  const cut = text.search(/\r?\n\s*\r?\n/);
  const head = cut < 0 ? text : text.slice(0, cut);
  const meta = {};
  for (const line of head.split(/\r?\n/)) {
    const at = line.indexOf(':');
    if (at < 1) return { meta: {}, body: text.trim() };
    meta[line.slice(0, at).trim().toLowerCase()] = line.slice(at + 1).trim();
  }
  return { meta, body: cut < 0 ? '' : text.slice(cut).trim() };
}

module.exports = { parseSource };
