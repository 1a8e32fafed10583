'use strict';

const test = require('node:test');
const assert = require('node:assert');
const { format, parse, readPolicy } = require('../lib');

test('more: milliseconds in all spellings', () => {
  assert.strictEqual(parse('250 ms'), 250);
  assert.strictEqual(parse('1.5ms'), 1.5);
  assert.strictEqual(parse('7MS'), 7);
  assert.strictEqual(parse('-20ms'), -20);
});

test('more: milliseconds among others', () => {
  assert.strictEqual(parse('1s 500ms'), 1500);
  assert.strictEqual(parse('500ms1s'), 1500);
  assert.strictEqual(parse('2m 3ms'), 120003);
  assert.strictEqual(parse('3ms 2m'), 120003);
});

test('more: minutes in both spellings', () => {
  assert.strictEqual(parse('2m'), 120000);
  assert.strictEqual(parse('2min'), 120000);
  assert.strictEqual(parse('2MIN 2s'), 122000);
  assert.strictEqual(parse('2m2s'), 122000);
  assert.strictEqual(parse('1h2min3s'), 3723000);
});

test('more: still rejects what is no unit', () => {
  for (const bad of ['5mo', '5mins', '5sec', 'ms', '5 m s', '5msm']) {
    assert.throws(() => parse(bad), RangeError, bad);
  }
});

test('more: format and parse agree', () => {
  for (const ms of [1, 999, 1001, 60001, 3600007, 86400000 + 15, 604800000 * 3 + 250]) {
    assert.strictEqual(parse(format(ms)), ms);
    assert.strictEqual(parse(format(-ms)), -ms);
  }
});

test('more: policy with small steps', () => {
  assert.deepStrictEqual(readPolicy('retry=5ms,50ms,5min').retry, [5, 50, 300000]);
});
