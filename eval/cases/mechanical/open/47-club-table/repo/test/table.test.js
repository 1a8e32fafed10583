import test from 'node:test';
import assert from 'node:assert/strict';
import { parseResults, rounds } from '../src/results.js';
import { Record, collect } from '../src/record.js';
import { leaders, relegated, standing } from '../src/standing.js';
import { clearest, form, goalsByRound, unbeaten } from '../src/stats.js';
import { arrow, climbers } from '../src/moves.js';
import { League, render } from '../src/table.js';

const TEXT = `
# spring
1 Reds 2:1 Blues
1 Greens 0:0 Blacks
2 Blues 3:0 Greens
2 Blacks 1:1 Reds
`;
const places = (rows) => rows.map((row) => `${row.place} ${row.record.team}`);

test('results are read', () => {
  assert.deepEqual(parseResults('3 Old Town 10:0 B')[0], { round: 3, home: 'Old Town', guest: 'B', goals: [10, 0] });
});
test('bad results', () => {
  assert.throws(() => parseResults('1 A 1-0 B'), /line 1: not a result/);
  assert.throws(() => parseResults('1 A 1:0 A'), /against itself/);
  assert.throws(() => parseResults('1 A 1:0 B\n1 B 1:0 C'), /line 2: B played twice/);
});
test('rounds', () => assert.deepEqual(rounds(parseResults('10 A 1:0 B\n9 A 1:0 B\n10 C 1:0 D')), [9, 10]));
test('a record', () => {
  const record = new Record('A');
  record.add(2, 0);
  record.add(1, 1);
  record.add(0, 1);
  assert.deepEqual([record.played, record.points, record.difference], [3, 4, 1]);
});
test('penalties', () => {
  const [record] = collect([], { teams: ['A'], penalties: { A: 2 } });
  assert.equal(record.points, -2);
});
test('a table', () => {
  assert.deepEqual(places(new League(TEXT).table()), ['1 Reds', '2 Blues', '3 Blacks', '4 Greens']);
});
test('no teams', () => assert.deepEqual(standing([]), []));
test('all teams are equal before the first match', () => {
  const league = new League('', { teams: ['C', 'A', 'B'] });
  assert.deepEqual(places(league.table()), ['1 A', '1 B', '1 C']);
});
test('a shared place at the end', () => {
  const league = new League('1 A 2:0 B\n1 C 0:0 D');
  assert.deepEqual(places(league.table()), ['1 A', '2 C', '2 D', '4 B']);
});
test('a shared place is printed once', () => {
  const lines = render(new League('1 A 1:1 B').table()).split('\n');
  assert.deepEqual(lines, ['   team pl w d l goals pts', '1. A     1 0 1 0   1:1   1', '   B     1 0 1 0   1:1   1']);
});
test('changes', () => {
  assert.equal(new League(TEXT).summary(2), '1 Reds (=), 2 Blues (+2), 3 Blacks (-1), 4 Greens (-2)');
});
test('first round has no changes', () => assert.match(new League(TEXT).summary(1), /^1 Reds \(\*\)/));
test('arrows', () => assert.deepEqual([2, -1, 0, null].map(arrow), ['+2', '-1', '=', '*']));
test('climbers', () => assert.deepEqual(climbers(new League(TEXT).changes(2)), ['Blues']));
test('leaders', () => assert.deepEqual(leaders(new League(TEXT).table(), 2), ['Reds', 'Blues']));
test('relegated', () => assert.deepEqual(relegated(new League(TEXT).table(), 1), ['Greens']));
test('form', () => {
  const { matches } = new League(TEXT);
  assert.equal(form(matches, 'Blues'), 'LW');
  assert.equal(unbeaten(matches, 'Reds'), 2);
});
test('goals', () => {
  const { matches } = new League(TEXT);
  assert.deepEqual(goalsByRound(matches), { 1: 3, 2: 5 });
  assert.deepEqual(clearest(matches).map((match) => match.home), ['Blues']);
});
