import test from 'node:test';
import assert from 'node:assert';
import { pick, render, renderCsv } from '../lib/report.js';

const rows = [
  { item: 'Tea', pieces: 12, price: 350, share: 0.4 },
  { item: 'Coffee, black', pieces: 1500, price: 1299, share: 0.6 },
];

test('render a small table', () => {
  assert.strictEqual(render(rows, [{ key: 'item' }, { key: 'price', type: 'money' }]), [
    'Item           Price',
    '--------------------',
    'Tea             3.50',
    'Coffee, black  12.99',
  ].join('\n'));
});

test('render whole pieces', () => {
  assert.strictEqual(render(rows, [{ key: 'item' }, { key: 'pieces', type: 'number', digits: 0 }]), [
    'Item           Pieces',
    '---------------------',
    'Tea                12',
    'Coffee, black   1 500',
  ].join('\n'));
});

test('render totals', () => {
  const out = render(rows, [{ key: 'item' }, { key: 'price', type: 'money', total: 'sum' }]).split('\n');
  assert.strictEqual(out.length, 6);
  assert.match(out[5], /16\.49$/);
});

test('pick sorts with missing values last', () => {
  const list = [{ a: 2 }, { a: null }, { a: 1 }];
  assert.deepStrictEqual(pick(list, { sort: 'a' }), [{ a: 1 }, { a: 2 }, { a: null }]);
});

test('pick limits, also to nothing', () => {
  assert.strictEqual(pick(rows, { limit: 1 }).length, 1);
  assert.strictEqual(pick(rows, { limit: 0 }).length, 0);
});

test('csv quotes commas', () => {
  assert.strictEqual(renderCsv(rows, [{ key: 'item' }, { key: 'share', type: 'percent' }]),
    'Item,Share\nTea,40.0 %\n"Coffee, black",60.0 %');
});
