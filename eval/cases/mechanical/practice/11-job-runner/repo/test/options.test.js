'use strict';

const test = require('node:test');
const assert = require('node:assert');
const { jobOptions, queueOptions } = require('../src/options');
const { Heap } = require('../src/util/heap');
const { Log } = require('../src/util/log');

test('options: defaults', () => {
  assert.deepStrictEqual(queueOptions(), { concurrency: 1, attempts: 3, backoff: 100, keep: 100 });
});

test('options: given values', () => {
  assert.deepStrictEqual(queueOptions({ concurrency: 4, keep: 7 }), { concurrency: 4, attempts: 3, backoff: 100, keep: 7 });
});

test('options: nonsense is refused', () => {
  assert.throws(() => queueOptions({ concurrency: 0 }), RangeError);
  assert.throws(() => queueOptions({ attempts: 1.5 }), RangeError);
  assert.throws(() => queueOptions({ keep: -1 }), RangeError);
});

test('options: jobs take over from the queue', () => {
  assert.deepStrictEqual(jobOptions({ priority: '3' }, { attempts: 8 }), { priority: 3, attempts: 8 });
});

test('heap: sorts', () => {
  const heap = new Heap((a, b) => a < b);
  for (const n of [5, 1, 4, 1, 3]) heap.push(n);
  assert.deepStrictEqual([1, 2, 3, 4, 5].map(() => heap.pop()), [1, 1, 3, 4, 5]);
  assert.strictEqual(heap.pop(), undefined);
});

test('log: holds the last entries', () => {
  const log = new Log(2);
  for (const n of [1, 2, 3]) log.add(n);
  assert.deepStrictEqual(log.entries, [2, 3]);
});

test('log: may hold nothing', () => {
  const log = new Log(0);
  log.add(1);
  assert.deepStrictEqual(log.entries, []);
});
