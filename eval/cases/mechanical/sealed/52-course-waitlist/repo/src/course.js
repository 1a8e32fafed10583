'use strict';

const { Journal } = require('./journal.js');
const { Waitlist } = require('./waitlist.js');

class Course {
  constructor(title, places, { offerDays = 3 } = {}) {
    this.title = title;
    this.places = places;
    this.offerDays = offerDays;
    this.members = new Map();
    this.waiting = new Waitlist();
    this.journal = new Journal();
  }

  get taken() {
    let sum = 0;
    for (const person of this.members.values()) sum += person.seats;
    return sum;
  }

  get free() {
    return this.places - this.taken - this.waiting.offered;
  }

  // Books a place or puts somebody on the list; returns 0 or the position.
  book(person, day) {
    if (this.members.has(person.name)) throw new Error(`${person.name} has a place`);
    if (this.waiting.size === 0 && person.seats <= this.free) {
      this.#admit(person, day);
      return 0;
    }
    const position = this.waiting.add(person, day);
    this.journal.add(day, 'waits', person);
    this.#fill(day);
    return position;
  }

  cancel(name, day) {
    const member = this.members.get(name);
    const entry = member ? null : this.waiting.remove(name);
    if (!member && !entry) return false;
    this.members.delete(name);
    this.journal.add(day, 'cancelled', member ?? entry.person);
    this.#fill(day);
    return true;
  }

  accept(name, day) {
    const entry = this.waiting.entries.find((each) => each.person.name === name);
    if (!entry || entry.offer === null || entry.offer < day) return false;
    this.waiting.remove(name);
    this.#admit(entry.person, day);
    return true;
  }

  // To be called for every new day.
  turn(day) {
    for (const person of this.waiting.expire(day)) {
      this.journal.add(day, 'expired', person);
    }
    this.#fill(day);
  }

  #admit(person, day) {
    this.members.set(person.name, person);
    this.journal.add(day, 'admitted', person);
  }

  #fill(day) {
    for (const person of this.waiting.offer(this.free, day, day + this.offerDays)) {
      this.journal.add(day, 'offered', person);
    }
  }
}

module.exports = { Course };
