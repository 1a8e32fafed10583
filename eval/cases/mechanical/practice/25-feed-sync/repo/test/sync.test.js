'use strict';
const test = require('node:test');
const assert = require('node:assert');
const { syncAll, latest } = require('../src/sync');
const { FeedStore } = require('../src/store');
const { TransientError } = require('../src/errors');

const options = { sleep: async () => {}, now: () => 1000 };

test('sync stores entries', async () => {
  const store = new FeedStore();
  const res = await syncAll([{ name: 'a', url: 'u' }], store, async () => '1\t2024\tX', options);
  assert.strictEqual(res.added, 1);
  assert.strictEqual(store.lastUpdate('a'), 1000);
});

test('a bad source does not stop the others', async () => {
  const store = new FeedStore();
  const res = await syncAll([{ name: 'a', url: 'a' }, { name: 'b', url: 'b' }], store, async (url) => {
    if (url === 'a') throw new Error('404');
    return '1\t2024\tX';
  }, options);
  assert.deepStrictEqual(res.failed, ['a']);
  assert.strictEqual(res.report[0].error, '404');
  assert.strictEqual(res.added, 1);
});

test('a shaky source is fetched again', async () => {
  const store = new FeedStore();
  const res = await syncAll([{ name: 'a', url: 'a' }], store, async (url, attempt) => {
    if (attempt === 1) throw new TransientError('reset');
    return '1\t2024\tX';
  }, options);
  assert.deepStrictEqual(res.failed, []);
  assert.strictEqual(store.entries('a').length, 1);
});

test('latest mixes the sources', () => {
  const store = new FeedStore();
  store.update('a', [{ id: '1', date: '2024-01-01' }], 1);
  store.update('b', [{ id: '2', date: '2024-03-01' }, { id: '3', date: '2024-02-01' }], 1);
  assert.deepStrictEqual(latest(store, 2).map((e) => e.source + e.id), ['b2', 'b3']);
});
