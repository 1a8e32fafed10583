import test from 'node:test';
import assert from 'node:assert';
import { parseTasks } from '../lib/taskfile.js';
import { affected, dependents, leaves, toDot } from '../lib/graph.js';

const CHAIN = parseTasks('a: @ 3\nb: a @ 2\nc: b\nx: @ 4\n');

test('parse names, needs and minutes', () => {
  const tasks = parseTasks('# all\nbuild: compile assets @ 12\ncompile:\n');
  assert.deepStrictEqual(tasks.get('build'), { name: 'build', needs: ['compile', 'assets'], minutes: 12 });
  assert.deepStrictEqual(tasks.get('compile'), { name: 'compile', needs: [], minutes: 1 });
});

test('a need counts once', () => {
  assert.deepStrictEqual(parseTasks('a: b b').get('a').needs, ['b']);
});

test('bad lines are refused', () => {
  assert.throws(() => parseTasks('a:\nbuild compile'), /line 2/);
  assert.throws(() => parseTasks('a: b @ soon'), /line 1/);
});

test('a task cannot be there twice', () => {
  assert.throws(() => parseTasks('a:\na:'), /line 2: task a/);
});

test('dependents', () => {
  assert.deepStrictEqual(dependents(CHAIN, 'a'), ['b']);
  assert.deepStrictEqual(dependents(CHAIN, 'c'), []);
});

test('affected', () => {
  assert.deepStrictEqual(affected(CHAIN, ['a']), ['a', 'b', 'c']);
});

test('affected follows circles once', () => {
  assert.deepStrictEqual(affected(parseTasks('a: b\nb: a'), ['a']), ['a', 'b']);
});

test('leaves', () => {
  assert.deepStrictEqual(leaves(CHAIN), ['a', 'x']);
});

test('dot output', () => {
  assert.strictEqual(toDot(parseTasks('a:\nb: a')), 'digraph tasks {\n  "a";\n  "a" -> "b";\n}');
});
