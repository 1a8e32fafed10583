'use strict';

const { Scope, escape, isTrue, toText } = require('./scope.js');
const { Store } = require('./store.js');
const { TemplateError } = require('./scan.js');

class Renderer {
  constructor(store) {
    this.store = store;
    this.active = new Set();
  }

  file(file, scope) {
    if (this.active.has(file)) {
      const chain = [...this.active, file].join(' > ');
      throw new TemplateError(`includes itself: ${chain}`);
    }
    const nodes = this.store.nodes(file);
    this.active.add(file);
    return this.all(nodes, scope);
  }

  all(nodes, scope) {
    return nodes.map((node) => this.node(node, scope)).join('');
  }

  node(node, scope) {
    switch (node.type) {
      case 'text':
        return node.text;
      case 'value': {
        const text = toText(scope.find(node.name));
        return node.raw ? text : escape(text);
      }
      case 'if': {
        const [yes, no] = node.then ? [node.then, node.nodes] : [node.nodes, []];
        return this.all(isTrue(scope.find(node.name)) ? yes : no, scope);
      }
      case 'each':
        return this.each(node, scope);
      default:
        return this.include(node, scope);
    }
  }

  each(node, scope) {
    const items = scope.find(node.name) ?? [];
    return items
      .map((item, index) => this.all(node.nodes, scope.inner({ [node.as]: item, index: index + 1 })))
      .join('');
  }

  include(node, scope) {
    const values = {};
    for (const { name, from } of node.set) values[name] = scope.find(from);
    return this.file(node.file, scope.inner(values));
  }
}

function render(store, file, values = {}) {
  return new Renderer(store).file(file, new Scope(values));
}

// Renders all files whose name does not begin with an underscore.
function renderAll(store, values = {}) {
  const pages = {};
  const renderer = new Renderer(store);
  for (const file of store.sources.keys()) {
    if (!file.startsWith('_')) pages[file] = renderer.file(file, new Scope(values));
  }
  return pages;
}

module.exports = { Store, TemplateError, render, renderAll };
