const test = require('node:test');
const { describe, it, before } = require('node:test');
const assert = require('node:assert');
const { mean, first } = require('../lib/cart.js');

test('the mean', () => assert.strictEqual(mean([1, 3]), 2));

test('is wrong', () => {
  console.log('not ok 1 - the mean');
  assert.strictEqual(mean([1, 2]), 2); // at: wrong
});

test('goes deep', () => mean([]));

describe('a cart', () => {
  it('has a first', () => {
    first([]);
  });
  it('is > 1, "quoted" # and odd', () => {
    assert.ok(mean([1]) > 1); // at: odd
  });
  it('is waited for', async () => {
    await Promise.resolve();
    assert.deepStrictEqual({ a: [1, 2, 3] }, { a: [1, 2, 4] }); // at: waited
  });
  it.skip('is skipped', () => assert.fail());
  it.todo('is to do');
});

describe('with a hook', () => {
  before(() => {
    throw new TypeError('no database'); // at: hook
  });
  it('cannot begin', () => {});
});

test('throws a string', () => {
  throw 'just words';
});
