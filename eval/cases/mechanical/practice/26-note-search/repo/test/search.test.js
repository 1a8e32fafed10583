'use strict';
const test = require('node:test');
const assert = require('node:assert');
const { search, SavedSearches } = require('../src/index');

const notes = [
  { id: 1, title: 'Plan', body: 'for next week', tags: ['work', 'plan'] },
  { id: 2, title: 'The "big" list', body: 'milk', tags: ['home'] },
  { id: 3, title: 'Plan B', body: 'none', tags: ['work', 'done'] },
];
const ids = (q) => search(notes, q).map((n) => n.id).join(' ');

test('search anywhere', () => {
  assert.strictEqual(ids('plan'), '1 3');
});

test('search by tag', () => {
  assert.strictEqual(ids('tag:work -tag:done'), '1');
});

test('exact titles', () => {
  assert.strictEqual(ids('title:"plan"'), '1');
});

test('or', () => {
  assert.strictEqual(ids('milk or "plan b"'), '2 3');
});

test('a title with quotation marks', () => {
  assert.strictEqual(ids('title:"the \\"big\\" list"'), '2');
});

test('saved searches', () => {
  const saved = new SavedSearches();
  saved.save('w', 'tag:work  AND plan');
  assert.strictEqual(saved.run('w', notes).length, 2);
  assert.deepStrictEqual(saved.export(), [{ name: 'w', query: 'tag:work plan' }]);
  assert.throws(() => saved.run('x', notes));
});
