'use strict';

/** A value the way people like to read it. */
function show(value) {
  if (value === undefined || value === null) return 'nothing';
  if (value instanceof Date) {
    const text = value.toISOString();
    return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text;
  }
  if (typeof value === 'string') return value.length > 40 ? `"${value.slice(0, 39)}…"` : `"${value}"`;
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object') return `{ ${Object.keys(value).join(', ')} }`;
  return String(value);
}

module.exports = { show };
