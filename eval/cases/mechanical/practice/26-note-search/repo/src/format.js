'use strict';

/** Writes a tree as a query again, such that parse(format(tree)) is the same. */

function quoted(text) {
  const inner = text
    .replace(/[\\"]/g, '\\$&')
    .replace(/\n/g, '\\n')
    .replace(/\t/g, '\\t');
  return `"${inner}"`;
}

function format(tree, inside = null) {
  switch (tree.kind) {
    case 'term':
      return (tree.field ? tree.field + ':' : '') + (tree.exact ? quoted(tree.text) : tree.text);
    case 'not':
      return '-' + format(tree.part, 'not');
    case 'and': {
      const text = tree.parts.map((part) => format(part, 'and')).join(' ');
      return inside ? `(${text})` : text;
    }
    case 'or': {
      const text = tree.parts.map((part) => format(part, 'or')).join(' or ');
      return inside ? `(${text})` : text;
    }
    default:
      throw new TypeError(`unknown kind: ${tree.kind}`);
  }
}

module.exports = { format };
