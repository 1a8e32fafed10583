'use strict';
const test = require('node:test');
const assert = require('node:assert');
const { Site } = require('../lib/site');

function sample() {
  const site = new Site('S');
  site.add('index.md', 'title: Home\n\nHi');
  site.add('guide/index.md', 'title: Guide\nweight: -1\n\n.');
  site.add('guide/setup.md', 'title: Setup\nweight: 2\n\n.');
  site.add('guide/basics.md', 'title: Basics\nweight: 1\n\n.');
  site.add('guide/secret.md', 'title: Secret\ndraft: yes\n\n.');
  return site;
}
const titles = (list) => list.map((p) => p.title).join(' ');

test('pages are ordered by folder and weight', () => {
  assert.strictEqual(titles(sample().ordered()), 'Home Guide Basics Setup');
});

test('a page cannot be there twice', () => {
  assert.throws(() => sample().add('Index.md', 'x: y'), /index\.html/);
});

test('parents', () => {
  const site = sample();
  assert.strictEqual(titles(site.parents(site.byOutput.get('guide/setup.html'))), 'Home Guide');
  assert.strictEqual(titles(site.parents(site.byOutput.get('guide/index.html'))), 'Home');
});

test('neighbours', () => {
  const site = sample();
  const { previous, next } = site.neighbours(site.byOutput.get('guide/basics.html'));
  assert.strictEqual(previous.title, 'Guide');
  assert.strictEqual(next.title, 'Setup');
});

test('a title falls back to the name of the source', () => {
  assert.strictEqual(new Site('S').add('a.md', 'text only').title, 'a.md');
});
