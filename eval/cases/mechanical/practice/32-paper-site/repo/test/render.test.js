'use strict';
const test = require('node:test');
const assert = require('node:assert');
const { Site } = require('../lib/site');
const { menu, breadcrumbs, pager } = require('../lib/navigation');
const { renderBody, renderPage, renderSite } = require('../lib/render');

function sample() {
  const site = new Site('S');
  const home = site.add('index.md', 'title: Home\n\nSee [[guide/setup.md]] or [[guide/setup.md|there & here]].');
  const setup = site.add('guide/setup.md', 'title: Setup\n\nBack to [[index.md]].');
  return { site, home, setup };
}

test('menu marks the current page', () => {
  const { site, home } = sample();
  assert.strictEqual(menu(site, home),
    '<ul class="menu"><li class="here"><b>Home</b></li><li><a href="guide/setup.html">Setup</a></li></ul>');
});

test('breadcrumbs lead up', () => {
  const { site, setup } = sample();
  assert.strictEqual(breadcrumbs(site, setup), '<p class="crumbs"><a href="../index.html">Home</a> / Setup</p>');
});

test('no pager for a single page', () => {
  const site = new Site('S');
  assert.strictEqual(pager(site, site.add('a.md', 'x')), '');
});

test('pager leads on', () => {
  const { site, home } = sample();
  assert.strictEqual(pager(site, home), '<p class="pager"><a href="guide/setup.html" rel="next">Setup</a></p>');
});

test('pager leads back', () => {
  const { site, setup } = sample();
  assert.strictEqual(pager(site, setup), '<p class="pager"><a href="../index.html" rel="prev">Home</a></p>');
});

test('links in the text', () => {
  const { site, home, setup } = sample();
  assert.strictEqual(renderBody(site, home),
    '<p>See <a href="guide/setup.html">Setup</a> or <a href="guide/setup.html">there &amp; here</a>.</p>');
  assert.strictEqual(renderBody(site, setup), '<p>Back to <a href="../index.html">Home</a>.</p>');
});

test('a link to nowhere is an error', () => {
  const site = new Site('S');
  const page = site.add('a.md', '[[b.md]]');
  assert.throws(() => renderBody(site, page), /a\.md: no page b\.md/);
});

test('renderPage has a title', () => {
  const { site, home } = sample();
  assert.match(renderPage(site, home), /^<title>Home - S<\/title>/);
});

test('renderSite covers all pages', () => {
  assert.deepStrictEqual([...renderSite(sample().site).keys()], ['index.html', 'guide/setup.html']);
});
