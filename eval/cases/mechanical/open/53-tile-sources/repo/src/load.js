import { NotFound } from './errors.js';
import { area, parentKey } from './key.js';

// Loads many tiles, at most `width` at a time. Missing tiles are null.
export async function loadAll(source, keys, { width = 4 } = {}) {
  const tiles = new Map(keys.map((key) => [key, null]));
  const queue = [...tiles.keys()];
  async function work() {
    while (queue.length > 0) {
      const key = queue.shift();
      tiles.set(key, await orNull(source, key));
    }
  }
  await Promise.all(Array.from({ length: Math.min(width, queue.length) }, work));
  return tiles;
}

async function orNull(source, key) {
  try {
    return await source.load(key);
  } catch (error) {
    if (error instanceof NotFound) return null;
    throw error;
  }
}

export async function loadArea(source, zoom, first, last, options) {
  const keys = area(zoom, first, last);
  const tiles = await loadAll(source, keys, options);
  return keys.map((key) => tiles.get(key));
}

// The tile itself or the nearest one above it: { key, tile }.
export async function loadNearest(source, key) {
  for (let at = key; at !== null; at = parentKey(at)) {
    const tile = await orNull(source, at);
    if (tile !== null) return { key: at, tile };
  }
  throw new NotFound(key);
}

// Which tiles of an area have no source, as text: "#" for a tile, "." for none.
export async function coverage(source, zoom, first, last) {
  const tiles = await loadArea(source, zoom, first, last);
  const width = last[0] - first[0] + 1;
  const rows = [];
  for (let at = 0; at < tiles.length; at += width) {
    rows.push(tiles.slice(at, at + width).map((tile) => (tile === null ? '.' : '#')).join(''));
  }
  return rows.join('\n');
}
