'use strict';

const { delays } = require('./backoff');

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Calls `work(attempt)` until it succeeds, at most `attempts` times.
 * `retryable(error)` says whether another attempt makes sense; it may return a
 * number, which is then the delay before the next attempt.
 */
async function retry(work, { attempts = 3, backoff, retryable = () => true, sleep = pause } = {}) {
  const waits = delays(backoff);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work(attempt);
    } catch (error) {
      if (attempt >= attempts) throw error;
      const verdict = retryable(error);
      if (verdict === false) throw error;
      const wait = waits.next().value;
      await sleep(typeof verdict === 'number' ? verdict : wait);
    }
  }
}

module.exports = { retry };
