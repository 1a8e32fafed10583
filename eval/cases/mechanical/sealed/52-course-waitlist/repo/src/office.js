'use strict';

const { Course } = require('./course.js');
const { Person } = require('./person.js');

// All courses of a term.
class Office {
  constructor() {
    this.courses = new Map();
    this.day = 0;
  }

  open(title, places, options) {
    if (this.courses.has(title)) throw new Error(`${title} is open already`);
    const course = new Course(title, places, options);
    this.courses.set(title, course);
    return course;
  }

  course(title) {
    const course = this.courses.get(title);
    if (!course) throw new Error(`no course ${title}`);
    return course;
  }

  // Goes on to a later day, one by one.
  advance(days = 1) {
    for (let i = 0; i < days; i += 1) {
      this.day += 1;
      for (const course of this.courses.values()) course.turn(this.day);
    }
    return this;
  }

  // Carries out a line such as "book Pottery Ann 2".
  run(line) {
    const [verb, title, name, seats = '1'] = line.trim().split(/\s+/);
    const course = this.course(title);
    switch (verb) {
      case 'book':
        return course.book(new Person(name, { seats: Number(seats) }), this.day);
      case 'cancel':
        return course.cancel(name, this.day);
      case 'accept':
        return course.accept(name, this.day);
      default:
        throw new Error(`unknown word ${verb}`);
    }
  }

  report() {
    return [...this.courses.values()].map(
      (course) => `${course.title}: ${course.taken}/${course.places}, ${course.waiting.size} waiting`,
    );
  }
}

module.exports = { Office };
