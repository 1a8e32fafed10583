'use strict';

const { retry } = require('./retry');
const { mapLimit } = require('./pool');
const { parseFeed, byDate } = require('./feed');

/**
 * Brings all sources up to date. One bad source does not stop the others.
 * `fetchText(url, attempt)` resolves with the text of a feed.
 */
async function syncAll(sources, store, fetchText, options = {}) {
  const now = options.now || (() => Date.now());
  const report = await mapLimit(sources, options.limit || 4, async (source) => {
    try {
      const text = await retry((attempt) => fetchText(source.url, attempt), options);
      const added = store.update(source.name, parseFeed(text), now());
      return { name: source.name, ok: true, added };
    } catch (err) {
      return { name: source.name, ok: false, error: err.message };
    }
  });
  return {
    report,
    failed: report.filter((r) => !r.ok).map((r) => r.name),
    added: report.reduce((sum, r) => sum + (r.added || 0), 0),
  };
}

function latest(store, count = 10) {
  return store.all().sort(byDate).slice(0, count);
}

module.exports = { syncAll, latest };
