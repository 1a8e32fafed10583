'use strict';

// People in the order in which they asked, each with the day and, once they
// have one, the last day of their offer.
class Waitlist {
  constructor() {
    this.entries = [];
  }

  get size() {
    return this.entries.length;
  }

  add(person, day) {
    if (this.has(person.name)) throw new Error(`${person.name} waits already`);
    this.entries.push({ person, since: day, offer: null });
    return this.entries.length;
  }

  has(name) {
    return this.entries.some((entry) => entry.person.name === name);
  }

  // From 1 on; 0 for somebody who does not wait.
  position(name) {
    return this.entries.findIndex((entry) => entry.person.name === name) + 1;
  }

  names() {
    return this.entries.map((entry) => entry.person.name);
  }

  remove(name) {
    const at = this.entries.findIndex((entry) => entry.person.name === name);
    return at < 0 ? null : this.entries.splice(at, 1)[0];
  }

  // Gives an offer to the first ones who are not away, for some seats.
  offer(seats, day, last) {
    const given = [];
    let left = seats;
    for (const entry of this.entries) {
      if (left === 0) break;
      if (entry.offer !== null || entry.person.isAway(day)) continue;
      if (entry.person.seats > left) break;
      entry.offer = last;
      left -= entry.person.seats;
      given.push(entry.person);
    }
    return given;
  }

  // The seats that are held back for offers.
  get offered() {
    return this.entries
      .filter((entry) => entry.offer !== null)
      .reduce((sum, entry) => sum + entry.person.seats, 0);
  }

  // Takes those off the list whose offer has ended before a day.
  expire(day) {
    const gone = [];
    for (const entry of this.entries) {
      if (entry.offer !== null && entry.offer < day) {
        this.remove(entry.person.name);
        gone.push(entry.person);
      }
    }
    return gone;
  }
}

module.exports = { Waitlist };
