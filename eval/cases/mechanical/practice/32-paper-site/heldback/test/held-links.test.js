'use strict';
const test = require('node:test');
const assert = require('node:assert');
const { Site } = require('../lib/site');
const { menu, breadcrumbs, pager } = require('../lib/navigation');
const { renderPage, renderSite } = require('../lib/render');

const FILES = ['index.md', 'about.md', 'a/index.md', 'a/one.md', 'a/two.md', 'a/b/index.md', 'a/b/deep.md', 'a/b/c/deeper.md', 'z/last.md', 'z/q/end.md'];

function big() {
  const site = new Site('Big');
  for (const f of FILES) {
    const others = FILES.map((o) => `[[${o}]]`).join(' ');
    site.add(f, `title: T ${f}\n\n${others}`);
  }
  return site;
}

function targets(page, html) {
  return [...html.matchAll(/href="([^"]*)"/g)].map((m) => new URL(m[1], `http://h/${page.output}`).pathname.slice(1));
}

for (const source of FILES) {
  test(`held: links of ${source}`, () => {
    const site = big();
    const page = site.pages.find((p) => p.source === source);
    const { previous, next } = site.neighbours(page);
    const around = [previous, next].filter(Boolean).map((p) => p.output);
    assert.deepStrictEqual(targets(page, pager(site, page)), around);
    assert.deepStrictEqual(targets(page, breadcrumbs(site, page)), site.parents(page).map((p) => p.output));
    assert.deepStrictEqual(targets(page, menu(site, page)), site.ordered().filter((p) => p !== page).map((p) => p.output));
    for (const t of targets(page, renderPage(site, page))) assert.ok(site.byOutput.has(t), t);
  });
}

test('held: exact pager beside, up and down', () => {
  const site = new Site('S');
  const pages = ['m/a.md', 'm/b.md', 'm/n/c.md', 'o.md', 'p/q/r.md'].map((f) => site.add(f, `title: ${f[0]}${f.at(-4)}\n\n.`));
  const hrefs = pages.map((p) => [...pager(site, p).matchAll(/href="([^"]*)" rel="(\w+)"/g)].map((m) => m[2] + ':' + m[1]).join(' '));
  assert.deepStrictEqual(site.ordered().map((p) => p.output), ['o.html', 'm/a.html', 'm/b.html', 'm/n/c.html', 'p/q/r.html']);
  assert.deepStrictEqual(hrefs, [
    'prev:../o.html next:b.html',
    'prev:a.html next:n/c.html',
    'prev:../b.html next:../../p/q/r.html',
    'next:m/a.html',
    'prev:../../m/n/c.html',
  ]);
});

test('held: titles of the neighbours', () => {
  const site = big();
  for (const page of site.pages) {
    const { previous, next } = site.neighbours(page);
    const html = pager(site, page);
    assert.strictEqual(html.includes('rel="prev"'), previous !== null);
    assert.strictEqual(html.includes('rel="next"'), next !== null);
    if (previous) assert.ok(html.includes(`rel="prev">${previous.title}<`));
    if (next) assert.ok(html.includes(`rel="next">${next.title}<`));
  }
});

test('held: drafts are nowhere linked', () => {
  const site = big();
  site.add('a/hidden.md', 'title: Hidden\ndraft: yes\n\n.');
  for (const html of renderSite(site).values()) assert.ok(!html.includes('hidden'));
});
