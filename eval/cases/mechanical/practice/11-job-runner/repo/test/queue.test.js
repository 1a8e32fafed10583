'use strict';

const test = require('node:test');
const assert = require('node:assert');
const { NoHandler, Queue } = require('../src');

function recorder() {
  const sleep = async (ms) => { sleep.waits.push(ms); };
  sleep.waits = [];
  return sleep;
}

test('runs jobs in order', async () => {
  const seen = [];
  const queue = new Queue().handle('note', (data) => { seen.push(data); });
  queue.add('note', 1);
  queue.add('note', 2);
  await queue.drain();
  assert.deepStrictEqual(seen, [1, 2]);
});

test('urgent jobs first', async () => {
  const seen = [];
  const queue = new Queue().handle('note', (data) => { seen.push(data); });
  queue.add('note', 'low', { priority: -1 });
  queue.add('note', 'normal');
  queue.add('note', 'high', { priority: 9 });
  await queue.drain();
  assert.deepStrictEqual(seen, ['high', 'normal', 'low']);
});

test('keeps the result', async () => {
  const queue = new Queue().handle('sum', ({ a, b }) => a + b);
  const job = queue.add('sum', { a: 2, b: 3 });
  await queue.drain();
  assert.strictEqual(job.state, 'done');
  assert.strictEqual(queue.lookup(job.id).result, 5);
});

test('tries again with growing pauses', async () => {
  const sleep = recorder();
  const queue = new Queue({ attempts: 4 }, { sleep }).handle('flaky', (_, job) => {
    if (job.tries < 4) throw new Error('not yet');
  });
  const job = queue.add('flaky');
  await queue.drain();
  assert.strictEqual(job.state, 'done');
  assert.deepStrictEqual(sleep.waits, [100, 200, 400]);
});

test('gives up', async () => {
  const queue = new Queue({ backoff: 1 }).handle('bad', () => { throw new Error('never'); });
  const job = queue.add('bad', null, { attempts: 2 });
  await queue.drain();
  assert.strictEqual(job.state, 'failed');
  assert.strictEqual(job.tries, 2);
  assert.strictEqual(job.error.message, 'never');
});

test('no pauses without backoff', async () => {
  const sleep = recorder();
  const queue = new Queue({ backoff: 0 }, { sleep }).handle('bad', () => { throw new Error('never'); });
  queue.add('bad');
  await queue.drain();
  assert.deepStrictEqual(sleep.waits, []);
});

test('never more at a time than allowed', async () => {
  let running = 0;
  let most = 0;
  const queue = new Queue({ concurrency: 2 }).handle('slow', async () => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setTimeout(resolve, 2));
    running -= 1;
  });
  for (let i = 0; i < 5; i += 1) queue.add('slow');
  await queue.drain();
  assert.strictEqual(most, 2);
});

test('forgets old jobs', async () => {
  const queue = new Queue({ keep: 2 }).handle('note', () => {});
  const jobs = [1, 2, 3].map((n) => queue.add('note', n));
  await queue.drain();
  assert.strictEqual(queue.lookup(jobs[0].id), undefined);
  assert.strictEqual(queue.lookup(jobs[2].id), jobs[2]);
});

test('a type without handler is refused', () => {
  assert.throws(() => new Queue().add('mail'), NoHandler);
});
