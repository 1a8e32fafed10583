'use strict';

const test = require('node:test');
const assert = require('node:assert');
const { render } = require('../src');

test('fills values in', () => {
  assert.strictEqual(render('Dear {{ name }}, no. {{ticket}}', { name: 'Ada', ticket: 7 }), 'Dear Ada, no. 7');
});

test('uses the default for empty values', () => {
  assert.strictEqual(render('Dear {{ name | customer }},', { name: '' }), 'Dear customer,');
});

test('zero is a value', () => {
  assert.strictEqual(render('{{ count | none }}', { count: 0 }), '0');
});

test('a missing value without default is an error', () => {
  assert.throws(() => render('{{ name }}', {}), /no value for name/);
});
