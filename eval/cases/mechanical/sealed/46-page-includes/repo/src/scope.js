'use strict';

const ESCAPES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escape(text) {
  return text.replace(/[&<>"]/g, (char) => ESCAPES[char]);
}

// Values by name; inner scopes hide the names of outer ones.
class Scope {
  constructor(values, outer = null) {
    this.values = values;
    this.outer = outer;
  }

  inner(values) {
    return new Scope(values, this);
  }

  find(path) {
    const [first, ...rest] = path.split('.');
    let value = this.first(first);
    for (const name of rest) {
      if (value === undefined || value === null) return undefined;
      value = value[name];
    }
    return value;
  }

  first(name) {
    if (Object.hasOwn(this.values, name)) return this.values[name];
    return this.outer ? this.outer.first(name) : undefined;
  }
}

function isTrue(value) {
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

function toText(value) {
  if (value === undefined || value === null) return '';
  return Array.isArray(value) ? value.map(toText).join(', ') : String(value);
}

module.exports = { Scope, escape, isTrue, toText };
