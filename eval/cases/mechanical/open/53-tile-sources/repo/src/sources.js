import { NotFound } from './errors.js';
import { parseKey } from './key.js';

export class MemorySource {
  constructor(name, tiles = {}) {
    this.name = name;
    this.tiles = new Map(Object.entries(tiles));
  }

  put(key, tile) {
    parseKey(key);
    this.tiles.set(key, tile);
    return this;
  }

  async load(key) {
    if (!this.tiles.has(key)) throw new NotFound(key);
    return this.tiles.get(key);
  }
}

// Asks a function, which may give a tile, a promise of one, or undefined.
export class FunctionSource {
  constructor(name, ask) {
    this.name = name;
    this.ask = ask;
    this.asked = [];
  }

  async load(key) {
    this.asked.push(key);
    const tile = await this.ask(parseKey(key));
    if (tile === undefined) throw new NotFound(key);
    return tile;
  }
}
