'use strict';

const test = require('node:test');
const assert = require('node:assert/strict');
const { Store, render, renderAll } = require('../src/index.js');

test('held: same file three times in a row', () => {
  const store = new Store({ page: '{{> a }}{{> a }}{{> a }}', a: 'x' });
  assert.equal(render(store, 'page'), 'xxx');
});

test('held: same file with other settings', () => {
  const store = new Store({ page: '{{> a t=x }}{{> a t=y }}{{> a }}', a: '[{{ t }}]' });
  assert.equal(render(store, 'page', { x: 1, y: 2, t: 0 }), '[1][2][0]');
});

test('held: shared files at several depths', () => {
  const store = new Store({ page: '{{> a }}{{> b }}{{> c }}', a: 'a{{> b }}{{> c }}', b: 'b{{> c }}', c: 'c' });
  assert.equal(render(store, 'page'), 'abccbcc');
});

test('held: shared partial of many pages', () => {
  const store = new Store({ one: '{{> _f }}1', two: '{{> _f }}2', _f: '{{> _l }}', _l: '*' });
  assert.deepEqual(renderAll(store), { one: '*1', two: '*2' });
});

test('held: pages that include pages', () => {
  const store = new Store({ one: '1', two: '{{> one }}2', three: '{{> two }}{{> one }}3' });
  assert.deepEqual(renderAll(store), { one: '1', two: '12', three: '1213' });
});

test('held: nested loops with the same file', () => {
  const store = new Store({
    page: '{{#each rows as row}}{{> row }};{{/each}}',
    row: '{{#each row as cell}}{{> cell }}{{/each}}',
    cell: '({{ cell }})',
  });
  assert.equal(render(store, 'page', { rows: [[1, 2], [3]] }), '(1)(2);(3);');
});

test('held: a ring is found after a file was used twice', () => {
  const store = new Store({ page: '{{> a }}{{> a }}{{> b }}', a: 'x', b: '{{> a }}{{> c }}', c: '{{> b }}' });
  assert.throws(() => render(store, 'page'), { message: 'includes itself: page > b > c > b' });
});

test('held: the chain has no finished files', () => {
  const store = new Store({ page: '{{> a }}{{> b }}', a: '', b: '{{> page }}' });
  assert.throws(() => render(store, 'page'), { message: 'includes itself: page > b > page' });
});

test('held: longer rings', () => {
  const store = new Store({ p: '{{> a }}', a: '{{> b }}', b: '{{> c }}', c: '{{> d }}', d: '{{> b }}' });
  assert.throws(() => render(store, 'p'), { message: 'includes itself: p > a > b > c > d > b' });
});

test('held: a ring in a loop', () => {
  const store = new Store({ p: '{{#each l as x}}{{> q }}{{/each}}', q: '{{#if l}}{{> p }}{{/if}}' });
  assert.throws(() => render(store, 'p', { l: [1, 2] }), { name: 'TemplateError', message: 'includes itself: p > q > p' });
  assert.equal(render(store, 'p', { l: [] }), '');
});

test('held: a ring that is not taken is no ring', () => {
  const store = new Store({ p: 'p{{#if again}}{{> p }}{{/if}}' });
  assert.equal(render(store, 'p'), 'p');
});
