'use strict';

/** Splits a query such as  tag:work (due:"next week" or -done)  into tokens. */

const PATTERNS = [
  ['space', /\s+/y],
  ['open', /\(/y],
  ['close', /\)/y],
  ['not', /-(?=[^\s)])/y],
  ['field', /([A-Za-z][\w.]*):(?=[^\s)])/y],
  ['string', /"([^"]*)"/y],
  ['word', /[^\s()"]+/y],
];

const KEYWORDS = new Set(['and', 'or']);

class QuerySyntaxError extends Error {
  constructor(message, position) {
    super(`${message} at position ${position + 1}`);
    this.name = 'QuerySyntaxError';
    this.position = position;
  }
}

function unescape(text) {
  return text.replace(/\\(.)/g, (_, c) => (c === 'n' ? '\n' : c === 't' ? '\t' : c));
}

function tokenize(query) {
  const tokens = [];
  let at = 0;
  while (at < query.length) {
    const token = match(query, at);
    if (!token) throw new QuerySyntaxError(`cannot read ${JSON.stringify(query[at])}`, at);
    at = token.end;
    if (token.type !== 'space') tokens.push(token);
  }
  return tokens;
}

function match(query, at) {
  for (const [type, pattern] of PATTERNS) {
    pattern.lastIndex = at;
    const found = pattern.exec(query);
    if (!found) continue;
    const token = { type, value: found[1] ?? found[0], start: at, end: pattern.lastIndex };
    if (type === 'string') token.value = unescape(token.value);
    if (type === 'word' && KEYWORDS.has(token.value.toLowerCase())) {
      token.type = token.value.toLowerCase();
    }
    return token;
  }
  return null;
}

module.exports = { tokenize, QuerySyntaxError };
