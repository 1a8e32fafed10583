'use strict';

/** Waiting times between attempts: base, base*factor, ... up to max. */
function* delays({ base = 100, factor = 2, max = 10000 } = {}) {
  let delay = base;
  for (;;) {
    yield Math.min(delay, max);
    delay *= factor;
  }
}

module.exports = { delays };
