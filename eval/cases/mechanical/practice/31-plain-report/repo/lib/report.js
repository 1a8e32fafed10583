import { completeColumns } from './columns.js';
import { formatValue } from './values.js';
import { totalsRow } from './totals.js';
import { lines } from './layout.js';

/**
 * Renders rows as a text table.
 * options.sort: key, or '-key' for falling order; options.limit: number of rows.
 */
export function render(rows, columnList, options = {}) {
  const columns = completeColumns(columnList);
  const chosen = pick(rows, options);
  const body = chosen.map((row) => columns.map((c) => formatValue(row[c.key], c)));
  const table = [columns.map((c) => c.title), ...body];
  const totals = totalsRow(columns, chosen);
  if (totals) table.push(columns.map((c) => (c.total ? formatValue(totals[c.key], c) : '')));
  const out = lines(table, columns);
  const rule = '-'.repeat(Math.max(...out.map((l) => l.length)));
  out.splice(1, 0, rule);
  if (totals) out.splice(out.length - 1, 0, rule);
  return out.join('\n');
}

export function pick(rows, { sort, limit } = {}) {
  let out = [...rows];
  if (sort) {
    const falling = sort.startsWith('-');
    const key = falling ? sort.slice(1) : sort;
    out.sort((a, b) => compare(a[key], b[key]) * (falling ? -1 : 1));
  }
  if (limit !== undefined) out = out.slice(0, limit);
  return out;
}

function compare(a, b) {
  if (a === b) return 0;
  if (a === null || a === undefined) return 1;
  if (b === null || b === undefined) return -1;
  return a < b ? -1 : 1;
}

/** The same rows as comma separated values, with quotes where needed. */
export function renderCsv(rows, columnList, options = {}) {
  const columns = completeColumns(columnList);
  const quote = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const head = columns.map((c) => quote(c.title)).join(',');
  const body = pick(rows, options).map((row) =>
    columns.map((c) => quote(formatValue(row[c.key], { ...c, empty: '' }))).join(','));
  return [head, ...body].join('\n');
}
