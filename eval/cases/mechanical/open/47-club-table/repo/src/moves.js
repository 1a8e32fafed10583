// How places have changed since an earlier table.

export function moves(before, after) {
  const places = new Map(before.map(({ place, record }) => [record.team, place]));
  return after.map(({ place, record }) => {
    const old = places.get(record.team);
    return { team: record.team, place, change: old === undefined ? null : old - place };
  });
}

export function arrow(change) {
  if (change === null) return '*';
  if (change > 0) return `+${change}`;
  return change < 0 ? String(change) : '=';
}

export function climbers(list) {
  return list
    .filter(({ change }) => change !== null && change > 0)
    .sort((a, b) => b.change - a.change || a.place - b.place)
    .map(({ team }) => team);
}
