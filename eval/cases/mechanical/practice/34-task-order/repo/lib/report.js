import { critical, schedule } from './plan.js';

/** A line for every worker: name and time span of its tasks. */
export function gantt(tasks, workers, goals) {
  const rows = schedule(tasks, workers, goals);
  const lines = [];
  for (let w = 0; w < workers; w++) {
    const own = rows.filter((r) => r.worker === w);
    lines.push(`${w + 1}: ` + own.map((r) => `${r.task} ${r.start}-${r.end}`).join(', '));
  }
  return lines.map((l) => l.trimEnd()).join('\n');
}

export function summary(tasks, goals) {
  const { minutes, chain } = critical(tasks, goals);
  return `${minutes} min: ${chain.join(' > ')}`;
}
