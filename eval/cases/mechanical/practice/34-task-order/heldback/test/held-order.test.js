import test from 'node:test';
import assert from 'node:assert';
import { parseTasks } from '../lib/taskfile.js';
import { order } from '../lib/order.js';
import { earliest, schedule } from '../lib/plan.js';
import { CycleError, UnknownTaskError } from '../lib/errors.js';

function make(list) {
  return parseTasks(list.map(([n, needs]) => `${n}: ${needs.join(' ')}`).join('\n'));
}

function check(tasks, goals) {
  const got = order(tasks, goals);
  assert.strictEqual(new Set(got).size, got.length, 'a task twice');
  const want = new Set();
  const add = (n) => { if (!want.has(n)) { want.add(n); tasks.get(n).needs.forEach(add); } };
  (goals || [...tasks.keys()]).forEach(add);
  assert.deepStrictEqual([...got].sort(), [...want].sort());
  for (const n of got) for (const d of tasks.get(n).needs) assert.ok(got.indexOf(d) < got.indexOf(n), `${d} before ${n}`);
  return got;
}

test('held: random graphs without cycles', () => {
  let seed = 3;
  const next = (n) => { seed = (seed * 1103515245 + 12345) % 2147483648; return Math.floor(seed / 7) % n; };
  for (let round = 0; round < 200; round++) {
    const size = 1 + next(9);
    const list = [];
    for (let i = 0; i < size; i++) {
      const needs = [];
      for (let j = 0; j < i; j++) if (next(3) === 0) needs.push('t' + j);
      list.push(['t' + i, needs]);
    }
    if (round % 2) list.reverse();
    check(make(list));
    check(make(list), ['t' + (size - 1)]);
    check(make(list), ['t' + next(size), 't' + next(size), 't' + next(size)]);
  }
});

test('held: random graphs with one cycle', () => {
  for (let size = 1; size < 8; size++) {
    const list = [];
    for (let i = 0; i < size; i++) list.push(['c' + i, ['c' + ((i + 1) % size), 'leaf']]);
    list.push(['leaf', []], ['top', ['leaf', 'c' + (size - 1)]]);
    assert.throws(() => order(make(list)), CycleError);
    assert.throws(() => order(make(list), ['top']), (err) => {
      assert.ok(err instanceof CycleError);
      assert.strictEqual(err.path.length, size + 1);
      assert.strictEqual(err.path[0], err.path.at(-1));
      assert.ok(!err.path.includes('leaf') && !err.path.includes('top'));
      return true;
    });
  }
});

test('held: path of a cycle behind finished branches', () => {
  const tasks = make([['top', ['x', 'y']], ['x', ['z']], ['z', []], ['y', ['q']], ['q', ['z', 'y']]]);
  assert.throws(() => order(tasks, ['top']), (err) => {
    assert.deepStrictEqual(err.path, ['y', 'q', 'y']);
    return true;
  });
});

test('held: a cycle below a shared task', () => {
  const tasks = make([['a', ['s']], ['b', ['s', 'c']], ['c', ['b']], ['s', []]]);
  assert.deepStrictEqual(order(tasks, ['a']), ['s', 'a']);
  assert.throws(() => order(tasks), { path: ['b', 'c', 'b'] });
});

test('held: the same goal twice', () => {
  const tasks = make([['a', ['b']], ['b', []]]);
  assert.deepStrictEqual(order(tasks, ['a', 'a', 'b']), ['b', 'a']);
});

test('held: needs listed after and before', () => {
  assert.deepStrictEqual(order(make([['a', []], ['b', ['a']], ['c', ['a', 'b']]])), ['a', 'b', 'c']);
  assert.deepStrictEqual(order(make([['c', ['a', 'b']], ['b', ['a']], ['a', []]])), ['a', 'b', 'c']);
});

test('held: three levels of diamonds', () => {
  const list = [['d0', []]];
  for (let i = 1; i <= 3; i++) list.push([`l${i}`, [`d${i - 1}`]], [`r${i}`, [`d${i - 1}`]], [`d${i}`, [`l${i}`, `r${i}`]]);
  assert.deepStrictEqual(check(make(list), ['d3']), ['d0', 'l1', 'r1', 'd1', 'l2', 'r2', 'd2', 'l3', 'r3', 'd3']);
});

test('held: unknown task behind a finished branch', () => {
  assert.throws(() => order(make([['a', ['b', 'ghost']], ['b', []]])), (err) => err instanceof UnknownTaskError && /wanted by a/.test(err.message));
});

test('held: a goal that was a need of an earlier goal', () => {
  const tasks = make([['x', ['y']], ['y', ['z']], ['z', []]]);
  assert.deepStrictEqual(order(tasks), ['z', 'y', 'x']);
  assert.deepStrictEqual(order(tasks, ['y', 'x', 'z']), ['z', 'y', 'x']);
});

test('held: times over shared needs', () => {
  const tasks = parseTasks('a: @ 2\nb: a @ 3\nc: a @ 4\nd: b c @ 1');
  const times = earliest(tasks);
  assert.deepStrictEqual([...times].map(([n, t]) => n + t.start + '-' + t.end), ['a0-2', 'b2-5', 'c2-6', 'd6-7']);
  assert.strictEqual(schedule(tasks, 2).length, 4);
});

test('held: finished branches inside of a cycle are not in its path', () => {
  const tasks = make([['y', ['w', 'q']], ['w', ['v']], ['v', []], ['q', ['v', 'y']]]);
  assert.throws(() => order(tasks, ['y']), (err) => {
    assert.deepStrictEqual(err.path, ['y', 'q', 'y']);
    return true;
  });
  for (let size = 1; size < 8; size++) {
    const list = [['leaf', []]];
    const names = [];
    for (let i = 0; i < size; i++) {
      names.push('c' + i);
      list.push(['c' + i, ['own' + i, 'leaf', 'c' + ((i + 1) % size)]], ['own' + i, []]);
    }
    assert.throws(() => order(make(list), ['c0']), (err) => {
      assert.deepStrictEqual(err.path, [...names, 'c0']);
      return true;
    });
  }
});
