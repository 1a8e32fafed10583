'use strict';

/** A binary heap; `before(a, b)` says whether a comes out ahead of b. */
class Heap {
  constructor(before) {
    this.before = before;
    this.items = [];
  }

  get size() {
    return this.items.length;
  }

  push(item) {
    const { items } = this;
    let at = items.push(item) - 1;
    while (at > 0) {
      const up = (at - 1) >> 1;
      if (!this.before(items[at], items[up])) break;
      [items[at], items[up]] = [items[up], items[at]];
      at = up;
    }
  }

  pop() {
    const { items } = this;
    if (items.length === 0) return undefined;
    const top = items[0];
    const last = items.pop();
    if (items.length > 0) {
      items[0] = last;
      let at = 0;
      for (;;) {
        let best = at;
        for (const down of [2 * at + 1, 2 * at + 2]) {
          if (down < items.length && this.before(items[down], items[best])) best = down;
        }
        if (best === at) break;
        [items[at], items[best]] = [items[best], items[at]];
        at = best;
      }
    }
    return top;
  }
}

module.exports = { Heap };
