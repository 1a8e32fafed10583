import test from 'node:test';
import assert from 'node:assert/strict';
import { Record } from '../src/record.js';
import { leaders, relegated, standing } from '../src/standing.js';
import { climbers, moves } from '../src/moves.js';
import { League, render } from '../src/table.js';

// One record for each letter; the digit is the number of draws.
const rows = (text) =>
  standing(
    text.split(' ').map(([team, draws]) => {
      const record = new Record(team);
      for (let i = 0; i < Number(draws); i += 1) record.add(0, 0);
      return record;
    }),
  );
const places = (text) => rows(text).map((row) => row.place);

test('held: no ties', () => assert.deepEqual(places('a4 b3 c2 d1'), [1, 2, 3, 4]));
test('held: tie at the top', () => assert.deepEqual(places('a4 b4 c2 d1'), [1, 1, 3, 4]));
test('held: tie at the bottom', () => assert.deepEqual(places('a4 b3 c2 d2'), [1, 2, 3, 3]));
test('held: three share a place', () => assert.deepEqual(places('a9 b4 c4 d4 e1 f0'), [1, 2, 2, 2, 5, 6]));
test('held: two ties', () => assert.deepEqual(places('a4 b4 c2 d2 e1'), [1, 1, 3, 3, 5]));
test('held: two ties with a gap', () => assert.deepEqual(places('a5 b4 c4 d3 e2 f2 g2 h1'), [1, 2, 2, 4, 5, 5, 5, 8]));
test('held: all equal', () => assert.deepEqual(places('a4 b4 c4'), [1, 1, 1]));
test('held: one team', () => assert.deepEqual(places('a0'), [1]));
test('held: order of the records does not matter', () => {
  assert.deepEqual(rows('d1 c4 b2 a4').map((row) => `${row.place}${row.record.team}`), ['1a', '1c', '3b', '4d']);
});

test('held: goals part teams with the same points', () => {
  const table = new League('1 A 2:1 B\n1 C 1:0 D\n1 E 3:2 F').table();
  assert.deepEqual(table.map((row) => `${row.place}${row.record.team}`), ['1E', '2A', '3C', '4F', '5B', '6D']);
});

test('held: records are not reordered', () => {
  const records = [new Record('b'), new Record('a')];
  standing(records);
  assert.deepEqual(records.map((record) => record.team), ['b', 'a']);
});

test('held: leaders with ties', () => {
  assert.deepEqual(leaders(rows('a4 b4 c2 d1'), 2), ['a', 'b']);
  assert.deepEqual(leaders(rows('a4 b3 c3 d1'), 2), ['a', 'b', 'c']);
  assert.deepEqual(leaders(rows('a4 b4 c4 d1'), 3), ['a', 'b', 'c']);
});

test('held: relegated with ties', () => {
  assert.deepEqual(relegated(rows('a4 b4 c2 d1'), 1), ['d']);
  assert.deepEqual(relegated(rows('a4 b4 c2 d1'), 2), ['c', 'd']);
  assert.deepEqual(relegated(rows('a4 b3 c1 d1'), 1), []);
});

test('held: changes with ties', () => {
  const list = moves(rows('a3 b3 c3 d1'), rows('d9 b4 c3 a3'));
  assert.deepEqual(list.map(({ team, change }) => `${team}${change}`), ['d3', 'b-1', 'a-2', 'c-2']);
  assert.deepEqual(climbers(list), ['d']);
});

test('held: places in print', () => {
  const lines = render(rows('a4 b4 c2 d2 e1')).split('\n').slice(1);
  assert.deepEqual(lines.map((line) => line.slice(0, 4)), ['1. a', '   b', '3. c', '   d', '5. e']);
});
