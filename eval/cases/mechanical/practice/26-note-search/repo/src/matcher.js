'use strict';

/** Decides whether a note { title, body, tags, ... } fits a query tree. */

function values(note, field) {
  if (field === null) return [note.title, note.body, ...(note.tags || [])];
  const name = field === 'tag' ? 'tags' : field;
  const value = note[name];
  return Array.isArray(value) ? value : [value];
}

function termFits(term, note) {
  const wanted = term.text.toLowerCase();
  return values(note, term.field).some((value) => {
    if (value === undefined || value === null) return false;
    const text = String(value).toLowerCase();
    return term.field && term.exact ? text === wanted : text.includes(wanted);
  });
}

function fits(tree, note) {
  switch (tree.kind) {
    case 'term':
      return termFits(tree, note);
    case 'not':
      return !fits(tree.part, note);
    case 'and':
      return tree.parts.every((part) => fits(part, note));
    case 'or':
      return tree.parts.some((part) => fits(part, note));
    default:
      throw new TypeError(`unknown kind: ${tree.kind}`);
  }
}

module.exports = { fits };
