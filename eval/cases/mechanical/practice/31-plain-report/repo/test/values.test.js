import test from 'node:test';
import assert from 'node:assert';
import { formatNumber, formatValue, group } from '../lib/values.js';
import { totalOf, totalsRow } from '../lib/totals.js';
import { pad, widths } from '../lib/layout.js';

test('group sets marks', () => {
  assert.strictEqual(group('1234567'), '1 234 567');
  assert.strictEqual(group('123'), '123');
});

test('formatNumber', () => {
  assert.strictEqual(formatNumber(-1234.5, 1), '-1 234.5');
  assert.strictEqual(formatNumber(12.4, 0), '12');
});

test('no minus in front of a rounded zero', () => {
  assert.strictEqual(formatNumber(-0.001, 2), '0.00');
});

test('formatValue by type', () => {
  assert.strictEqual(formatValue(0.125, { type: 'percent', digits: 1 }), '12.5 %');
  assert.strictEqual(formatValue(1999, { type: 'money', digits: 2 }), '19.99');
  assert.strictEqual(formatValue(true, { type: 'text' }), 'true');
});

test('a zero is no missing value', () => {
  assert.strictEqual(formatValue(0, { type: 'number', digits: 1, empty: '-' }), '0.0');
  assert.strictEqual(formatValue(null, { type: 'number', digits: 1, empty: '-' }), '-');
});

test('totals leave missing values out', () => {
  const rows = [{ n: 4 }, { n: null }, { n: 0 }, {}];
  assert.strictEqual(totalOf('mean', rows, 'n'), 2);
  assert.strictEqual(totalOf('count', rows, 'n'), 2);
  assert.strictEqual(totalOf('min', rows, 'n'), 0);
});

test('totalsRow is null without totals', () => {
  assert.strictEqual(totalsRow([{ key: 'a', total: null }], []), null);
});

test('an unknown total is refused', () => {
  assert.throws(() => totalOf('median', [], 'n'), RangeError);
});

test('pad aligns', () => {
  assert.strictEqual(pad('ab', 5, 'right'), '   ab');
  assert.strictEqual(pad('ab', 5, 'center'), ' ab  ');
});

test('widths takes the longest', () => {
  assert.deepStrictEqual(widths([['a', 'bcd'], ['ef', 'g']]), [2, 3]);
});
