/** Numbers as text. */

export function group(whole, mark = ' ') {
  let out = '';
  for (let i = 0; i < whole.length; i++) {
    if (i > 0 && (whole.length - i) % 3 === 0) out += mark;
    out += whole[i];
  }
  return out;
}

export function formatNumber(value, digits) {
  const text = Math.abs(value).toFixed(digits);
  const [whole, rest] = text.split('.');
  const negative = value < 0 && Number(text) !== 0;
  return (negative ? '-' : '') + group(whole) + (rest ? '.' + rest : '');
}

export function formatValue(value, column) {
  if (value === null || value === undefined || value === '') return column.empty;
  switch (column.type) {
    case 'number':
      return formatNumber(value, column.digits);
    case 'money':
      return formatNumber(value / 100, column.digits);
    case 'percent':
      return formatNumber(value * 100, column.digits) + ' %';
    default:
      return String(value);
  }
}
