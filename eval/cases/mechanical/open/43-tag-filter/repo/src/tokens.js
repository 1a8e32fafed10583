// Splits the text of a filter into tokens.

export class FilterError extends Error {
  constructor(message, position) {
    super(`${message} (at ${position + 1})`);
    this.name = 'FilterError';
    this.position = position;
  }
}

const WORDS = new Set(['and', 'or', 'not']);
const SIGNS = ['<=', '>=', '!=', '<', '>', '=', '~', '(', ')'];

export function tokenize(text) {
  const tokens = [];
  let at = 0;
  while (at < text.length) {
    const char = text[at];
    if (/\s/.test(char)) {
      at += 1;
      continue;
    }
    if (char === '"') {
      const end = closingQuote(text, at);
      const value = text.slice(at + 1, end).replace(/\\(.)/g, '$1');
      tokens.push({ type: 'string', value, at });
      at = end + 1;
      continue;
    }
    const sign = SIGNS.find((each) => text.startsWith(each, at));
    if (sign) {
      tokens.push({ type: sign, value: sign, at });
      at += sign.length;
      continue;
    }
    const word = /^[\p{L}\p{N}_.-]+/u.exec(text.slice(at));
    if (!word) throw new FilterError(`unexpected ${char}`, at);
    tokens.push(wordToken(word[0], at));
    at += word[0].length;
  }
  tokens.push({ type: 'end', value: '', at });
  return tokens;
}

function wordToken(word, at) {
  const lower = word.toLowerCase();
  if (WORDS.has(lower)) return { type: lower, value: lower, at };
  if (/^-?\d+(\.\d+)?$/.test(word)) return { type: 'number', value: Number(word), at };
  return { type: 'name', value: word, at };
}

function closingQuote(text, start) {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at;
  }
  throw new FilterError('quote is not closed', start);
}
