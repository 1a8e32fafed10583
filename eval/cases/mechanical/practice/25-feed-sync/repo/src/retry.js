'use strict';

const { GaveUpError, isTransient } = require('./errors');
const { delays, realSleep } = require('./backoff');

/**
 * Runs `task(attempt)` until it works. Failures that are not transient are
 * passed on at once, the others are tried again after a pause.
 */
async function retry(task, options = {}) {
  const sleep = options.sleep || realSleep;
  const pauses = delays(options);
  for (let attempt = 1; ; attempt++) {
    try {
      return task(attempt);
    } catch (err) {
      if (!isTransient(err)) throw err;
      if (attempt > pauses.length) throw new GaveUpError(attempt, err);
      if (options.onRetry) options.onRetry(attempt, err);
      await sleep(pauses[attempt - 1]);
    }
  }
}

module.exports = { retry };
