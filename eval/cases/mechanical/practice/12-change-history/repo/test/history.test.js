'use strict';

const test = require('node:test');
const assert = require('node:assert');
const { History } = require('../src');
const { formatPath } = require('../src/path');
const { show } = require('../src/text/show');

const day = (text) => new Date(`${text}T00:00:00Z`);

test('history: keeps versions', () => {
  const history = new History();
  history.save('inv-7', { total: 100 }, 'ada');
  history.save('inv-7', { total: 120 }, 'ben');
  assert.strictEqual(history.versions('inv-7'), 2);
  assert.deepStrictEqual(history.get('inv-7', 1), { total: 100 });
  assert.deepStrictEqual(history.get('inv-7'), { total: 120 });
});

test('history: nothing changed, nothing kept', () => {
  const history = new History();
  history.save('inv-7', { total: 100, due: day('2024-03-01') }, 'ada');
  assert.deepStrictEqual(history.save('inv-7', { total: 100, due: day('2024-03-01') }, 'ben'), []);
  assert.strictEqual(history.versions('inv-7'), 1);
});

test('history: versions are copies', () => {
  const history = new History();
  const record = { lines: [{ text: 'tea' }] };
  history.save('inv-7', record, 'ada');
  record.lines[0].text = 'coffee';
  assert.strictEqual(history.get('inv-7').lines[0].text, 'tea');
});

test('history: describes changes', () => {
  const history = new History();
  history.save('inv-7', { total: 100, lines: [{ text: 'tea' }] }, 'ada');
  history.save('inv-7', { total: 120, lines: [{ text: 'tea' }, { text: 'cake' }] }, 'ben');
  assert.deepStrictEqual(history.describe('inv-7'), [
    'ben: total changed from 100 to 120',
    'ben: lines[1] added: { text }',
  ]);
});

test('history: a due date is put off', () => {
  const history = new History();
  history.save('inv-7', { total: 100, due: day('2024-03-01') }, 'ada');
  history.save('inv-7', { total: 100, due: day('2024-03-08') }, 'ben');
  assert.deepStrictEqual(history.describe('inv-7'), ['ben: due changed from 2024-03-01 to 2024-03-08']);
});

test('history: a due date is set for the first time', () => {
  const history = new History();
  history.save('inv-7', { due: null }, 'ada');
  history.save('inv-7', { due: day('2024-03-08') }, 'ben');
  assert.deepStrictEqual(history.describe('inv-7'), ['ben: due changed from nothing to 2024-03-08']);
});

test('history: unknown version', () => {
  assert.throws(() => new History().get('inv-7', 1), RangeError);
});

test('path: odd names are quoted', () => {
  assert.strictEqual(formatPath(['lines', 0, 'unit price']), 'lines[0]["unit price"]');
});

test('show: values', () => {
  assert.strictEqual(show('tea'), '"tea"');
  assert.strictEqual(show(day('2024-03-08')), '2024-03-08');
  assert.strictEqual(show([1, 2]), 'a list of 2');
  assert.strictEqual(show(null), 'nothing');
});
