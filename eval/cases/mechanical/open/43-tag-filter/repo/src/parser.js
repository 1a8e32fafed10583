// Builds the tree of a filter from its tokens.

import { FilterError, tokenize } from './tokens.js';

const COMPARISONS = new Set(['<', '<=', '>', '>=', '=', '!=', '~']);

class Parser {
  constructor(text) {
    this.tokens = tokenize(text);
    this.next = 0;
  }

  get token() {
    return this.tokens[this.next];
  }

  take(type) {
    if (this.token.type !== type) return null;
    const taken = this.token;
    if (type !== 'end') this.next += 1;
    return taken;
  }

  expect(type, what) {
    const taken = this.take(type);
    if (!taken) throw new FilterError(`expected ${what}`, this.token.at);
    return taken;
  }

  filter() {
    if (this.take('end')) return { op: 'all' };
    const tree = this.either();
    this.expect('end', 'the end');
    return tree;
  }

  either() {
    let left = this.both();
    while (this.take('or')) {
      left = { op: 'or', left, right: this.both() };
    }
    return left;
  }

  both() {
    let left = this.negation();
    while (this.take('and')) {
      left = { op: 'and', left, right: this.negation() };
    }
    return left;
  }

  negation() {
    if (this.take('not')) return { op: 'not', inner: this.both() };
    return this.condition();
  }

  condition() {
    if (this.take('(')) {
      const inner = this.either();
      this.expect(')', 'a closing bracket');
      return inner;
    }
    const name = this.expect('name', 'a tag or field');
    if (!COMPARISONS.has(this.token.type)) return { op: 'tag', tag: name.value };
    const sign = this.take(this.token.type).type;
    return { op: 'compare', sign, field: name.value, value: this.literal() };
  }

  literal() {
    const literal = this.take('number') ?? this.take('string') ?? this.take('name');
    if (!literal) throw new FilterError('expected a value', this.token.at);
    return literal.value;
  }
}

export function parse(text) {
  return new Parser(text).filter();
}
