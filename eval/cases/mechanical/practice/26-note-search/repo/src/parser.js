'use strict';

const { tokenize, QuerySyntaxError } = require('./lexer');

/**
 * query  = either
 * either = all ('or' all)*
 * all    = part (['and'] part)*
 * part   = '-' part | '(' either ')' | [field ':'] (word | string)
 */
class Parser {
  constructor(query) {
    this.query = query;
    this.tokens = tokenize(query);
    this.index = 0;
  }

  peek() {
    return this.tokens[this.index];
  }

  take(type) {
    const token = this.peek();
    if (!token || token.type !== type) return null;
    this.index++;
    return token;
  }

  fail(message) {
    const token = this.peek();
    throw new QuerySyntaxError(message, token ? token.start : this.query.length);
  }

  either() {
    const parts = [this.all()];
    while (this.take('or')) parts.push(this.all());
    return parts.length === 1 ? parts[0] : { kind: 'or', parts };
  }

  all() {
    const parts = [this.part()];
    for (;;) {
      if (this.take('and')) {
        parts.push(this.part());
        continue;
      }
      const next = this.peek();
      if (!next || next.type === 'or' || next.type === 'close') break;
      parts.push(this.part());
    }
    return parts.length === 1 ? parts[0] : { kind: 'and', parts };
  }

  part() {
    if (this.take('not')) return { kind: 'not', part: this.part() };
    if (this.take('open')) {
      const inner = this.either();
      if (!this.take('close')) this.fail('missing )');
      return inner;
    }
    const field = this.take('field');
    const text = this.take('string') || this.take('word');
    if (!text) this.fail('expected a word');
    return {
      kind: 'term',
      field: field ? field.value.toLowerCase() : null,
      text: text.value,
      exact: text.type === 'string',
    };
  }
}

function parse(query) {
  const parser = new Parser(query);
  if (parser.tokens.length === 0) return { kind: 'and', parts: [] };
  const tree = parser.either();
  if (parser.peek()) parser.fail('did not expect this');
  return tree;
}

module.exports = { parse };
