import test from 'node:test';
import assert from 'node:assert';
import { completeColumn, completeColumns } from '../lib/columns.js';
import { render, renderCsv } from '../lib/report.js';

for (const type of ['number', 'money', 'percent']) {
  for (const digits of [0, 1, 2, 3, 5]) {
    test(`held: ${type} with ${digits} digits`, () => {
      assert.strictEqual(completeColumn({ key: 'x', type, digits }).digits, digits);
    });
  }
  test(`held: ${type} has its default without or with an undefined setting`, () => {
    const want = type === 'percent' ? 1 : 2;
    assert.strictEqual(completeColumn({ key: 'x', type }).digits, want);
    assert.strictEqual(completeColumn({ key: 'x', type, digits: undefined }).digits, want);
    assert.strictEqual(completeColumn({ key: 'x', type, digits: null }).digits, want);
  });
}

test('held: whole percents', () => {
  assert.strictEqual(renderCsv([{ s: 0.256 }, { s: 0 }], [{ key: 's', type: 'percent', digits: 0 }]), 'S\n26 %\n0 %');
});

test('held: money without cents', () => {
  assert.strictEqual(renderCsv([{ p: 123456 }, { p: -40 }], [{ key: 'p', type: 'money', digits: 0 }]), 'P\n1 235\n0');
});

test('held: fractions are rounded away with no digits', () => {
  assert.strictEqual(renderCsv([{ n: 1.6 }, { n: -2.7 }], [{ key: 'n', type: 'number', digits: 0 }]), 'N\n2\n-3');
});

test('held: whole numbers keep their default digits', () => {
  assert.strictEqual(renderCsv([{ n: 12 }], [{ key: 'n', type: 'number' }]), 'N\n12.00');
  assert.strictEqual(renderCsv([{ n: 1200 }], [{ key: 'n', type: 'money' }]), 'N\n12.00');
  assert.strictEqual(renderCsv([{ n: 0.12 }], [{ key: 'n', type: 'percent' }]), 'N\n12.0 %');
});

test('held: totals use the digits too', () => {
  const out = render([{ n: 1 }, { n: 2 }], [{ key: 'n', type: 'number', digits: 0, total: 'sum' }]).split('\n');
  assert.strictEqual(out.at(-1), '3');
  const mean = render([{ n: 1 }, { n: 2 }], [{ key: 'n', type: 'number', digits: 1, total: 'mean' }]).split('\n');
  assert.strictEqual(mean.at(-1), '1.5');
});

test('held: several columns with different digits', () => {
  const columns = [0, 1, 2].map((digits) => ({ key: 'k' + digits, type: 'number', digits }));
  assert.strictEqual(renderCsv([{ k0: 7, k1: 7, k2: 7 }], columns).split('\n')[1], '7,7.0,7.00');
  assert.deepStrictEqual(completeColumns(columns).map((c) => c.digits), [0, 1, 2]);
});

test('held: text columns ignore digits', () => {
  assert.strictEqual(completeColumn({ key: 'x' }).digits, undefined);
});

test('held: other settings', () => {
  const c = completeColumn({ key: 'x', empty: '', align: 'center', total: 'sum' });
  assert.deepStrictEqual([c.empty, c.align, c.total], ['', 'center', 'sum']);
  assert.strictEqual(completeColumn({ key: 'x', align: '' }).align, 'left');
});
