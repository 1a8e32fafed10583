'use strict';

// Somebody who wants a place. `away` has [first, last] days of holidays.
class Person {
  constructor(name, { away = [], seats = 1 } = {}) {
    if (!name) throw new TypeError('a name is needed');
    if (!Number.isInteger(seats) || seats < 1) throw new RangeError(`bad seats: ${seats}`);
    this.name = name;
    this.away = away;
    this.seats = seats;
  }

  isAway(day) {
    return this.away.some(([first, last]) => first <= day && day <= last);
  }
}

module.exports = { Person };
