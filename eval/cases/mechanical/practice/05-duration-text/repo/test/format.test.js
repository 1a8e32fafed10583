'use strict';

const test = require('node:test');
const assert = require('node:assert');
const { format } = require('../lib');

test('format: all parts', () => {
  assert.strictEqual(format(5405001), '1h 30m 5s 1ms');
});

test('format: zero', () => {
  assert.strictEqual(format(0), '0s');
});

test('format: negative', () => {
  assert.strictEqual(format(-90000), '-1m 30s');
});

test('format: limited', () => {
  assert.strictEqual(format(694861000, { parts: 2 }), '1w 1d');
});
