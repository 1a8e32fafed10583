'use strict';

const test = require('node:test');
const assert = require('node:assert/strict');
const { Course } = require('../src/course.js');
const { Person } = require('../src/person.js');
const { Waitlist } = require('../src/waitlist.js');

// A list from a text: "a5" has an offer until day 5, "b" has none.
function list(text) {
  const waitlist = new Waitlist();
  for (const word of text.split(' ').filter(Boolean)) {
    waitlist.add(new Person(word[0]), 0);
    if (word.length > 1) waitlist.entries.at(-1).offer = Number(word.slice(1));
  }
  return waitlist;
}

function check(text, day, gone, left) {
  const waitlist = list(text);
  assert.equal(waitlist.expire(day).map((person) => person.name).join(''), gone, `gone of ${text}`);
  assert.equal(waitlist.names().join(''), left, `left of ${text}`);
}

test('held: nothing to expire', () => {
  check('', 9, '', '');
  check('a b c', 9, '', 'abc');
  check('a9 b10 c', 9, '', 'abc');
});

test('held: one offer, anywhere', () => {
  check('a1 b c', 9, 'a', 'bc');
  check('a b1 c', 9, 'b', 'ac');
  check('a b c1', 9, 'c', 'ab');
});

test('held: neighbours', () => {
  check('a1 b1', 9, 'ab', '');
  check('a b1 c1 d', 9, 'bc', 'ad');
  check('a b c1 d1', 9, 'cd', 'ab');
});

test('held: three and more in a row', () => {
  check('a1 b1 c1', 9, 'abc', '');
  check('a1 b1 c1 d1 e', 9, 'abcd', 'e');
  check('a b1 c1 d1 e1 f1', 9, 'bcdef', 'a');
});

test('held: two groups', () => check('a1 b1 c d1 e1 f1 g', 9, 'abdef', 'cg'));
test('held: every other one', () => check('a1 b c1 d e1', 9, 'ace', 'bd'));
test('held: mixed with offers that go on', () => check('a1 b9 c8 d8 e10', 9, 'acd', 'be'));
test('held: the last day of an offer counts', () => check('a5 b4 c4 d5', 5, 'bc', 'ad'));
test('held: offer until day 0', () => check('a0 b0 c', 1, 'ab', 'c'));

test('held: the list stays usable', () => {
  const waitlist = list('a1 b1 c');
  const same = waitlist.entries;
  waitlist.expire(2);
  waitlist.add(new Person('a'), 3);
  assert.deepEqual(waitlist.names(), ['c', 'a']);
  assert.deepEqual([waitlist.position('c'), waitlist.position('b'), waitlist.offered], [1, 0, 0]);
  assert.equal(waitlist.entries.length, 2);
  assert.ok(Array.isArray(same));
  assert.deepEqual(waitlist.expire(100), []);
});

test('held: expiry of three makes room for three', () => {
  const course = new Course('Clay', 3, { offerDays: 1 });
  for (const name of 'abcdefgh') course.book(new Person(name), 0);
  for (const name of 'abc') course.cancel(name, 1);
  course.turn(2);
  assert.deepEqual(course.journal.on(2), []);
  course.turn(3);
  assert.deepEqual(course.journal.on(3), ['expired d', 'expired e', 'expired f', 'offered g', 'offered h']);
  assert.equal(course.free, 1);
  assert.equal(course.accept('d', 3), false);
  assert.equal(course.accept('h', 4), true);
});

test('held: seats of expired offers are free again', () => {
  const course = new Course('Clay', 4, { offerDays: 0 });
  for (const name of 'ab') course.book(new Person(name, { seats: 2 }), 0);
  course.book(new Person('c', { seats: 2 }), 0);
  course.book(new Person('d'), 0);
  course.cancel('a', 1);
  course.cancel('b', 1);
  assert.equal(course.waiting.offered, 3);
  course.turn(2);
  assert.deepEqual([course.waiting.offered, course.free, course.waiting.size], [0, 4, 0]);
});

test('held: somebody on holiday between two expired ones', () => {
  const course = new Course('Clay', 2, { offerDays: 1 });
  for (const name of ['a', 'b', 'c']) course.book(new Person(name), 0);
  course.book(new Person('x', { away: [[0, 9]] }), 0);
  course.book(new Person('d'), 0);
  course.cancel('a', 1);
  course.cancel('b', 1);
  course.turn(3);
  assert.deepEqual(course.waiting.names(), ['x']);
  course.turn(10);
  assert.deepEqual(course.journal.on(10), ['offered x']);
});
