'use strict';

/** Parses `Ada Lovelace <ada@example.com>` or a bare address. */
function parseAddress(text) {
  const source = String(text).trim();
  const match = /^(?:"?([^"<]*?)"?\s*)?<([^<>\s]+@[^<>\s]+)>$/.exec(source);
  const address = match ? match[2] : source;
  const at = address.lastIndexOf('@');
  if (at < 1 || at === address.length - 1 || /\s/.test(address)) {
    throw new TypeError(`not an address: ${text}`);
  }
  return {
    name: match && match[1] ? match[1] : '',
    local: address.slice(0, at),
    domain: address.slice(at + 1).toLowerCase(),
  };
}

module.exports = { parseAddress };
