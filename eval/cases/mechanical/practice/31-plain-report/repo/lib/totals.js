/** Totals under the columns. */
const KINDS = {
  sum: (values) => values.reduce((a, b) => a + b, 0),
  mean: (values) => (values.length ? values.reduce((a, b) => a + b, 0) / values.length : null),
  max: (values) => (values.length ? Math.max(...values) : null),
  min: (values) => (values.length ? Math.min(...values) : null),
  count: (values) => values.length,
};

export function totalOf(kind, rows, key) {
  const fn = KINDS[kind];
  if (!fn) throw new RangeError(`unknown total: ${kind}`);
  const values = rows.map((row) => row[key]).filter((v) => v !== null && v !== undefined && v !== '');
  return fn(values);
}

export function totalsRow(columns, rows) {
  if (!columns.some((c) => c.total)) return null;
  const out = {};
  for (const c of columns) out[c.key] = c.total ? totalOf(c.total, rows, c.key) : '';
  return out;
}
