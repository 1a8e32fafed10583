/** Questions about the tasks and what they need. */

export function dependents(tasks, name) {
  const out = [];
  for (const task of tasks.values()) {
    if (task.needs.includes(name)) out.push(task.name);
  }
  return out.sort();
}

/** Everything that has to be done again when the named tasks change. */
export function affected(tasks, names) {
  const seen = new Set(names);
  const queue = [...names];
  while (queue.length) {
    const name = queue.shift();
    for (const next of dependents(tasks, name)) {
      if (seen.has(next)) continue;
      seen.add(next);
      queue.push(next);
    }
  }
  return [...seen].sort();
}

export function leaves(tasks) {
  return [...tasks.values()].filter((t) => t.needs.length === 0).map((t) => t.name).sort();
}

export function toDot(tasks) {
  const rows = [];
  for (const task of tasks.values()) {
    if (task.needs.length === 0) rows.push(`  "${task.name}";`);
    for (const need of task.needs) rows.push(`  "${need}" -> "${task.name}";`);
  }
  return ['digraph tasks {', ...rows, '}'].join('\n');
}
