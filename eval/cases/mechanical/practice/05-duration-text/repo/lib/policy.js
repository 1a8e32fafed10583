'use strict';

const { parse } = require('./parse');

/** Reads `timeout=30s retry=100ms,1s,10s` into numbers. */
function readPolicy(text) {
  const policy = { timeout: null, retry: [] };
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const [name, value] = word.split('=', 2);
    if (name === 'timeout' && value) policy.timeout = parse(value);
    else if (name === 'retry' && value) policy.retry = value.split(',').map(parse);
    else throw new RangeError(`bad policy: ${word}`);
  }
  return policy;
}

module.exports = { readPolicy };
