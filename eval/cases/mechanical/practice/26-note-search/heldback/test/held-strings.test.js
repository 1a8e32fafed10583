'use strict';
const test = require('node:test');
const assert = require('node:assert');
const { tokenize } = require('../src/lexer');
const { parse, format, search, SavedSearches } = require('../src/index');

const show = (q) => tokenize(q).map((t) => `${t.type}=${t.value}`).join('|');
const B = '\\';

const CASES = [
  [`"a${B}"b"`, 'string=a"b'],
  [`"${B}""`, 'string="'],
  [`"${B}"${B}""`, 'string=""'],
  [`"a${B}${B}"`, `string=a${B}`],
  [`"a${B}${B}" b`, `string=a${B}|word=b`],
  [`"a${B}${B}" "b"`, `string=a${B}|string=b`],
  [`"a${B}${B}${B}"b"`, `string=a${B}"b`],
  [`"a${B}" b" "c"`, 'string=a" b|string=c'],
  [`"a" b "c"`, 'string=a|word=b|string=c'],
  [`"a"b"c"`, 'string=a|word=b|string=c'],
  [`""`, 'string='],
  [`"" ""`, 'string=|string='],
  [`"${B}n${B}t${B}x"`, 'string=\n\tx'],
  [`"line\nbreak"`, 'string=line\nbreak'],
  [`("a${B}"" or -"b)")`, 'open=(|string=a"|or=or|not=-|string=b)|close=)'],
  [`f:"${B}"x${B}"" y`, 'field=f|string="x"|word=y'],
  [`"x or y"`, 'string=x or y'],
  [`a${B}b`, `word=a${B}b`],
];
for (const [query, want] of CASES) {
  test(`held: tokens of ${JSON.stringify(query)}`, () => assert.strictEqual(show(query), want));
}

for (const query of [`"`, `a "b${B}"`, `"${B}`, `"a" "`, `"a${B}${B}${B}"`, `"${B}" b`]) {
  test(`held: open string ${JSON.stringify(query)}`, () => {
    assert.throws(() => tokenize(query), { name: 'QuerySyntaxError' });
  });
}

test('held: format and parse go round', () => {
  const bits = ['a', ' ', '"', B, '\n', '\t', 'n', ')', 'or', ':'];
  let seed = 7;
  const next = (n) => { seed = (seed * 1103515245 + 12345) % 2147483648; return seed % n; };
  for (let i = 0; i < 300; i++) {
    let one = '';
    let two = '';
    for (let k = next(6); k >= 0; k--) one += bits[next(bits.length)];
    for (let k = next(6); k >= 0; k--) two += bits[next(bits.length)];
    const tree = {
      kind: 'or',
      parts: [
        { kind: 'term', field: 'title', text: one, exact: true },
        { kind: 'not', part: { kind: 'term', field: null, text: two, exact: true } },
      ],
    };
    assert.deepStrictEqual(parse(format(tree)), tree);
  }
});

test('held: token positions', () => {
  assert.deepStrictEqual(tokenize(`"a${B}"" b`).map((t) => [t.start, t.end]), [[0, 5], [6, 7]]);
});

test('held: long strings are read quickly', () => {
  const long = 'x '.repeat(50000);
  assert.strictEqual(tokenize(`"${long}"`)[0].value, long);
  assert.throws(() => tokenize(`"${'y'.repeat(20000)}`), { name: 'QuerySyntaxError' });
});

test('held: exact search of quotation marks only', () => {
  const notes = [{ title: '"a" and "b"' }, { title: 'a and b' }, { title: `back${B}slash` }];
  assert.deepStrictEqual(search(notes, `title:"${B}"a${B}" and ${B}"b${B}""`), [notes[0]]);
  assert.deepStrictEqual(search(notes, `title:"back${B}${B}slash"`), [notes[2]]);
  assert.deepStrictEqual(search(notes, `"${B}""`), [notes[0]]);
});

test('held: saved searches survive an export', () => {
  const saved = new SavedSearches();
  saved.save('q', `title:"6${B}" nails" "x y"`);
  const again = new SavedSearches();
  for (const { name, query } of saved.export()) again.save(name, query);
  assert.deepStrictEqual(again.export(), saved.export());
  assert.deepStrictEqual(again.run('q', [{ title: '6" nails', body: 'x y' }]).length, 1);
});
