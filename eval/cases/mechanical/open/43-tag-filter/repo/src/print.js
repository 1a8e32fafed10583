// Writes a tree as the text of a filter, with no more brackets than needed.

const LEVEL = { or: 1, and: 2, not: 3, tag: 4, compare: 4 };

export function print(tree) {
  if (tree.op === 'all') return '';
  return write(tree, 0);
}

function write(tree, level) {
  const own = LEVEL[tree.op];
  const text = plain(tree, own);
  return own < level ? `(${text})` : text;
}

function plain(tree, own) {
  switch (tree.op) {
    case 'or':
    case 'and':
      return `${write(tree.left, own)} ${tree.op} ${write(tree.right, own + 1)}`;
    case 'not':
      return `not ${write(tree.inner, own)}`;
    case 'tag':
      return tree.tag;
    default:
      return `${tree.field} ${tree.sign} ${literal(tree.value)}`;
  }
}

function literal(value) {
  if (typeof value === 'number') return String(value);
  if (/^[\p{L}_][\p{L}\p{N}_.-]*$/u.test(value) && !/^(and|or|not)$/i.test(value)) return value;
  return `"${value.replace(/["\\]/g, '\\$&')}"`;
}

// The tags that a filter speaks of, in order and each once.
export function tagsOf(tree) {
  const found = new Set();
  const visit = (node) => {
    if (node.op === 'tag') found.add(node.tag);
    for (const child of [node.left, node.right, node.inner]) {
      if (child) visit(child);
    }
  };
  visit(tree);
  return [...found];
}
