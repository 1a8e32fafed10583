import { CycleError, UnknownTaskError } from './errors.js';

/**
 * Names of all tasks needed for the goals, every task behind the ones it
 * needs. Without goals all tasks are ordered.
 */
export function order(tasks, goals = [...tasks.keys()]) {
  const done = new Set();
  const path = [];
  const result = [];

  function visit(name, wantedBy) {
    if (path.includes(name)) {
      throw new CycleError([...path.slice(path.indexOf(name)), name]);
    }
    if (done.has(name)) return;
    const task = tasks.get(name);
    if (!task) throw new UnknownTaskError(name, wantedBy);
    path.push(name);
    for (const need of task.needs) visit(need, name);
    done.add(name);
    result.push(name);
  }

  for (const goal of goals) visit(goal, null);
  return result;
}
