'use strict';

const isObject = (value) => typeof value === 'object' && value !== null;

function walk(path, before, after, changes) {
  if (Object.is(before, after)) return;
  if (!isObject(before) || !isObject(after) || Array.isArray(before) !== Array.isArray(after)) {
    changes.push({ path, before, after });
    return;
  }
  if (Array.isArray(before)) {
    const length = Math.max(before.length, after.length);
    for (let i = 0; i < length; i += 1) walk([...path, i], before[i], after[i], changes);
    return;
  }
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    walk([...path, key], before[key], after[key], changes);
  }
}

/** The changes that lead from one value to another; absent is `undefined`. */
function diff(before, after) {
  const changes = [];
  walk([], before, after, changes);
  return changes;
}

module.exports = { diff };
