// Printing tables.

import { parseResults, rounds } from './results.js';
import { collect } from './record.js';
import { standing } from './standing.js';
import { arrow, moves } from './moves.js';

const COLUMNS = [
  { title: '', align: 'right', value: ({ row, shared }) => (shared ? '' : `${row.place}.`) },
  { title: 'team', align: 'left', value: ({ row }) => row.record.team },
  { title: 'pl', align: 'right', value: ({ row }) => row.record.played },
  { title: 'w', align: 'right', value: ({ row }) => row.record.won },
  { title: 'd', align: 'right', value: ({ row }) => row.record.drawn },
  { title: 'l', align: 'right', value: ({ row }) => row.record.lost },
  { title: 'goals', align: 'right', value: ({ row }) => `${row.record.scored}:${row.record.conceded}` },
  { title: 'pts', align: 'right', value: ({ row }) => row.record.points },
];

function layout(lines, columns) {
  const widths = columns.map((_, at) => Math.max(...lines.map((cells) => cells[at].length)));
  return lines
    .map((cells) =>
      cells
        .map((cell, at) => (columns[at].align === 'left' ? cell.padEnd(widths[at]) : cell.padStart(widths[at])))
        .join(' ')
        .trimEnd(),
    )
    .join('\n');
}

export function render(rows) {
  const lines = rows.map((row, index) => {
    const shared = index > 0 && rows[index - 1].place === row.place;
    return COLUMNS.map((column) => String(column.value({ row, shared })));
  });
  return layout([COLUMNS.map((column) => column.title), ...lines], COLUMNS);
}

export class League {
  constructor(text, options = {}) {
    this.matches = parseResults(text);
    this.options = options;
  }

  // The table after a round, or after the last one.
  table(round = Infinity) {
    const matches = this.matches.filter((match) => match.round <= round);
    return standing(collect(matches, this.options));
  }

  // The changes that a round has brought.
  changes(round) {
    const earlier = rounds(this.matches).filter((each) => each < round);
    if (earlier.length === 0) return moves([], this.table(round));
    return moves(this.table(earlier.at(-1)), this.table(round));
  }

  summary(round) {
    return this.changes(round)
      .map(({ team, place, change }) => `${place} ${team} (${arrow(change)})`)
      .join(', ');
  }
}
