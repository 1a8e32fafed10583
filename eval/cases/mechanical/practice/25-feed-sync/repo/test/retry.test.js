'use strict';
const test = require('node:test');
const assert = require('node:assert');
const { retry } = require('../src/retry');
const { delays } = require('../src/backoff');
const { TransientError, isTransient } = require('../src/errors');
const { mapLimit } = require('../src/pool');

const noSleep = async () => {};

test('delays grow up to a maximum', () => {
  assert.deepStrictEqual(delays({ base: 100, max: 350, count: 4 }), [100, 200, 350, 350]);
});

test('isTransient knows codes and the class', () => {
  assert.ok(isTransient(new TransientError('x')));
  assert.ok(isTransient(Object.assign(new Error('x'), { code: 'ECONNRESET' })));
  assert.ok(!isTransient(new Error('x')));
});

test('retry returns the first result', async () => {
  assert.strictEqual(await retry(async () => 7, { sleep: noSleep }), 7);
});

test('retry accepts a plain function', async () => {
  assert.strictEqual(await retry((n) => n, { sleep: noSleep }), 1);
});

test('retry passes other errors on at once', async () => {
  let calls = 0;
  await assert.rejects(retry(async () => { calls++; throw new TypeError('no'); }, { sleep: noSleep }), TypeError);
  assert.strictEqual(calls, 1);
});

test('retry repeats after a plain throw', async () => {
  const slept = [];
  const value = await retry((n) => {
    if (n < 3) throw new TransientError('busy');
    return n;
  }, { sleep: async (ms) => { slept.push(ms); } });
  assert.strictEqual(value, 3);
  assert.deepStrictEqual(slept, [100, 200]);
});

test('retry repeats a rejected task', async () => {
  const value = await retry(async (n) => {
    if (n < 2) throw new TransientError('busy');
    return `try ${n}`;
  }, { sleep: noSleep });
  assert.strictEqual(value, 'try 2');
});

test('mapLimit keeps the order', async () => {
  const out = await mapLimit([30, 1, 10], 2, async (ms) => {
    await new Promise((r) => setTimeout(r, ms));
    return ms;
  });
  assert.deepStrictEqual(out, [30, 1, 10]);
});

test('mapLimit respects the limit', async () => {
  let busy = 0;
  let most = 0;
  await mapLimit([1, 2, 3, 4, 5], 2, async () => {
    most = Math.max(most, ++busy);
    await new Promise((r) => setTimeout(r, 2));
    busy--;
  });
  assert.strictEqual(most, 2);
});

test('mapLimit rejects a bad limit', async () => {
  await assert.rejects(mapLimit([], 0, async () => {}), RangeError);
});
