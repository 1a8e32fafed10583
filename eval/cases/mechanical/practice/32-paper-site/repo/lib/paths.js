'use strict';

const path = require('node:path').posix;

/** 'guide/First Steps.md' -> 'guide/first-steps.html' */
function outputPath(source) {
  const { dir, name } = path.parse(source);
  const clean = slug(name);
  return path.join(dir.split('/').map(slug).join('/'), `${clean}.html`);
}

function slug(text) {
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
}

/** The link that leads from one output file to another one. */
function relativeLink(from, to) {
  const link = path.relative(path.dirname(from), to);
  return link.split('/').map(encodeURIComponent).join('/');
}

/** All folders above a file, the outermost first: 'a/b/c.html' -> ['a', 'a/b'] */
function foldersOf(file) {
  const parts = path.dirname(file).split('/').filter((p) => p && p !== '.');
  return parts.map((_, i) => parts.slice(0, i + 1).join('/'));
}

module.exports = { outputPath, slug, relativeLink, foldersOf };
