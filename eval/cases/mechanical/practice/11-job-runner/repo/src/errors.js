'use strict';

class JobError extends Error {}

class NoHandler extends JobError {
  constructor(type) {
    super(`no handler for ${type}`);
    this.type = type;
  }
}

module.exports = { JobError, NoHandler };
