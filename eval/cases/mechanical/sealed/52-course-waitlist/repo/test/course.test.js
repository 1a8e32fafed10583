'use strict';

const test = require('node:test');
const assert = require('node:assert/strict');
const { Course } = require('../src/course.js');
const { Office } = require('../src/office.js');
const { Person } = require('../src/person.js');
const { Waitlist } = require('../src/waitlist.js');

function full(places, ...names) {
  const course = new Course('Clay', places);
  for (const name of names) course.book(new Person(name), 0);
  return course;
}

test('places are given in order', () => {
  const course = new Course('Clay', 2);
  assert.deepEqual(['a', 'b', 'c', 'd'].map((name) => course.book(new Person(name), 1)), [0, 0, 1, 2]);
  assert.equal(course.free, 0);
});

test('nobody books twice', () => {
  const course = full(1, 'a', 'b');
  assert.throws(() => course.book(new Person('a'), 1), /has a place/);
  assert.throws(() => course.book(new Person('b'), 1), /waits already/);
});

test('a free place is offered', () => {
  const course = full(1, 'a', 'b', 'c');
  course.cancel('a', 2);
  assert.deepEqual(course.journal.on(2), ['cancelled a', 'offered b']);
  assert.equal(course.free, 0);
});

test('an offer is accepted', () => {
  const course = full(1, 'a', 'b');
  course.cancel('a', 2);
  assert.equal(course.accept('b', 5), true);
  assert.deepEqual([...course.members.keys()], ['b']);
  assert.equal(course.waiting.size, 0);
});

test('no offer, nothing to accept', () => assert.equal(full(1, 'a', 'b').accept('b', 1), false));

test('people on holiday are passed over', () => {
  const course = full(1, 'a');
  course.book(new Person('b', { away: [[1, 4]] }), 0);
  course.book(new Person('c'), 0);
  course.cancel('a', 2);
  assert.deepEqual(course.journal.of('c'), ['0 waits', '2 offered']);
  assert.equal(course.waiting.position('b'), 1);
});

test('an offer ends', () => {
  const course = full(1, 'a', 'b', 'c');
  course.cancel('a', 2);
  course.turn(5);
  assert.equal(course.waiting.has('b'), true);
  course.turn(6);
  assert.deepEqual(course.journal.on(6), ['expired b', 'offered c']);
});

test('two offers end on one day', () => {
  const course = full(2, 'a', 'b', 'c', 'd', 'e');
  course.cancel('a', 2);
  course.cancel('b', 2);
  course.turn(6);
  assert.deepEqual(course.waiting.names(), ['e']);
  assert.equal(course.journal.count('expired'), 2);
});

test('cancelling while waiting', () => {
  const course = full(1, 'a', 'b', 'c');
  assert.equal(course.cancel('b', 1), true);
  assert.equal(course.cancel('x', 1), false);
  assert.equal(course.waiting.position('c'), 1);
});

test('a list knows positions', () => {
  const list = new Waitlist();
  list.add(new Person('a'), 1);
  assert.deepEqual([list.position('a'), list.position('b'), list.size], [1, 0, 1]);
  assert.equal(list.remove('b'), null);
});

test('two seats need two places', () => {
  const course = full(2, 'a', 'b');
  course.book(new Person('c', { seats: 2 }), 0);
  course.cancel('a', 1);
  assert.equal(course.waiting.offered, 0);
  course.cancel('b', 1);
  assert.equal(course.waiting.offered, 2);
});

test('bad people', () => {
  assert.throws(() => new Person(''), TypeError);
  assert.throws(() => new Person('a', { seats: 0 }), RangeError);
});

test('office', () => {
  const office = new Office();
  office.open('Clay', 1);
  assert.deepEqual(['book Clay a', 'book Clay b', 'cancel Clay a', 'accept Clay b'].map((line) => office.run(line)), [0, 1, true, true]);
  assert.deepEqual(office.report(), ['Clay: 1/1, 0 waiting']);
  assert.throws(() => office.run('book Yoga a'), /no course Yoga/);
});

test('office goes on by days', () => {
  const office = new Office();
  office.open('Clay', 2);
  for (const name of ['a', 'b', 'c', 'd']) office.run(`book Clay ${name}`);
  office.run('cancel Clay a');
  office.run('cancel Clay b');
  assert.deepEqual(office.advance(4).report(), ['Clay: 0/2, 0 waiting']);
});
