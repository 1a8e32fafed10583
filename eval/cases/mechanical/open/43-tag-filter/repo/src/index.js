import { matches } from './evaluate.js';
import { parse } from './parser.js';

export { FilterError } from './tokens.js';
export { parse } from './parser.js';
export { print, tagsOf } from './print.js';

// A function that tells whether a note passes.
export function compile(text) {
  const tree = parse(text);
  return (note) => matches(tree, note);
}

export function select(notes, text) {
  return notes.filter(compile(text));
}

// Saved filters by name; `counts` is what the side bar shows.
export class FilterShelf {
  #filters = new Map();

  save(name, text) {
    this.#filters.set(name, { text, test: compile(text) });
    return this;
  }

  text(name) {
    return this.#filters.get(name)?.text;
  }

  counts(notes) {
    const result = {};
    for (const [name, { test }] of this.#filters) {
      result[name] = notes.filter(test).length;
    }
    return result;
  }
}
