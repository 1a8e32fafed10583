'use strict';

// What has happened, as lines that can be mailed.
class Journal {
  constructor() {
    this.entries = [];
  }

  add(day, kind, person) {
    this.entries.push({ day, kind, name: person.name });
  }

  of(name) {
    return this.entries.filter((entry) => entry.name === name).map(({ day, kind }) => `${day} ${kind}`);
  }

  on(day) {
    return this.entries.filter((entry) => entry.day === day).map(({ kind, name }) => `${kind} ${name}`);
  }

  count(kind) {
    return this.entries.filter((entry) => entry.kind === kind).length;
  }
}

module.exports = { Journal };
