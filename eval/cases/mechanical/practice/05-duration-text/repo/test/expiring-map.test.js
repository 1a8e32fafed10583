'use strict';

const test = require('node:test');
const assert = require('node:assert');
const { ExpiringMap, readPolicy } = require('../lib');

function clock() {
  const now = () => now.time;
  now.time = 1000;
  return now;
}

test('map: entries expire', () => {
  const now = clock();
  const map = new ExpiringMap('10s', now).set('a', 1);
  now.time += 9999;
  assert.strictEqual(map.get('a'), 1);
  now.time += 1;
  assert.strictEqual(map.get('a'), undefined);
});

test('map: own lifetime of an entry', () => {
  const now = clock();
  const map = new ExpiringMap('1h', now).set('a', 1, '2s').set('b', 2);
  now.time += 2000;
  assert.strictEqual(map.get('a'), undefined);
  assert.strictEqual(map.get('b'), 2);
});

test('map: sweep counts what it removes', () => {
  const now = clock();
  const map = new ExpiringMap('5m', now).set('a', 1).set('b', 2, '1h');
  now.time += 300000;
  assert.strictEqual(map.sweep(), 1);
  assert.strictEqual(map.entries.size, 1);
});

test('policy: timeout', () => {
  assert.deepStrictEqual(readPolicy('timeout=30s'), { timeout: 30000, retry: [] });
});

test('policy: retries', () => {
  assert.deepStrictEqual(readPolicy('timeout=1m retry=100ms,1s,10s'), {
    timeout: 60000,
    retry: [100, 1000, 10000],
  });
});

test('policy: unknown word', () => {
  assert.throws(() => readPolicy('speed=fast'), RangeError);
});
