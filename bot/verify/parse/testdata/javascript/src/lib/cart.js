class Empty extends Error {
  constructor(message) {
    super(message);
    this.name = 'Empty';
  }
}

function mean(prices) {
  return prices.reduce((a, b) => a + b) / prices.length; // at: mean
}

function first(prices) {
  if (prices.length === 0) throw new Empty('no prices:\nthe cart is empty'); // at: first
  return prices[0];
}

module.exports = { Empty, mean, first };
