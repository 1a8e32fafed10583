'use strict';

const test = require('node:test');
const assert = require('node:assert/strict');
const { Store, TemplateError, render, renderAll } = require('../src/index.js');

const once = (source, values) => render(new Store({ page: source }), 'page', values);

test('values are escaped', () => {
  assert.equal(once('<b>{{ a }}</b>{{{ a }}}', { a: '<&>' }), '<b>&lt;&amp;&gt;</b><&>');
});

test('missing values are empty', () => assert.equal(once('[{{ a.b.c }}]'), '[]'));

test('if and else', () => {
  assert.equal(once('{{#if a}}yes{{else}}no{{/if}}', { a: [] }), 'no');
  assert.equal(once('{{#if a}}yes{{/if}}', { a: 1 }), 'yes');
});

test('each', () => {
  assert.equal(once('{{#each l as x}}{{ index }}{{ x.n }} {{/each}}', { l: [{ n: 'a' }, { n: 'b' }] }), '1a 2b ');
});

test('inner names hide outer ones', () => {
  assert.equal(once('{{ x }}{{#each l as x}}{{ x }}{{/each}}{{ x }}', { x: 0, l: [1, 2] }), '0120');
});

test('include', () => {
  const store = new Store({ page: 'A{{> foot }}', foot: '-{{ year }}' });
  assert.equal(render(store, 'page', { year: 7 }), 'A-7');
});

test('include with a setting', () => {
  const store = new Store({ page: '{{> card title=name }}', card: '<{{ title }}>' });
  assert.equal(render(store, 'page', { name: 'n' }), '<n>');
});

test('include in a loop', () => {
  const store = new Store({ page: '{{#each l as x}}{{> card title=x }}{{/each}}', card: '<{{ title }}>' });
  assert.equal(render(store, 'page', { l: ['a', 'b'] }), '<a><b>');
});

test('two files include a third one', () => {
  const store = new Store({ page: '{{> head }}/{{> foot }}', head: 'h{{> logo }}', foot: 'f{{> logo }}', logo: '*' });
  assert.equal(render(store, 'page'), 'h*/f*');
});

test('a file that includes itself', () => {
  const store = new Store({ page: 'a{{> page }}' });
  assert.throws(() => render(store, 'page'), { name: 'TemplateError', message: 'includes itself: page > page' });
});

test('a ring of files', () => {
  const store = new Store({ page: '{{> a }}', a: '{{> b }}', b: '{{> a }}' });
  assert.throws(() => render(store, 'page'), /page > a > b > a/);
});

test('unknown file', () => assert.throws(() => once('{{> nope }}'), /no file nope/));

test('bad templates', () => {
  for (const source of ['{{#if a}}', '{{/if}}', '{{else}}', '{{#each a}}{{/each}}', '{{#if a}}{{/each}}', '{{ a b }}']) {
    assert.throws(() => once(source), TemplateError, source);
  }
});

test('includes of a file', () => {
  const store = new Store({ page: '{{> b }}{{#if x}}{{> a }}{{else}}{{> c }}{{/if}}{{> b }}' });
  assert.deepEqual(store.includes('page'), ['b', 'a', 'c']);
});

test('a changed file is read again', () => {
  const store = new Store({ page: '1' });
  assert.equal(render(store, 'page'), '1');
  assert.equal(render(store.put('page', '2'), 'page'), '2');
});

test('all pages', () => {
  const store = new Store({ one: '1{{> _a }}', _a: 'a', two: '2' });
  assert.deepEqual(renderAll(store), { one: '1a', two: '2' });
});
