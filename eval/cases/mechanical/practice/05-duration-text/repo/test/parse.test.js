'use strict';

const test = require('node:test');
const assert = require('node:assert');
const { parse } = require('../lib');

test('parse: single units', () => {
  assert.strictEqual(parse('30s'), 30000);
  assert.strictEqual(parse('5m'), 300000);
  assert.strictEqual(parse('2h'), 7200000);
  assert.strictEqual(parse('1d'), 86400000);
  assert.strictEqual(parse('1w'), 604800000);
});

test('parse: several parts', () => {
  assert.strictEqual(parse('1h 30m'), 5400000);
  assert.strictEqual(parse('1h30m5s'), 5405000);
});

test('parse: long name of minutes', () => {
  assert.strictEqual(parse('90 min'), 5400000);
});

test('parse: milliseconds', () => {
  assert.strictEqual(parse('250ms'), 250);
});

test('parse: decimals', () => {
  assert.strictEqual(parse('1.5h'), 5400000);
  assert.strictEqual(parse('.5s'), 500);
});

test('parse: capitals', () => {
  assert.strictEqual(parse('2H'), 7200000);
});

test('parse: signs', () => {
  assert.strictEqual(parse('-2m'), -120000);
  assert.strictEqual(parse('+10s'), 10000);
});

test('parse: bare numbers', () => {
  assert.strictEqual(parse('1500'), 1500);
  assert.strictEqual(parse(1500), 1500);
});

test('parse: rejects nonsense', () => {
  for (const bad of ['', '  ', 'soon', '5 parsecs', '1h and 5m', '1.5', NaN]) {
    assert.throws(() => parse(bad), RangeError, String(bad));
  }
});
