// Decides whether a note passes a filter.

const COMPARE = {
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
  '=': (a, b) => a === b,
  '!=': (a, b) => a !== b,
};

export function matches(tree, note) {
  switch (tree.op) {
    case 'all':
      return true;
    case 'or':
      return matches(tree.left, note) || matches(tree.right, note);
    case 'and':
      return matches(tree.left, note) && matches(tree.right, note);
    case 'not':
      return !matches(tree.inner, note);
    case 'tag':
      return hasTag(note, tree.tag);
    case 'compare':
      return compare(tree, note);
    default:
      throw new Error(`unknown node ${tree.op}`);
  }
}

// A tag holds for its children too: "home" finds "home.kitchen".
function hasTag(note, tag) {
  const wanted = tag.toLowerCase();
  return (note.tags ?? []).some((each) => {
    const own = each.toLowerCase();
    return own === wanted || own.startsWith(`${wanted}.`);
  });
}

function compare({ sign, field, value }, note) {
  const own = note[field];
  if (own === undefined || own === null) return sign === '!=';
  if (sign === '~') return String(own).toLowerCase().includes(String(value).toLowerCase());
  if (typeof own !== typeof value) return COMPARE[sign](String(own), String(value));
  return COMPARE[sign](own, value);
}
