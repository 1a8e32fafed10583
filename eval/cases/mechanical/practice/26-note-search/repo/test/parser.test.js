'use strict';
const test = require('node:test');
const assert = require('node:assert');
const { parse } = require('../src/parser');
const { format } = require('../src/format');

const term = (text, field = null, exact = false) => ({ kind: 'term', field, text, exact });

test('a single term', () => {
  assert.deepStrictEqual(parse('Tag:x'), term('x', 'tag'));
});

test('and binds stronger than or', () => {
  assert.deepStrictEqual(parse('a b or c'), {
    kind: 'or', parts: [{ kind: 'and', parts: [term('a'), term('b')] }, term('c')],
  });
});

test('not and brackets', () => {
  assert.deepStrictEqual(parse('-(a or b)'), { kind: 'not', part: { kind: 'or', parts: [term('a'), term('b')] } });
});

test('an empty query', () => {
  assert.deepStrictEqual(parse('  '), { kind: 'and', parts: [] });
});

test('syntax errors name the position', () => {
  assert.throws(() => parse('(a'), /missing \) at position 3/);
  assert.throws(() => parse('a)'), /position 2/);
  assert.throws(() => parse('a or'), /expected a word/);
});

test('format writes brackets where needed', () => {
  assert.strictEqual(format(parse('a (b or -c)')), 'a (b or -c)');
  assert.strictEqual(format(parse('-(a b)')), '-(a b)');
});

test('format and parse of a quotation', () => {
  const tree = term('say "hi"', 'title', true);
  assert.deepStrictEqual(parse(format(tree)), tree);
});
