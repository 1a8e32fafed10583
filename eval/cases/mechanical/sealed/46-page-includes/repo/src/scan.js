'use strict';

class TemplateError extends Error {
  constructor(message, file) {
    super(file ? `${file}: ${message}` : message);
    this.name = 'TemplateError';
    this.file = file;
  }
}

const TAG = /\{\{\{\s*([^{}]+?)\s*\}\}\}|\{\{\s*([^{}]+?)\s*\}\}/g;

// Splits a text into pieces: { text } and { tag, raw }.
function scan(source) {
  const pieces = [];
  let from = 0;
  for (const match of source.matchAll(TAG)) {
    if (match.index > from) pieces.push({ text: source.slice(from, match.index) });
    const raw = match[1] !== undefined;
    pieces.push({ tag: raw ? match[1] : match[2], raw });
    from = match.index + match[0].length;
  }
  if (from < source.length) pieces.push({ text: source.slice(from) });
  return pieces;
}

module.exports = { scan, TemplateError };
