import test from 'node:test';
import assert from 'node:assert/strict';
import { FilterError, FilterShelf, parse, print, select, tagsOf } from '../src/index.js';

const NOTES = [
  { id: 1, title: 'Tax form', tags: ['work'], due: 10 },
  { id: 2, title: 'Roses', tags: ['garden', 'home'], due: 25 },
  { id: 3, title: 'Sink', tags: ['home.kitchen', 'done'] },
  { id: 4, title: 'Invoice', tags: ['work', 'done'], due: 18 },
];
const ids = (text) => select(NOTES, text).map((note) => note.id);

test('a tag', () => assert.deepEqual(ids('work'), [1, 4]));
test('a tag finds its children', () => assert.deepEqual(ids('home'), [2, 3]));
test('an empty filter finds all', () => assert.deepEqual(ids(' '), [1, 2, 3, 4]));
test('and binds tighter than or', () => assert.deepEqual(ids('garden or work and done'), [2, 4]));
test('brackets', () => assert.deepEqual(ids('(garden or work) and done'), [4]));
test('not at the end', () => assert.deepEqual(ids('work and not done'), [1]));
test('not alone', () => assert.deepEqual(ids('NOT done'), [1, 2]));
test('not before a bracket', () => assert.deepEqual(ids('not (work or garden)'), [3]));
test('not at the start', () => assert.deepEqual(ids('not work and done'), [3]));
test('numbers', () => assert.deepEqual(ids('due < 20'), [1, 4]));
test('missing fields differ', () => assert.deepEqual(ids('due != 10'), [2, 3, 4]));
test('part of a title', () => assert.deepEqual(ids('title ~ "tax f"'), [1]));

test('errors tell the place', () => {
  assert.throws(() => parse('work and'), (error) => error instanceof FilterError && error.position === 8);
  assert.throws(() => parse('(work'), /closing bracket/);
  assert.throws(() => parse('title = "x'), /quote is not closed/);
});

test('printing drops needless brackets', () => {
  assert.equal(print(parse('((a and b)) or (c)')), 'a and b or c');
  assert.equal(print(parse('(a or b) and c = "x y"')), '(a or b) and c = "x y"');
});

test('printing leaves a filter alone', () => {
  for (const text of ['not a and b', 'not (a and b)', 'a and not b']) {
    assert.equal(print(parse(text)), text);
  }
});

test('tags of a filter', () => assert.deepEqual(tagsOf(parse('a or not b and a')), ['a', 'b']));

test('shelf counts', () => {
  const shelf = new FilterShelf().save('open', 'not done').save('work', 'work');
  assert.deepEqual(shelf.counts(NOTES), { open: 2, work: 2 });
  assert.equal(shelf.text('open'), 'not done');
});
