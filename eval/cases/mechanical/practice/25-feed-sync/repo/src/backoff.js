'use strict';

/** Waiting times in ms for the 1st, 2nd, ... repetition. */
function delays({ base = 100, factor = 2, max = 5000, count = 3 } = {}) {
  const out = [];
  let next = base;
  for (let i = 0; i < count; i++) {
    out.push(Math.min(next, max));
    next *= factor;
  }
  return out;
}

const realSleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

module.exports = { delays, realSleep };
