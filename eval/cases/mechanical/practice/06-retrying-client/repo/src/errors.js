'use strict';

class HttpError extends Error {
  constructor(status, url, headers = {}) {
    super(`${url} answered ${status}`);
    this.name = 'HttpError';
    this.status = status;
    this.headers = headers;
  }
}

class CircuitOpen extends Error {
  constructor() {
    super('the circuit is open');
    this.name = 'CircuitOpen';
  }
}

module.exports = { CircuitOpen, HttpError };
