// Ordering records into a table.

const ORDER = [
  (a, b) => b.points - a.points,
  (a, b) => b.difference - a.difference,
  (a, b) => b.scored - a.scored,
];

export function compare(a, b) {
  for (const rule of ORDER) {
    const result = rule(a, b);
    if (result !== 0) return result;
  }
  return 0;
}

const byName = (a, b) => (a.team < b.team ? -1 : a.team > b.team ? 1 : 0);

// Adds places to records: [{ place, record }].
export function standing(records) {
  const sorted = [...records].sort((a, b) => compare(a, b) || byName(a, b));
  let place = 0;
  let previous = null;
  return sorted.map((record) => {
    if (previous === null || compare(previous, record) !== 0) place += 1;
    previous = record;
    return { place, record };
  });
}

// The teams in the first places, more than `count` when the last ones are equal.
export function leaders(rows, count) {
  return rows.filter((row) => row.place <= count).map((row) => row.record.team);
}

// The teams in the last `count` places, fewer when they share a higher one.
export function relegated(rows, count) {
  const safe = rows.length - count;
  return rows.filter((row) => row.place > safe).map((row) => row.record.team);
}
