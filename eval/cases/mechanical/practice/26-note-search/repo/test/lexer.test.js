'use strict';
const test = require('node:test');
const assert = require('node:assert');
const { tokenize } = require('../src/lexer');

const types = (q) => tokenize(q).map((t) => t.type).join(' ');
const vals = (q) => tokenize(q).map((t) => t.value);

test('words and brackets', () => {
  assert.strictEqual(types('a (b or c)'), 'word open word or word close');
});

test('keywords in any case', () => {
  assert.strictEqual(types('a AND b Or c'), 'word and word or word');
});

test('fields', () => {
  assert.strictEqual(types('tag:work'), 'field word');
  assert.deepStrictEqual(vals('due.day:x'), ['due.day', 'x']);
});

test('a lonely colon belongs to the word', () => {
  assert.strictEqual(types('note: this'), 'word word');
});

test('minus in front and inside', () => {
  assert.strictEqual(types('-done'), 'not word');
  assert.strictEqual(types('well-known'), 'word');
});

test('strings', () => {
  assert.deepStrictEqual(vals('"next week" x'), ['next week', 'x']);
});

test('the empty string', () => {
  assert.deepStrictEqual(vals('tag:""'), ['tag', '']);
});

test('two strings in a row', () => {
  assert.deepStrictEqual(vals('"a b" "c d"'), ['a b', 'c d']);
});

test('backslashes in strings', () => {
  assert.deepStrictEqual(vals('"one\\ntwo"'), ['one\ntwo']);
  assert.deepStrictEqual(vals('"a\\\\b"'), ['a\\b']);
});

test('an open string is an error', () => {
  assert.throws(() => tokenize('a "b'), /position 3/);
});
