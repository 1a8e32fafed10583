// Reading match results.

export class ResultError extends Error {
  constructor(line, message) {
    super(`line ${line}: ${message}`);
    this.name = 'ResultError';
    this.line = line;
  }
}

const MATCH = /^(\d+)\s+(\S.*?)\s+(\d+):(\d+)\s+(\S.*)$/;

export function parseResults(text) {
  const matches = [];
  const played = new Set();
  text.split('\n').forEach((raw, index) => {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) return;
    const found = MATCH.exec(line);
    if (!found) throw new ResultError(index + 1, 'not a result');
    const [, round, home, homeGoals, guestGoals, guest] = found;
    if (home === guest) throw new ResultError(index + 1, `${home} against itself`);
    for (const team of [home, guest]) {
      const key = `${round}/${team}`;
      if (played.has(key)) throw new ResultError(index + 1, `${team} played twice in round ${round}`);
      played.add(key);
    }
    matches.push({
      round: Number(round),
      home,
      guest,
      goals: [Number(homeGoals), Number(guestGoals)],
    });
  });
  return matches;
}

// The rounds that have matches, in order.
export function rounds(matches) {
  return [...new Set(matches.map((match) => match.round))].sort((a, b) => a - b);
}
