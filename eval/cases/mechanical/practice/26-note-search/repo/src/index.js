'use strict';

const { parse } = require('./parser');
const { fits } = require('./matcher');
const { format } = require('./format');

/** The notes which fit the query, in their given order. */
function search(notes, query) {
  const tree = parse(query);
  return notes.filter((note) => fits(tree, note));
}

/** Saved searches by name. */
class SavedSearches {
  constructor() {
    this.trees = new Map();
  }

  save(name, query) {
    this.trees.set(name, parse(query));
  }

  run(name, notes) {
    const tree = this.trees.get(name);
    if (!tree) throw new Error(`no search named ${name}`);
    return notes.filter((note) => fits(tree, note));
  }

  export() {
    return [...this.trees].map(([name, tree]) => ({ name, query: format(tree) }));
  }
}

module.exports = { search, SavedSearches, parse, format };
