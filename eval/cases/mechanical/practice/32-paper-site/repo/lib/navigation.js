'use strict';

const { relativeLink } = require('./paths');
const { tag, link, escape } = require('./html');

function menu(site, page) {
  const items = site.ordered().map((other) => {
    const here = other === page;
    const inner = here
      ? tag('b', null, escape(other.title))
      : link(relativeLink(page.output, other.output), other.title);
    return tag('li', { class: here && 'here' }, inner);
  });
  return tag('ul', { class: 'menu' }, items);
}

function breadcrumbs(site, page) {
  const links = site
    .parents(page)
    .map((parent) => link(relativeLink(page.output, parent.output), parent.title));
  return tag('p', { class: 'crumbs' }, [...links, escape(page.title)].join(' / '));
}

function pager(site, page) {
  const { previous, next } = site.neighbours(page);
  const parts = [];
  if (previous) parts.push(link(relativeLink(previous.output, page.output), previous.title, { rel: 'prev' }));
  if (next) parts.push(link(relativeLink(page.output, next.output), next.title, { rel: 'next' }));
  return parts.length ? tag('p', { class: 'pager' }, parts.join(' ')) : '';
}

module.exports = { menu, breadcrumbs, pager };
