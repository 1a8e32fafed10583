import test from 'node:test';
import assert from 'node:assert';
import { parseTasks } from '../lib/taskfile.js';
import { critical, earliest, schedule } from '../lib/plan.js';
import { gantt, summary } from '../lib/report.js';

test('earliest times of a chain', () => {
  const times = earliest(parseTasks('a: @ 3\nb: a @ 2'), ['b']);
  assert.deepStrictEqual(times.get('b'), { start: 3, end: 5 });
});

test('the longest need decides', () => {
  const times = earliest(parseTasks('c: a b @ 1\na: @ 3\nb: @ 7'), ['c']);
  assert.strictEqual(times.get('c').start, 7);
});

test('critical chain', () => {
  const tasks = parseTasks('c: a b @ 1\na: @ 3\nb: @ 7');
  assert.deepStrictEqual(critical(tasks, ['c']), { minutes: 8, chain: ['b', 'c'] });
});

test('critical of nothing', () => {
  assert.deepStrictEqual(critical(new Map()), { minutes: 0, chain: [] });
});

test('one worker does one task after the other', () => {
  const rows = schedule(parseTasks('a: @ 3\nb: @ 2'), 1);
  assert.deepStrictEqual(rows.map((r) => [r.task, r.start]), [['a', 0], ['b', 3]]);
});

test('a worker is needed', () => {
  assert.throws(() => schedule(new Map(), 0), /worker/);
});

test('gantt of two workers', () => {
  assert.strictEqual(gantt(parseTasks('a: @ 3\nb: @ 2\nc: @ 2'), 2), '1: a 0-3\n2: b 0-2, c 2-4');
});

test('summary over a shared need', () => {
  const tasks = parseTasks('all: left right\nleft: base @ 5\nright: base @ 9\nbase: @ 2');
  assert.strictEqual(summary(tasks, ['all']), '12 min: base > right > all');
});
