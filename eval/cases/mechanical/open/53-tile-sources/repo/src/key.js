// Keys of tiles: "zoom/x/y".

export function toKey(zoom, x, y) {
  return `${zoom}/${x}/${y}`;
}

export function parseKey(key) {
  const found = /^(\d+)\/(\d+)\/(\d+)$/.exec(key);
  if (!found) throw new TypeError(`bad key ${key}`);
  const [zoom, x, y] = found.slice(1).map(Number);
  if (x >= 2 ** zoom || y >= 2 ** zoom) throw new RangeError(`${key} is off the map`);
  return { zoom, x, y };
}

// The tile that covers this one in the next lower zoom, null at the top.
export function parentKey(key) {
  const { zoom, x, y } = parseKey(key);
  return zoom === 0 ? null : toKey(zoom - 1, x >> 1, y >> 1);
}

export function area(zoom, [left, top], [right, bottom]) {
  const keys = [];
  for (let y = top; y <= bottom; y += 1) {
    for (let x = left; x <= right; x += 1) keys.push(toKey(zoom, x, y));
  }
  return keys;
}
