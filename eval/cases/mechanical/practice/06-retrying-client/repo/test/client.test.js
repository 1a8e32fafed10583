'use strict';

const test = require('node:test');
const assert = require('node:assert');
const { Circuit, Client, HttpError, delays, retry } = require('../src');
const { buildUrl } = require('../src/http/url');
const { retryAfter } = require('../src/http/retry-after');
const { ok, script, sleeper, status } = require('./helpers');

function client(transport, sleep = sleeper(), options = {}) {
  return new Client({ baseUrl: 'https://api.test/v1/', transport, retries: { sleep }, now: () => 0, ...options });
}

test('backoff: doubles up to the maximum', () => {
  const waits = delays({ base: 100, max: 500 });
  assert.deepStrictEqual([1, 2, 3, 4].map(() => waits.next().value), [100, 200, 400, 500]);
});

test('retry: gives up after the last attempt', async () => {
  let calls = 0;
  const work = async () => {
    calls += 1;
    throw new Error(`no. ${calls}`);
  };
  await assert.rejects(retry(work, { attempts: 4, sleep: sleeper() }), /no\. 4/);
});

test('retry: no wait when the first attempt works', async () => {
  const sleep = sleeper();
  assert.strictEqual(await retry(async () => 'x', { sleep }), 'x');
  assert.deepStrictEqual(sleep.waits, []);
});

test('url: joins and encodes', () => {
  assert.strictEqual(buildUrl('https://a/', '/b', { q: 'x y', n: null, t: [1, 2] }), 'https://a/b?q=x+y&t=1&t=2');
});

test('retry-after: seconds, dates, nonsense', () => {
  assert.strictEqual(retryAfter({ 'retry-after': '3' }, 0), 3000);
  assert.strictEqual(retryAfter({ 'retry-after': 'Thu, 01 Jan 1970 00:00:05 GMT' }, 1000), 4000);
  assert.strictEqual(retryAfter({ 'retry-after': 'later' }, 0), null);
  assert.strictEqual(retryAfter({}, 0), null);
});

test('client: gets JSON', async () => {
  const transport = script(ok({ id: 1 }));
  assert.deepStrictEqual(await client(transport).get('users/1', { full: true }), { id: 1 });
  assert.strictEqual(transport.requests[0].url, 'https://api.test/v1/users/1?full=true');
});

test('client: an error status is an HttpError', async () => {
  const transport = script(status(404));
  await assert.rejects(client(transport).get('users/9'), (error) => {
    assert.ok(error instanceof HttpError);
    assert.strictEqual(error.status, 404);
    return true;
  });
  assert.strictEqual(transport.requests.length, 1);
});

test('client: retries a transient failure', async () => {
  const sleep = sleeper();
  const transport = script(status(503), new Error('reset'), ok('fine'));
  assert.strictEqual(await client(transport, sleep).get('ping'), 'fine');
  assert.deepStrictEqual(sleep.waits, [100, 200]);
});

test('client: obeys Retry-After', async () => {
  const sleep = sleeper();
  const transport = script(status(429, { 'retry-after': '2' }), ok('fine'));
  assert.strictEqual(await client(transport, sleep).post('jobs', { a: 1 }), 'fine');
  assert.deepStrictEqual(sleep.waits, [2000]);
});

test('client: a POST is not repeated by itself', async () => {
  const transport = script(status(503), ok('fine'));
  await assert.rejects(client(transport).post('jobs', { a: 1 }), HttpError);
  assert.strictEqual(transport.requests.length, 1);
});

test('client: an open circuit ends the attempts', async () => {
  const transport = script(status(500));
  const shut = client(transport, sleeper(), { circuit: new Circuit({ failures: 2 }) });
  await assert.rejects(shut.get('ping'), /circuit is open/);
  assert.strictEqual(transport.requests.length, 2);
});
