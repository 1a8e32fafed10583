// Figures beside the table.

// The last results of a team as letters, the latest one last: "WWDL".
export function form(matches, team, count = 5) {
  const letters = [...matches]
    .sort((a, b) => a.round - b.round)
    .filter((match) => match.home === team || match.guest === team)
    .map(({ home, goals: [first, second] }) => {
      if (first === second) return 'D';
      return first > second === (home === team) ? 'W' : 'L';
    });
  return letters.slice(-count).join('');
}

// How many matches in a row a team has not lost, up to its latest one.
export function unbeaten(matches, team) {
  const letters = form(matches, team, Infinity);
  return letters.length - (letters.lastIndexOf('L') + 1);
}

// The matches with the highest difference of goals.
export function clearest(matches) {
  const difference = ({ goals }) => Math.abs(goals[0] - goals[1]);
  const highest = Math.max(0, ...matches.map(difference));
  return matches.filter((match) => difference(match) === highest);
}

export function goalsByRound(matches) {
  const sums = {};
  for (const { round, goals } of matches) {
    sums[round] = (sums[round] ?? 0) + goals[0] + goals[1];
  }
  return sums;
}
