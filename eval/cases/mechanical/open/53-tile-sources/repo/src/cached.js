// Keeps the last tiles of a source. Failures are not kept.
export class CachedSource {
  constructor(source, { limit = 100 } = {}) {
    this.name = `cached ${source.name}`;
    this.source = source;
    this.limit = limit;
    this.tiles = new Map();
    this.pending = new Map();
    this.hits = 0;
  }

  async load(key) {
    if (this.tiles.has(key)) {
      this.hits += 1;
      const tile = this.tiles.get(key);
      this.tiles.delete(key);
      this.tiles.set(key, tile);
      return tile;
    }
    if (!this.pending.has(key)) this.pending.set(key, this.#fetch(key));
    return this.pending.get(key);
  }

  async #fetch(key) {
    try {
      const tile = await this.source.load(key);
      this.#keep(key, tile);
      return tile;
    } finally {
      this.pending.delete(key);
    }
  }

  #keep(key, tile) {
    this.tiles.set(key, tile);
    if (this.tiles.size > this.limit) {
      const [oldest] = this.tiles.keys();
      this.tiles.delete(oldest);
    }
  }

  forget(key) {
    return this.tiles.delete(key);
  }
}
