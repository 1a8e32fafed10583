'use strict';

const test = require('node:test');
const assert = require('node:assert');
const { diff, patch, revert } = require('../src');

test('diff: equal values', () => {
  assert.deepStrictEqual(diff({ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }), []);
});

test('diff: changed leaf', () => {
  assert.deepStrictEqual(diff({ a: { b: 1 } }, { a: { b: 2 } }), [{ path: ['a', 'b'], before: 1, after: 2 }]);
});

test('diff: added and removed keys', () => {
  assert.deepStrictEqual(diff({ a: 1 }, { b: 2 }), [
    { path: ['a'], before: 1, after: undefined },
    { path: ['b'], before: undefined, after: 2 },
  ]);
});

test('diff: arrays by place', () => {
  assert.deepStrictEqual(diff([1, 2, 3], [1, 5]), [
    { path: [1], before: 2, after: 5 },
    { path: [2], before: 3, after: undefined },
  ]);
});

test('diff: null is not an object', () => {
  assert.deepStrictEqual(diff({ a: null }, { a: {} }), [{ path: ['a'], before: null, after: {} }]);
});

test('diff: a list is not an object', () => {
  assert.deepStrictEqual(diff({ a: [] }, { a: {} }), [{ path: ['a'], before: [], after: {} }]);
});

test('diff: NaN equals itself', () => {
  assert.deepStrictEqual(diff({ a: NaN }, { a: NaN }), []);
});

test('patch: makes the changes', () => {
  const before = { a: 1, l: [1, 2, 3] };
  const after = { b: { c: 2 }, l: [1, 5] };
  assert.deepStrictEqual(patch(before, diff(before, after)), after);
});

test('revert: undoes them', () => {
  const before = { a: 1, l: [1, 2, 3] };
  const after = { b: { c: 2 }, l: [1, 5] };
  assert.deepStrictEqual(revert(after, diff(before, after)), before);
});

test('patch: leaves its argument', () => {
  const value = { a: { b: 1 } };
  patch(value, [{ path: ['a', 'b'], before: 1, after: 2 }]);
  assert.strictEqual(value.a.b, 1);
});
