'use strict';

/** Remembers the last few entries. */
class Log {
  constructor(limit) {
    this.limit = limit;
    this.entries = [];
  }

  add(entry) {
    this.entries.push(entry);
    while (this.entries.length > this.limit) this.entries.shift();
  }

  find(test) {
    return this.entries.find(test);
  }
}

module.exports = { Log };
