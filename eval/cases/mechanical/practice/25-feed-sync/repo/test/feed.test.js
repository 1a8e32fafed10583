'use strict';
const test = require('node:test');
const assert = require('node:assert');
const { parseFeed, byDate } = require('../src/feed');
const { FeedStore } = require('../src/store');

test('parseFeed reads lines', () => {
  assert.deepStrictEqual(parseFeed('# x\n1\t2024-01-02\tHello you\n'), [
    { id: '1', date: '2024-01-02', title: 'Hello you' },
  ]);
});

test('parseFeed keeps the first of equal ids', () => {
  assert.strictEqual(parseFeed('1\ta\tone\n1\tb\ttwo')[0].title, 'one');
});

test('parseFeed rejects a short line', () => {
  assert.throws(() => parseFeed('1\t2024'), SyntaxError);
});

test('byDate puts the newest first', () => {
  const list = [{ id: 'b', date: '1' }, { id: 'c', date: '2' }, { id: 'a', date: '1' }];
  assert.deepStrictEqual(list.sort(byDate).map((e) => e.id), ['c', 'a', 'b']);
});

test('store counts new entries only', () => {
  const s = new FeedStore();
  assert.strictEqual(s.update('n', [{ id: 1 }, { id: 2 }], 5), 2);
  assert.strictEqual(s.update('n', [{ id: 2 }, { id: 3 }], 6), 1);
  assert.strictEqual(s.lastUpdate('n'), 6);
});

test('store knows nothing about a strange source', () => {
  const s = new FeedStore();
  assert.deepStrictEqual(s.entries('x'), []);
  assert.strictEqual(s.lastUpdate('x'), null);
});
