'use strict';

const { parse } = require('./parse');

/** A map whose entries vanish after a while. */
class ExpiringMap {
  constructor(ttl, now = Date.now) {
    this.ttl = parse(ttl);
    this.now = now;
    this.entries = new Map();
  }

  set(key, value, ttl) {
    const lifetime = ttl === undefined ? this.ttl : parse(ttl);
    this.entries.set(key, { value, expires: this.now() + lifetime });
    return this;
  }

  get(key) {
    const entry = this.entries.get(key);
    if (entry === undefined) return undefined;
    if (entry.expires <= this.now()) {
      this.entries.delete(key);
      return undefined;
    }
    return entry.value;
  }

  sweep() {
    let swept = 0;
    for (const [key, entry] of this.entries) {
      if (entry.expires <= this.now()) {
        this.entries.delete(key);
        swept += 1;
      }
    }
    return swept;
  }
}

module.exports = { ExpiringMap };
