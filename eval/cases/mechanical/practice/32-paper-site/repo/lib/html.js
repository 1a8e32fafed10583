'use strict';

const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escape(text) {
  return String(text).replace(/[&<>"]/g, (c) => ENTITIES[c]);
}

function tag(name, attrs, ...children) {
  const list = Object.entries(attrs || {})
    .filter(([, value]) => value !== undefined && value !== null && value !== false)
    .map(([key, value]) => (value === true ? ` ${key}` : ` ${key}="${escape(value)}"`));
  return `<${name}${list.join('')}>${children.flat().join('')}</${name}>`;
}

function link(href, text, attrs = {}) {
  return tag('a', { href, ...attrs }, escape(text));
}

module.exports = { escape, tag, link };
