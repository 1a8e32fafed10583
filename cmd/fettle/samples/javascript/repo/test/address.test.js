'use strict';

const test = require('node:test');
const assert = require('node:assert');
const { parseAddress } = require('../src');

test('bare address', () => {
  assert.deepStrictEqual(parseAddress(' ada@Example.COM '), { name: '', local: 'ada', domain: 'example.com' });
});

test('address with a name', () => {
  assert.deepStrictEqual(parseAddress('"Ada Lovelace" <ada@example.com>'), {
    name: 'Ada Lovelace',
    local: 'ada',
    domain: 'example.com',
  });
});

test('address without quotes round the name', () => {
  assert.strictEqual(parseAddress('Grace <grace@navy.mil>').name, 'Grace');
});

test('nonsense is refused', () => {
  assert.throws(() => parseAddress('nobody'), TypeError);
  assert.throws(() => parseAddress('@example.com'), TypeError);
});
