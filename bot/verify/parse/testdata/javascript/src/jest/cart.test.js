const check = (a, b) => expect(a).toBe(b);
const { mean, first } = require('../lib/cart.js');

it('the mean', () => check(mean([1, 3]), 2));

it('is wrong', () => {
  console.log('  1) the mean\n  ● the mean');
  expect(mean([1, 2])).toBe(2); // at: wrong
});

it('goes deep', () => {
  mean([]);
});

describe('a cart', () => {
  it('has a first', () => {
    first([]);
  });
  it('is > 1, "quoted" › and odd', () => {
    expect(mean([1])).toBe(7); // at: odd
  });
  it('is waited for', async () => {
    await Promise.resolve();
    expect({ a: [1, 2, 3] }).toEqual({ a: [1, 2, 4] }); // at: waited
  });
  it.skip('is skipped', () => {
    throw new Error();
  });
});

describe('with a hook', () => {
  beforeAll(() => {
    throw new TypeError('no database'); // at: hook
  });
  it('cannot begin', () => {});
});

it('throws a string', () => {
  throw 'just words';
});
