'use strict';

class TransientError extends Error {
  constructor(message, options) {
    super(message, options);
    this.name = 'TransientError';
  }
}

class GaveUpError extends Error {
  constructor(attempts, cause) {
    super(`gave up after ${attempts} attempts: ${cause.message}`, { cause });
    this.name = 'GaveUpError';
    this.attempts = attempts;
  }
}

function isTransient(err) {
  if (err instanceof TransientError) return true;
  return ['ECONNRESET', 'ETIMEDOUT', 'EAGAIN'].includes(err && err.code);
}

module.exports = { TransientError, GaveUpError, isTransient };
