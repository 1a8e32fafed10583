'use strict';

const { diff } = require('./diff');
const { describeChange } = require('./text/describe');

class History {
  constructor({ now = () => new Date() } = {}) {
    this.now = now;
    this.records = new Map();
  }

  /** Keeps a version and returns its changes; no changes, no version. */
  save(id, value, author) {
    const versions = this.records.get(id) || [];
    const previous = versions.length > 0 ? versions[versions.length - 1].value : undefined;
    const changes = diff(previous, value);
    if (changes.length > 0) {
      versions.push({ author, at: this.now(), value: structuredClone(value), changes });
      this.records.set(id, versions);
    }
    return changes;
  }

  versions(id) {
    return (this.records.get(id) || []).length;
  }

  get(id, version = this.versions(id)) {
    const versions = this.records.get(id) || [];
    if (version < 1 || version > versions.length) throw new RangeError(`${id} has no version ${version}`);
    return structuredClone(versions[version - 1].value);
  }

  /** Everything that happened after the first version. */
  changes(id) {
    return (this.records.get(id) || [])
      .slice(1)
      .flatMap(({ author, changes }) => changes.map((change) => ({ author, ...change })));
  }

  describe(id) {
    return this.changes(id).map((change) => `${change.author}: ${describeChange(change)}`);
  }
}

module.exports = { History };
