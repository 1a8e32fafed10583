/**
 * Column descriptions as given by the caller, completed with what is missing.
 * { key, title, type: 'text' | 'number' | 'money' | 'percent', ... }
 */
const TYPES = new Set(['text', 'number', 'money', 'percent']);

const DEFAULT_DIGITS = { number: 2, money: 2, percent: 1 };

export class ColumnError extends Error {}

export function completeColumn(column) {
  if (!column.key) throw new ColumnError('a column needs a key');
  const type = column.type || 'text';
  if (!TYPES.has(type)) throw new ColumnError(`unknown type: ${type}`);
  return {
    key: column.key,
    title: column.title ?? titleOf(column.key),
    type,
    align: column.align || (type === 'text' ? 'left' : 'right'),
    digits: column.digits || DEFAULT_DIGITS[type],
    empty: column.empty ?? '-',
    total: column.total ?? null,
  };
}

export function completeColumns(columns) {
  const done = columns.map(completeColumn);
  const keys = new Set(done.map((c) => c.key));
  if (keys.size !== done.length) throw new ColumnError('two columns have the same key');
  return done;
}

function titleOf(key) {
  const words = key.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/_/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1).toLowerCase();
}
