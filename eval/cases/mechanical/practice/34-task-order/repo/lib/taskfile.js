import { TaskError } from './errors.js';

/**
 * Reads lines such as
 *   build: compile assets  @ 12
 * name, the tasks which must be done before, and the minutes it takes.
 */
export function parseTasks(text) {
  const tasks = new Map();
  text.split('\n').forEach((raw, index) => {
    const line = raw.replace(/#.*$/, '').trim();
    if (!line) return;
    const found = /^([\w.-]+)\s*:\s*([^@]*?)\s*(?:@\s*(\d+))?$/.exec(line);
    if (!found) throw new TaskError(`line ${index + 1}: cannot read ${JSON.stringify(line)}`);
    const [, name, needs, minutes] = found;
    if (tasks.has(name)) throw new TaskError(`line ${index + 1}: task ${name} is there already`);
    tasks.set(name, {
      name,
      needs: needs ? [...new Set(needs.split(/\s+/))] : [],
      minutes: minutes === undefined ? 1 : Number(minutes),
    });
  });
  return tasks;
}
