'use strict';
const test = require('node:test');
const assert = require('node:assert');
const { outputPath, slug, relativeLink, foldersOf } = require('../lib/paths');
const { escape, tag, link } = require('../lib/html');
const { parseSource } = require('../lib/source');

test('outputPath', () => {
  assert.strictEqual(outputPath('guide/First Steps.md'), 'guide/first-steps.html');
  assert.strictEqual(outputPath('index.md'), 'index.html');
});

test('slug drops accents and signs', () => {
  assert.strictEqual(slug('  Über uns! '), 'uber-uns');
});

test('relativeLink to a file beside', () => {
  assert.strictEqual(relativeLink('a/b.html', 'a/c.html'), 'c.html');
});

test('relativeLink up and down', () => {
  assert.strictEqual(relativeLink('a/b/c.html', 'x.html'), '../../x.html');
  assert.strictEqual(relativeLink('x.html', 'a/b/c.html'), 'a/b/c.html');
});

test('foldersOf', () => {
  assert.deepStrictEqual(foldersOf('a/b/c.html'), ['a', 'a/b']);
  assert.deepStrictEqual(foldersOf('c.html'), []);
});

test('escape', () => {
  assert.strictEqual(escape('a<b & "c"'), 'a&lt;b &amp; &quot;c&quot;');
});

test('tag leaves out missing attributes', () => {
  assert.strictEqual(tag('a', { x: 1, y: false, z: null, w: true }, 'b'), '<a x="1" w>b</a>');
});

test('link', () => {
  assert.strictEqual(link('u', '<t>'), '<a href="u">&lt;t&gt;</a>');
});

test('parseSource', () => {
  assert.deepStrictEqual(parseSource('Title: A\nweight: 3\n\nHello\n\nyou\n'), {
    meta: { title: 'A', weight: '3' }, body: 'Hello\n\nyou',
  });
});

test('parseSource without a head', () => {
  assert.deepStrictEqual(parseSource('Just text\n\nmore'), { meta: {}, body: 'Just text\n\nmore' });
});
