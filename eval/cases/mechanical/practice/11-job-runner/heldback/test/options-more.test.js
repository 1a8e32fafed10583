'use strict';

const test = require('node:test');
const assert = require('node:assert');
const { Queue } = require('../src');
const { queueOptions } = require('../src/options');

test('more: zero is a value where it is allowed', () => {
  assert.strictEqual(queueOptions({ backoff: 0 }).backoff, 0);
  assert.strictEqual(queueOptions({ keep: 0 }).keep, 0);
});

test('more: zero is refused where it is not', () => {
  assert.throws(() => queueOptions({ concurrency: 0 }), RangeError);
  assert.throws(() => queueOptions({ attempts: 0 }), RangeError);
});

test('more: absent values are the defaults', () => {
  assert.strictEqual(queueOptions({ backoff: undefined }).backoff, 100);
  assert.strictEqual(queueOptions({ backoff: null }).backoff, 100);
  assert.strictEqual(queueOptions({}).backoff, 100);
});

test('more: the wrong kind of value is refused', () => {
  assert.throws(() => queueOptions({ backoff: -1 }), RangeError);
  assert.throws(() => queueOptions({ backoff: '' }), RangeError);
  assert.throws(() => queueOptions({ backoff: NaN }), RangeError);
  assert.throws(() => queueOptions({ backoff: false }), RangeError);
});

test('more: a small backoff is kept', async () => {
  const waits = [];
  const queue = new Queue({ backoff: 1 }, { sleep: async (ms) => { waits.push(ms); } });
  queue.handle('bad', () => { throw new Error('x'); }).add('bad');
  await queue.drain();
  assert.deepStrictEqual(waits, [1, 2]);
});

test('more: nothing is awaited without backoff', async () => {
  let slept = 0;
  const queue = new Queue({ backoff: 0, attempts: 5 }, { sleep: async () => { slept += 1; } });
  const job = queue.handle('bad', () => { throw new Error('x'); }).add('bad');
  await queue.drain();
  assert.strictEqual(slept, 0);
  assert.strictEqual(job.tries, 5);
});
