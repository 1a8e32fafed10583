// What a team has reached so far.

export class Record {
  constructor(team) {
    this.team = team;
    this.won = 0;
    this.drawn = 0;
    this.lost = 0;
    this.scored = 0;
    this.conceded = 0;
    this.penalty = 0;
  }

  add(scored, conceded) {
    this.scored += scored;
    this.conceded += conceded;
    if (scored > conceded) this.won += 1;
    else if (scored < conceded) this.lost += 1;
    else this.drawn += 1;
  }

  get played() {
    return this.won + this.drawn + this.lost;
  }

  get points() {
    return 3 * this.won + this.drawn - this.penalty;
  }

  get difference() {
    return this.scored - this.conceded;
  }
}

// Records by team. Teams of `teams` are there even without a match.
export function collect(matches, { teams = [], penalties = {} } = {}) {
  const records = new Map(teams.map((team) => [team, new Record(team)]));
  const of = (team) => {
    if (!records.has(team)) records.set(team, new Record(team));
    return records.get(team);
  };
  for (const { home, guest, goals } of matches) {
    of(home).add(goals[0], goals[1]);
    of(guest).add(goals[1], goals[0]);
  }
  for (const [team, points] of Object.entries(penalties)) {
    of(team).penalty = points;
  }
  return [...records.values()];
}
