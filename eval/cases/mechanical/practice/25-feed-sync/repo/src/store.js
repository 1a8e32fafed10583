'use strict';

/** Entries by source, with the time of the last good update. */
class FeedStore {
  constructor() {
    this.sources = new Map();
  }

  update(source, entries, time) {
    const known = this.sources.get(source) || { entries: new Map(), time: null };
    let added = 0;
    for (const entry of entries) {
      if (!known.entries.has(entry.id)) added++;
      known.entries.set(entry.id, entry);
    }
    known.time = time;
    this.sources.set(source, known);
    return added;
  }

  entries(source) {
    const known = this.sources.get(source);
    return known ? [...known.entries.values()] : [];
  }

  lastUpdate(source) {
    const known = this.sources.get(source);
    return known ? known.time : null;
  }

  all() {
    return [...this.sources.keys()].flatMap((source) =>
      this.entries(source).map((entry) => ({ source, ...entry })));
  }
}

module.exports = { FeedStore };
