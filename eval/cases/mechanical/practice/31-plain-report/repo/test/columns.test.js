import test from 'node:test';
import assert from 'node:assert';
import { completeColumn, completeColumns, ColumnError } from '../lib/columns.js';

test('a text column is on the left', () => {
  const c = completeColumn({ key: 'name' });
  assert.strictEqual(c.align, 'left');
  assert.strictEqual(c.type, 'text');
});

test('numbers are on the right with two digits', () => {
  const c = completeColumn({ key: 'n', type: 'number' });
  assert.strictEqual(c.align, 'right');
  assert.strictEqual(c.digits, 2);
});

test('digits can be chosen', () => {
  assert.strictEqual(completeColumn({ key: 'n', type: 'money', digits: 3 }).digits, 3);
});

test('titles come from the key', () => {
  assert.strictEqual(completeColumn({ key: 'unitPrice' }).title, 'Unit price');
  assert.strictEqual(completeColumn({ key: 'in_stock' }).title, 'In stock');
});

test('an empty title stays empty', () => {
  assert.strictEqual(completeColumn({ key: 'x', title: '' }).title, '');
});

test('bad columns are refused', () => {
  assert.throws(() => completeColumn({}), ColumnError);
  assert.throws(() => completeColumn({ key: 'a', type: 'blob' }), ColumnError);
  assert.throws(() => completeColumns([{ key: 'a' }, { key: 'a' }]), ColumnError);
});
