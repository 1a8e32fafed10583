'use strict';

const { CircuitOpen } = require('./errors');

/** Refuses calls for a while after too many failures in a row. */
class Circuit {
  constructor({ failures = 5, cooldown = 30000, now = Date.now } = {}) {
    this.limit = failures;
    this.cooldown = cooldown;
    this.now = now;
    this.failures = 0;
    this.openedAt = null;
  }

  get state() {
    if (this.openedAt === null) return 'closed';
    return this.now() - this.openedAt >= this.cooldown ? 'half-open' : 'open';
  }

  async run(work) {
    if (this.state === 'open') throw new CircuitOpen();
    try {
      const result = work();
      this.failures = 0;
      this.openedAt = null;
      return result;
    } catch (error) {
      this.failures += 1;
      if (this.failures >= this.limit) this.openedAt = this.now();
      throw error;
    }
  }
}

module.exports = { Circuit };
