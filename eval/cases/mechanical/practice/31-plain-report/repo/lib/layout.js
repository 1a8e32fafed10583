/** Cells to lines. */

export function pad(text, width, align) {
  const gap = Math.max(0, width - text.length);
  if (align === 'right') return ' '.repeat(gap) + text;
  if (align === 'center') {
    const left = Math.floor(gap / 2);
    return ' '.repeat(left) + text + ' '.repeat(gap - left);
  }
  return text + ' '.repeat(gap);
}

export function widths(table) {
  const out = [];
  for (const line of table) {
    line.forEach((cell, i) => {
      out[i] = Math.max(out[i] ?? 0, cell.length);
    });
  }
  return out;
}

export function lines(table, columns) {
  const w = widths(table);
  return table.map((line) =>
    line.map((cell, i) => pad(cell, w[i], columns[i].align)).join('  ').trimEnd());
}
