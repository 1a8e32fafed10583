import test from 'node:test';
import assert from 'node:assert/strict';
import { FilterShelf, compile, parse, print } from '../src/index.js';

const tag = (name) => ({ op: 'tag', tag: name });
const not = (inner) => ({ op: 'not', inner });

// Every filter over a, b, c is compared with a function, for all eight notes.
function agrees(text, expected) {
  const passes = compile(text);
  for (let bits = 0; bits < 8; bits += 1) {
    const [a, b, c] = [1, 2, 4].map((bit) => Boolean(bits & bit));
    const tags = [a && 'a', b && 'b', c && 'c'].filter(Boolean);
    assert.equal(passes({ tags }), expected(a, b, c), `${text} with ${tags}`);
  }
}

test('held: not and and', () => {
  agrees('not a and b', (a, b) => !a && b);
  agrees('not a and not b', (a, b) => !a && !b);
  agrees('not a and b and c', (a, b, c) => !a && b && c);
  agrees('a and not b and c', (a, b, c) => a && !b && c);
});

test('held: not and or', () => {
  agrees('not a or b', (a, b) => !a || b);
  agrees('not a and b or c', (a, b, c) => (!a && b) || c);
  agrees('a or not b and c', (a, b, c) => a || (!b && c));
  agrees('not a or not b or c', (a, b, c) => !a || !b || c);
});

test('held: not not', () => {
  agrees('not not a', (a) => a);
  agrees('not not a and b', (a, b) => a && b);
  agrees('not not not a or b', (a, b) => !a || b);
});

test('held: brackets', () => {
  agrees('not (a and b)', (a, b) => !(a && b));
  agrees('not (a or b) and c', (a, b, c) => !(a || b) && c);
  agrees('not (not a and b) or c', (a, b, c) => !(!a && b) || c);
  agrees('(not a) and b', (a, b) => !a && b);
  agrees('not ((a) and b) and c', (a, b, c) => !(a && b) && c);
});

test('held: not before a comparison', () => {
  const passes = compile('not due < 20 and a');
  assert.equal(passes({ due: 5, tags: [] }), false);
  assert.equal(passes({ due: 30, tags: [] }), false);
  assert.equal(passes({ due: 30, tags: ['a'] }), true);
  assert.equal(passes({ tags: ['a'] }), true);
});

test('held: the tree', () => {
  assert.deepEqual(parse('not a and b'), { op: 'and', left: not(tag('a')), right: tag('b') });
  assert.deepEqual(parse('not a or b'), { op: 'or', left: not(tag('a')), right: tag('b') });
  assert.deepEqual(parse('not not a and b'), { op: 'and', left: not(not(tag('a'))), right: tag('b') });
});

test('held: printed and read again', () => {
  for (const text of ['not a and not b or c', 'not (a or b) and c', 'not not a', 'not a or b and not (c and d)']) {
    assert.equal(print(parse(text)), text);
  }
  assert.equal(print(parse('(not a) and b')), 'not a and b');
});

test('held: not without a condition', () => {
  for (const text of ['not', 'a and not', 'not and a', 'not or', 'a not b']) {
    assert.throws(() => parse(text), { name: 'FilterError' }, text);
  }
});

test('held: shelf', () => {
  const shelf = new FilterShelf().save('x', 'not a and b').save('y', 'NOT a AND NOT b');
  assert.deepEqual(shelf.counts([{ tags: [] }, { tags: ['b'] }, { tags: ['a'] }]), { x: 1, y: 1 });
});
