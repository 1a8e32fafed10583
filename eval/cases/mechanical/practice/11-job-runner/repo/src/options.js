'use strict';

const DEFAULTS = { concurrency: 1, attempts: 3, backoff: 100, keep: 100 };

function whole(name, value, least) {
  if (!Number.isInteger(value) || value < least) {
    throw new RangeError(`${name} must be a whole number of at least ${least}`);
  }
  return value;
}

/** Checks the options of a queue and fills the defaults in. */
function queueOptions(given = {}) {
  return {
    concurrency: whole('concurrency', given.concurrency ?? DEFAULTS.concurrency, 1),
    attempts: whole('attempts', given.attempts ?? DEFAULTS.attempts, 1),
    backoff: whole('backoff', given.backoff || DEFAULTS.backoff, 0),
    keep: whole('keep', given.keep ?? DEFAULTS.keep, 0),
  };
}

/** The same for the options of one job. */
function jobOptions(given = {}, queue = DEFAULTS) {
  return {
    priority: Number(given.priority ?? 0),
    attempts: whole('attempts', given.attempts ?? queue.attempts, 1),
  };
}

module.exports = { jobOptions, queueOptions };
