'use strict';

const { UNITS } = require('./units');

const PART = /^\s*(\d+(?:\.\d+)?|\.\d+)\s*([smhdw]|ms|min)/i;

/** Milliseconds of a duration such as `1h 30m`, `-2.5s` or `250`. */
function parse(text) {
  if (typeof text === 'number') {
    if (!Number.isFinite(text)) throw new RangeError(`not a duration: ${text}`);
    return text;
  }
  let rest = String(text).trim();
  let sign = 1;
  if (rest[0] === '-' || rest[0] === '+') {
    sign = rest[0] === '-' ? -1 : 1;
    rest = rest.slice(1);
  }
  if (/^\d+$/.test(rest)) return sign * Number(rest);

  let total = 0;
  let parts = 0;
  while (rest.trim() !== '') {
    const match = PART.exec(rest);
    if (!match) throw new RangeError(`not a duration: ${text}`);
    total += Number(match[1]) * UNITS[match[2].toLowerCase()];
    rest = rest.slice(match[0].length);
    parts += 1;
  }
  if (parts === 0) throw new RangeError('an empty duration');
  return sign * total;
}

module.exports = { parse };
