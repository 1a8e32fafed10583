const test = require('node:test');
test('comes before', () => {});
test('ends it', () => {
  process.abort();
});
