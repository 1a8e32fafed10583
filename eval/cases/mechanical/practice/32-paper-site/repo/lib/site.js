'use strict';

const { outputPath, foldersOf } = require('./paths');
const { parseSource } = require('./source');

/** All pages of a site, in reading order. */
class Site {
  constructor(title) {
    this.title = title;
    this.pages = [];
    this.byOutput = new Map();
  }

  add(source, text) {
    const { meta, body } = parseSource(text);
    const output = outputPath(source);
    if (this.byOutput.has(output)) throw new Error(`two sources for ${output}`);
    const page = {
      source,
      output,
      title: meta.title || source,
      weight: Number(meta.weight || 0),
      draft: meta.draft === 'yes',
      body,
    };
    this.pages.push(page);
    this.byOutput.set(output, page);
    return page;
  }

  ordered() {
    const folder = (p) => p.output.split('/').slice(0, -1).join('/');
    return this.pages
      .filter((p) => !p.draft)
      .sort((a, b) => compare(folder(a), folder(b)) || a.weight - b.weight || compare(a.output, b.output));
  }

  indexOf(folder) {
    const name = folder ? `${folder}/index.html` : 'index.html';
    const page = this.byOutput.get(name);
    return page && !page.draft ? page : null;
  }

  /** The index pages above a page, the home page first. */
  parents(page) {
    return ['', ...foldersOf(page.output)]
      .map((folder) => this.indexOf(folder))
      .filter((index) => index && index !== page);
  }

  neighbours(page) {
    const list = this.ordered();
    const at = list.indexOf(page);
    return { previous: at > 0 ? list[at - 1] : null, next: at >= 0 ? list[at + 1] || null : null };
  }
}

function compare(a, b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

module.exports = { Site };
