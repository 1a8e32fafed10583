import test from 'node:test';
import assert from 'node:assert';
import { parseTasks } from '../lib/taskfile.js';
import { order } from '../lib/order.js';
import { CycleError, UnknownTaskError } from '../lib/errors.js';

test('a chain from its end', () => {
  assert.deepStrictEqual(order(parseTasks('c: b\nb: a\na:'), ['c']), ['a', 'b', 'c']);
});

test('a single goal leaves the rest out', () => {
  assert.deepStrictEqual(order(parseTasks('a:\nb: a\nz:'), ['b']), ['a', 'b']);
});

test('independent tasks stay in their order', () => {
  assert.deepStrictEqual(order(parseTasks('b:\na:\nc:')), ['b', 'a', 'c']);
});

test('a cycle is found', () => {
  assert.throws(() => order(parseTasks('a: b\nb: c\nc: a')), CycleError);
});

test('a task which needs itself', () => {
  assert.throws(() => order(parseTasks('a: a')), /a -> a/);
});

test('the path of a cycle begins inside of it', () => {
  assert.throws(() => order(parseTasks('start: a\na: b\nb: a'), ['start']), (err) => {
    assert.deepStrictEqual(err.path, ['a', 'b', 'a']);
    return true;
  });
});

test('an unknown task', () => {
  assert.throws(() => order(parseTasks('a: ghost')), /unknown task ghost, wanted by a/);
  assert.throws(() => order(parseTasks('a:'), ['b']), UnknownTaskError);
});

test('no tasks', () => {
  assert.deepStrictEqual(order(new Map()), []);
});

test('a task needed by two others', () => {
  const tasks = parseTasks('app: ui server\nui: shared\nserver: shared\nshared:');
  assert.deepStrictEqual(order(tasks), ['shared', 'ui', 'server', 'app']);
});
