'use strict';
const test = require('node:test');
const assert = require('node:assert');
const { retry } = require('../src/retry');
const { TransientError, GaveUpError } = require('../src/errors');
const { syncAll } = require('../src/sync');
const { FeedStore } = require('../src/store');

const later = (fn) => new Promise((res, rej) => setImmediate(() => { try { res(fn()); } catch (e) { rej(e); } }));

for (const fails of [0, 1, 2, 3]) {
  test(`held: ${fails} rejections, then a result`, async () => {
    const slept = [];
    let calls = 0;
    const v = await retry((n) => later(() => {
      calls++;
      if (n <= fails) throw new TransientError('busy');
      return n;
    }), { sleep: async (ms) => { slept.push(ms); } });
    assert.strictEqual(v, fails + 1);
    assert.strictEqual(calls, fails + 1);
    assert.deepStrictEqual(slept, [100, 200, 400].slice(0, fails));
  });
}

test('held: gives up with the cause', async () => {
  let calls = 0;
  const err = await retry(async () => { calls++; throw new TransientError(`no ${calls}`); }, { count: 2, sleep: async () => {} })
    .then(() => null, (e) => e);
  assert.ok(err instanceof GaveUpError);
  assert.strictEqual(err.attempts, 3);
  assert.strictEqual(err.cause.message, 'no 3');
  assert.strictEqual(calls, 3);
});

test('held: gives up at once without repetitions', async () => {
  await assert.rejects(retry(async () => { throw new TransientError('x'); }, { count: 0 }), GaveUpError);
});

test('held: onRetry sees every rejected attempt', async () => {
  const seen = [];
  await retry(async (n) => { if (n < 3) throw Object.assign(new Error('t' + n), { code: 'ETIMEDOUT' }); },
    { sleep: async () => {}, onRetry: (n, e) => seen.push([n, e.message]) });
  assert.deepStrictEqual(seen, [[1, 't1'], [2, 't2']]);
});

test('held: a permanent error after a transient one stops', async () => {
  let calls = 0;
  await assert.rejects(retry(async (n) => {
    calls++;
    if (n === 1) throw new TransientError('x');
    throw new RangeError('stop');
  }, { sleep: async () => {} }), RangeError);
  assert.strictEqual(calls, 2);
});

test('held: undefined and other falsy results count as results', async () => {
  for (const value of [undefined, null, 0, '', false]) {
    let calls = 0;
    assert.strictEqual(await retry(async () => { calls++; return value; }, { sleep: async () => {} }), value);
    assert.strictEqual(calls, 1);
  }
});

test('held: waits for the pause before the next attempt', async () => {
  const log = [];
  await retry(async (n) => { log.push('try' + n); if (n < 3) throw new TransientError('x'); },
    { sleep: async (ms) => { await new Promise((r) => setTimeout(r, 3)); log.push('slept' + ms); } });
  assert.deepStrictEqual(log, ['try1', 'slept100', 'try2', 'slept200', 'try3']);
});

test('held: thenables are awaited too', async () => {
  const v = await retry((n) => ({ then(res, rej) { n < 2 ? rej(new TransientError('x')) : res('ok'); } }), { sleep: async () => {} });
  assert.strictEqual(v, 'ok');
});

test('held: sync reports that it gave up', async () => {
  const res = await syncAll([{ name: 'a', url: 'a' }, { name: 'b', url: 'b' }], new FeedStore(), async (url, n) => {
    if (url === 'a' || n < 3) throw new TransientError('reset');
    return '1\t2024\tX';
  }, { sleep: async () => {}, count: 2 });
  assert.deepStrictEqual(res.failed, ['a']);
  assert.strictEqual(res.report[0].error, 'gave up after 3 attempts: reset');
  assert.strictEqual(res.added, 1);
});
