'use strict';

const { parseAddress } = require('./address');

/** Picks the team for a message; the first rule that matches wins. */
class Router {
  constructor(fallback) {
    this.fallback = fallback;
    this.rules = [];
  }

  whenSubject(pattern, team) {
    this.rules.push({ team, test: (message) => pattern.test(message.subject || '') });
    return this;
  }

  whenDomain(domain, team) {
    const wanted = domain.toLowerCase();
    this.rules.push({ team, test: (message) => parseAddress(message.from).domain === wanted });
    return this;
  }

  route(message) {
    const rule = this.rules.find((r) => r.test(message));
    return rule ? rule.team : this.fallback;
  }
}

module.exports = { Router };
