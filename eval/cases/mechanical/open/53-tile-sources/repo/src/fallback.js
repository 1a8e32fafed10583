import { AllFailed, NotFound } from './errors.js';

// Asks sources in their order. One that has gone wrong `patience` times in a row
// is left out until `reset`.
export class FallbackSource {
  constructor(sources, { patience = 3, name = 'fallback' } = {}) {
    if (sources.length === 0) throw new TypeError('no sources');
    this.name = name;
    this.sources = sources;
    this.patience = patience;
    this.strikes = new Map();
    this.served = new Map();
  }

  async load(key) {
    const causes = new Map();
    for (const source of this.#usable()) {
      try {
        return this.#ask(source, key);
      } catch (error) {
        this.#note(source, error);
        causes.set(source.name, error);
      }
    }
    if (causes.size > 0 && [...causes.values()].every((error) => error instanceof NotFound)) {
      throw new NotFound(key);
    }
    throw new AllFailed(key, causes);
  }

  async #ask(source, key) {
    const tile = await source.load(key);
    this.strikes.delete(source);
    this.served.set(source.name, (this.served.get(source.name) ?? 0) + 1);
    return tile;
  }

  #usable() {
    return this.sources.filter((source) => (this.strikes.get(source) ?? 0) < this.patience);
  }

  // A missing tile is an answer, so it does not count against a source.
  #note(source, error) {
    if (error instanceof NotFound) this.strikes.delete(source);
    else this.strikes.set(source, (this.strikes.get(source) ?? 0) + 1);
  }

  reset() {
    this.strikes.clear();
  }

  get suspended() {
    const usable = this.#usable();
    return this.sources.filter((source) => !usable.includes(source)).map((source) => source.name);
  }
}
