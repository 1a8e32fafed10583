'use strict';

const { parse } = require('./parse.js');
const { TemplateError } = require('./scan.js');

// Keeps the texts of files and their nodes, once they are needed.
class Store {
  constructor(files = {}) {
    this.sources = files instanceof Map ? new Map(files) : new Map(Object.entries(files));
    this.parsed = new Map();
  }

  put(file, source) {
    this.sources.set(file, source);
    this.parsed.delete(file);
    return this;
  }

  has(file) {
    return this.sources.has(file);
  }

  nodes(file) {
    if (!this.has(file)) throw new TemplateError(`no file ${file}`);
    if (!this.parsed.has(file)) this.parsed.set(file, parse(this.sources.get(file), file));
    return this.parsed.get(file);
  }

  // The files that a file includes itself, each once and in order.
  includes(file) {
    const found = new Set();
    const visit = (nodes) => {
      for (const node of nodes) {
        if (node.type === 'include') found.add(node.file);
        if (node.then) visit(node.then);
        if (node.nodes) visit(node.nodes);
      }
    };
    visit(this.nodes(file));
    return [...found];
  }
}

module.exports = { Store };
