import test from 'node:test';
import assert from 'node:assert/strict';
import { AllFailed, NotFound } from '../src/errors.js';
import { area, parentKey, parseKey } from '../src/key.js';
import { FunctionSource, MemorySource } from '../src/sources.js';
import { FallbackSource } from '../src/fallback.js';
import { CachedSource } from '../src/cached.js';
import { describeCache, describeFallback } from '../src/describe.js';
import { coverage, loadArea, loadNearest } from '../src/load.js';

const near = new MemorySource('near', { '1/0/0': 'n00', '1/1/0': 'n10' });

test('keys', () => {
  assert.deepEqual(parseKey('3/4/5'), { zoom: 3, x: 4, y: 5 });
  assert.throws(() => parseKey('1/2/0'), RangeError);
  assert.throws(() => parseKey('1/2'), TypeError);
});
test('parents', () => {
  assert.equal(parentKey('3/5/2'), '2/2/1');
  assert.equal(parentKey('0/0/0'), null);
});
test('area', () => assert.deepEqual(area(2, [1, 0], [2, 1]), ['2/1/0', '2/2/0', '2/1/1', '2/2/1']));

test('memory', async () => {
  assert.equal(await near.load('1/0/0'), 'n00');
  await assert.rejects(near.load('1/1/1'), NotFound);
});
test('function', async () => {
  const source = new FunctionSource('f', ({ x }) => (x === 0 ? 'tile' : undefined));
  assert.equal(await source.load('1/0/1'), 'tile');
  await assert.rejects(source.load('1/1/1'), NotFound);
  assert.deepEqual(source.asked, ['1/0/1', '1/1/1']);
});

test('first source is enough', async () => {
  const second = new FunctionSource('second', () => 'far');
  assert.equal(await new FallbackSource([near, second]).load('1/1/0'), 'n10');
  assert.deepEqual(second.asked, []);
});
test('second source has the tile', async () => {
  const fallback = new FallbackSource([near, new FunctionSource('far', () => 'far')]);
  assert.equal(await fallback.load('1/1/1'), 'far');
  assert.equal(fallback.served.get('far'), 1);
});
test('no source has the tile', async () => {
  await assert.rejects(new FallbackSource([near, near]).load('1/1/1'), NotFound);
});
test('fallback needs sources', () => assert.throws(() => new FallbackSource([]), TypeError));

test('all sources go wrong', async () => {
  const broken = new FunctionSource('broken', () => {
    throw new Error('line is down');
  });
  const fallback = new FallbackSource([broken, near]);
  await assert.rejects(fallback.load('1/1/1'), (error) => error instanceof AllFailed && /broken: line is down; near: no tile/.test(error.message));
});

test('cache', async () => {
  const source = new FunctionSource('f', ({ x }) => x);
  const cached = new CachedSource(source, { limit: 2 });
  for (const key of ['2/0/0', '2/1/0', '2/0/0', '2/2/0', '2/0/0', '2/1/0']) await cached.load(key);
  assert.deepEqual(source.asked, ['2/0/0', '2/1/0', '2/2/0', '2/1/0']);
  assert.equal(cached.hits, 2);
});
test('one question for two callers', async () => {
  const source = new FunctionSource('f', () => Promise.resolve('t'));
  const cached = new CachedSource(source);
  assert.deepEqual(await Promise.all([cached.load('0/0/0'), cached.load('0/0/0')]), ['t', 't']);
  assert.equal(source.asked.length, 1);
});
test('failures are not kept', async () => {
  let count = 0;
  const cached = new CachedSource(new FunctionSource('f', () => ((count += 1) === 1 ? undefined : 't')));
  await assert.rejects(cached.load('0/0/0'), NotFound);
  assert.equal(await cached.load('0/0/0'), 't');
});

test('an area with a hole', async () => assert.deepEqual(await loadArea(near, 1, [0, 0], [1, 1]), ['n00', 'n10', null, null]));
test('coverage', async () => assert.equal(await coverage(near, 1, [0, 0], [1, 1]), '##\n..'));
test('nearest tile', async () => {
  const source = new MemorySource('m', { '1/1/0': 'up' });
  assert.deepEqual(await loadNearest(source, '3/6/1'), { key: '1/1/0', tile: 'up' });
  await assert.rejects(loadNearest(source, '3/0/0'), NotFound);
});
test('status line', async () => {
  const fallback = new FallbackSource([near, new MemorySource('far')]);
  await fallback.load('1/0/0');
  assert.equal(describeFallback(fallback), 'near 1, far 0');
  assert.equal(describeCache(new CachedSource(near, { limit: 10 })), '0 tiles (0 %), 0 hits');
});
