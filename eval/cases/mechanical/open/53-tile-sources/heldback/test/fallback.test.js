import test from 'node:test';
import assert from 'node:assert/strict';
import { AllFailed, NotFound } from '../src/errors.js';
import { FunctionSource, MemorySource } from '../src/sources.js';
import { FallbackSource } from '../src/fallback.js';
import { CachedSource } from '../src/cached.js';
import { loadArea, loadNearest } from '../src/load.js';

const KEY = '1/0/0';
const good = (name) => new FunctionSource(name, () => name);
const empty = (name) => new FunctionSource(name, () => undefined);
const late = (name) => new FunctionSource(name, () => Promise.reject(new Error(`${name} failed`)));
const early = (name) => ({
  name,
  load() {
    throw new Error(`${name} failed at once`);
  },
});

test('held: any kind of failure leads on', async () => {
  for (const first of [empty('x'), late('x'), early('x')]) {
    const fallback = new FallbackSource([first, good('b')]);
    assert.equal(await fallback.load(KEY), 'b');
  }
});

test('held: two failures lead on to the third source', async () => {
  const last = good('c');
  assert.equal(await new FallbackSource([late('a'), empty('b'), last, good('d')]).load(KEY), 'c');
  assert.deepEqual(last.asked, [KEY]);
});

test('held: causes by name', async () => {
  const fallback = new FallbackSource([late('a'), empty('b'), early('c')]);
  const error = await fallback.load(KEY).catch((each) => each);
  assert.ok(error instanceof AllFailed);
  assert.deepEqual([...error.causes.keys()], ['a', 'b', 'c']);
  assert.equal(error.message, '1/0/0 could not be loaded (a: a failed; b: no tile 1/0/0; c: c failed at once)');
});

test('held: the missing tile is named', async () => {
  await assert.rejects(new FallbackSource([empty('a'), empty('b')]).load(KEY), { name: 'NotFound', key: KEY });
});

test('held: a source that goes wrong is left out', async () => {
  const bad = late('bad');
  const fallback = new FallbackSource([bad, good('b')], { patience: 2 });
  for (let i = 0; i < 4; i += 1) assert.equal(await fallback.load(KEY), 'b');
  assert.equal(bad.asked.length, 2);
  assert.deepEqual(fallback.suspended, ['bad']);
  fallback.reset();
  await fallback.load(KEY);
  assert.equal(bad.asked.length, 3);
});

test('held: missing tiles do not count against a source', async () => {
  const first = empty('first');
  const fallback = new FallbackSource([first, good('b')], { patience: 1 });
  for (let i = 0; i < 3; i += 1) await fallback.load(KEY);
  assert.equal(first.asked.length, 3);
  assert.deepEqual(fallback.suspended, []);
});

test('held: a success clears the strikes', async () => {
  const answers = ['x', 'x', 't', 'x', 'x', 't'];
  const shaky = new FunctionSource('shaky', async () => {
    const answer = answers.shift();
    if (answer === 'x') throw new Error('shaky');
    return answer;
  });
  const fallback = new FallbackSource([shaky, good('b')]);
  const seen = [];
  for (let i = 0; i < 6; i += 1) seen.push(await fallback.load(KEY));
  assert.deepEqual(seen, ['b', 'b', 't', 'b', 'b', 't']);
  assert.deepEqual(fallback.suspended, []);
});

test('held: only served tiles are counted', async () => {
  const fallback = new FallbackSource([new MemorySource('m', { [KEY]: 1 }), late('x'), good('b')]);
  await fallback.load(KEY);
  await fallback.load('1/1/1');
  await fallback.load(KEY);
  assert.deepEqual([...fallback.served], [['m', 2], ['b', 1]]);
});

test('held: all left out', async () => {
  const fallback = new FallbackSource([late('a')], { patience: 1 });
  await assert.rejects(fallback.load(KEY), /a failed/);
  await assert.rejects(fallback.load(KEY), (error) => error instanceof AllFailed && error.causes.size === 0);
});

test('held: falsy tiles are tiles', async () => {
  for (const tile of [0, '', null, false]) {
    const second = good('b');
    const fallback = new FallbackSource([new FunctionSource('a', () => tile), second]);
    assert.equal(await fallback.load(KEY), tile);
    assert.deepEqual(second.asked, []);
  }
});

test('held: sources are asked one after the other', async () => {
  const log = [];
  const slow = (name, fails) =>
    new FunctionSource(name, async () => {
      log.push(`${name} in`);
      await null;
      await null;
      log.push(`${name} out`);
      if (fails) throw new Error(name);
      return name;
    });
  assert.equal(await new FallbackSource([slow('a', true), slow('b', false), slow('c', false)]).load(KEY), 'b');
  assert.deepEqual(log, ['a in', 'a out', 'b in', 'b out']);
});

test('held: fallbacks in fallbacks and caches', async () => {
  const inner = new FallbackSource([empty('a'), late('b')], { name: 'inner' });
  const cached = new CachedSource(new FallbackSource([inner, good('c')]));
  assert.deepEqual(await loadArea(cached, 1, [0, 0], [1, 1]), ['c', 'c', 'c', 'c']);
  assert.deepEqual(await loadNearest(cached, '1/1/0'), { key: '1/1/0', tile: 'c' });
  assert.equal(cached.hits, 1);
});

test('held: loading an area stops at real failures', async () => {
  await assert.rejects(loadArea(new FallbackSource([late('a')]), 1, [0, 0], [1, 0]), AllFailed);
  assert.deepEqual(await loadArea(new FallbackSource([empty('a')]), 1, [0, 0], [1, 0]), [null, null]);
  await assert.rejects(new FallbackSource([empty('a')]).load(KEY), NotFound);
});
