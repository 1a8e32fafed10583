'use strict';

const { UNITS } = require('./units');

const ORDER = ['w', 'd', 'h', 'm', 's', 'ms'];

/** The shortest exact text of a whole number of milliseconds. */
function format(ms, { parts = ORDER.length } = {}) {
  if (!Number.isFinite(ms)) throw new RangeError(`not a duration: ${ms}`);
  if (ms === 0) return '0s';
  let rest = Math.abs(Math.round(ms));
  const out = [];
  for (const unit of ORDER) {
    const count = Math.floor(rest / UNITS[unit]);
    if (count === 0) continue;
    rest -= count * UNITS[unit];
    out.push(`${count}${unit}`);
    if (out.length === parts) break;
  }
  return (ms < 0 ? '-' : '') + out.join(' ');
}

module.exports = { format };
