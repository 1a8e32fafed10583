'use strict';

const { tag, escape, link } = require('./html');
const { menu, breadcrumbs, pager } = require('./navigation');
const { relativeLink, outputPath } = require('./paths');

/** Paragraphs with [[source|text]] links to other pages. */
function renderBody(site, page) {
  return page.body
    .split(/\n\s*\n/)
    .filter((p) => p.trim())
    .map((p) => tag('p', null, inline(site, page, p.trim())))
    .join('\n');
}

function inline(site, page, text) {
  return text
    .split(/(\[\[[^\]]+\]\])/)
    .map((part) => {
      const found = /^\[\[([^\]|]+)(?:\|([^\]]+))?\]\]$/.exec(part);
      if (!found) return escape(part);
      const target = site.byOutput.get(outputPath(found[1].trim()));
      if (!target) throw new Error(`${page.source}: no page ${found[1].trim()}`);
      return link(relativeLink(page.output, target.output), found[2] ?? target.title);
    })
    .join('');
}

function renderPage(site, page) {
  return [
    tag('title', null, escape(`${page.title} - ${site.title}`)),
    breadcrumbs(site, page),
    menu(site, page),
    tag('h1', null, escape(page.title)),
    renderBody(site, page),
    pager(site, page),
  ].filter(Boolean).join('\n');
}

/** Output file -> text. */
function renderSite(site) {
  return new Map(site.ordered().map((page) => [page.output, renderPage(site, page)]));
}

module.exports = { renderBody, renderPage, renderSite };
