'use strict';

const test = require('node:test');
const assert = require('node:assert');
const { History, diff, patch, revert } = require('../src');

const a = new Date('2024-03-01T00:00:00Z');
const b = new Date('2024-03-01T00:00:00.001Z');

test('dates: different times are a change', () => {
  assert.deepStrictEqual(diff({ due: a }, { due: b }), [{ path: ['due'], before: a, after: b }]);
});

test('dates: equal times are none', () => {
  assert.deepStrictEqual(diff({ due: a }, { due: new Date(a) }), []);
});

test('dates: at the top and deep down', () => {
  assert.deepStrictEqual(diff(a, b), [{ path: [], before: a, after: b }]);
  assert.deepStrictEqual(diff({ l: [{ at: a }, { at: a }] }, { l: [{ at: a }, { at: b }] }), [
    { path: ['l', 1, 'at'], before: a, after: b },
  ]);
});

test('dates: against other kinds of values', () => {
  for (const other of [null, undefined, 'x', a.getTime(), a.toISOString(), {}, []]) {
    assert.strictEqual(diff({ v: a }, { v: other }).length, 1, `to ${String(other)}`);
    assert.strictEqual(diff({ v: other }, { v: a }).length, 1, `from ${String(other)}`);
  }
});

test('dates: the change to an object is one change', () => {
  assert.deepStrictEqual(diff({ v: a }, { v: { x: 1 } }), [{ path: ['v'], before: a, after: { x: 1 } }]);
});

test('dates: patch and revert', () => {
  const before = { due: a, n: 1 };
  const after = { due: b, n: 1 };
  assert.deepStrictEqual(patch(before, diff(before, after)), after);
  assert.deepStrictEqual(revert(after, diff(before, after)), before);
});

test('dates: in the history', () => {
  const history = new History();
  history.save('x', { at: a }, 'ada');
  assert.strictEqual(history.save('x', { at: b }, 'ben').length, 1);
  assert.strictEqual(history.save('x', { at: new Date(b) }, 'cat').length, 0);
  assert.strictEqual(history.versions('x'), 2);
});

test('dates: other objects are still compared by their keys', () => {
  assert.deepStrictEqual(diff({ o: { x: 1, y: 2 } }, { o: { x: 1, y: 3 } }), [{ path: ['o', 'y'], before: 2, after: 3 }]);
  assert.deepStrictEqual(diff({ o: {} }, { o: {} }), []);
});
