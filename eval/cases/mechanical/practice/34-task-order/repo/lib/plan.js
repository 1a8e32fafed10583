import { order } from './order.js';
import { TaskError } from './errors.js';

/** Earliest start and end of each task if any number may run at a time. */
export function earliest(tasks, goals) {
  const times = new Map();
  for (const name of order(tasks, goals)) {
    const task = tasks.get(name);
    const start = Math.max(0, ...task.needs.map((need) => times.get(need).end));
    times.set(name, { start, end: start + task.minutes });
  }
  return times;
}

/** Minutes that the goals take at least, and one chain of tasks that decides it. */
export function critical(tasks, goals) {
  const times = earliest(tasks, goals);
  let last = null;
  for (const [name, { end }] of times) {
    if (last === null || end > times.get(last).end) last = name;
  }
  const chain = [];
  for (let name = last; name; ) {
    chain.unshift(name);
    const { start } = times.get(name);
    name = start > 0 ? tasks.get(name).needs.find((need) => times.get(need).end === start) : null;
  }
  return { minutes: last === null ? 0 : times.get(last).end, chain };
}

/** Deals the tasks out to workers; each takes the next task that can start first. */
export function schedule(tasks, workers, goals) {
  if (!(workers >= 1)) throw new TaskError('at least one worker is needed');
  const open = order(tasks, goals);
  const ends = new Map();
  const free = new Array(workers).fill(0);
  const rows = [];
  while (open.length) {
    let best = null;
    const worker = free.indexOf(Math.min(...free));
    for (const name of open) {
      const { needs } = tasks.get(name);
      if (!needs.every((need) => ends.has(need))) continue;
      const start = Math.max(free[worker], ...needs.map((need) => ends.get(need)));
      if (best === null || start < best.start) best = { name, start };
    }
    const end = best.start + tasks.get(best.name).minutes;
    rows.push({ worker, task: best.name, start: best.start, end });
    ends.set(best.name, end);
    free[worker] = end;
    open.splice(open.indexOf(best.name), 1);
  }
  return rows;
}
