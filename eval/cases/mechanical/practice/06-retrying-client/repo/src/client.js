'use strict';

const { Circuit } = require('./circuit');
const { CircuitOpen, HttpError } = require('./errors');
const { retry } = require('./retry');
const { buildUrl } = require('./http/url');
const { retryAfter } = require('./http/retry-after');

const IDEMPOTENT = new Set(['GET', 'HEAD', 'PUT', 'DELETE']);
const TRANSIENT = new Set([408, 429, 500, 502, 503, 504]);

class Client {
  constructor({ baseUrl, transport, circuit = new Circuit(), retries = {}, now = Date.now }) {
    this.baseUrl = baseUrl;
    this.transport = transport;
    this.circuit = circuit;
    this.retries = retries;
    this.now = now;
  }

  get(path, query) {
    return this.request('GET', path, { query });
  }

  post(path, body) {
    return this.request('POST', path, { body });
  }

  request(method, path, { query, body } = {}) {
    const url = buildUrl(this.baseUrl, path, query);
    return retry(() => this.circuit.run(() => this.send(method, url, body)), {
      ...this.retries,
      retryable: (error) => this.retryable(method, error),
    });
  }

  async send(method, url, body) {
    const response = await this.transport({
      method,
      url,
      headers: { accept: 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    if (response.status >= 400) throw new HttpError(response.status, url, response.headers);
    return response.body ? JSON.parse(response.body) : null;
  }

  retryable(method, error) {
    if (error instanceof CircuitOpen) return false;
    if (!(error instanceof HttpError)) return IDEMPOTENT.has(method);
    if (!TRANSIENT.has(error.status)) return false;
    const wait = retryAfter(error.headers, this.now());
    if (wait !== null) return wait;
    return IDEMPOTENT.has(method);
  }
}

module.exports = { Client };
