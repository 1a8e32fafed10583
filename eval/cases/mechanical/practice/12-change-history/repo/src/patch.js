'use strict';

const { formatPath } = require('./path');

function put(root, path, value) {
  if (path.length === 0) return value;
  let holder = root;
  for (const step of path.slice(0, -1)) {
    holder = holder[step];
    if (holder === undefined || holder === null) throw new RangeError(`no place for ${formatPath(path)}`);
  }
  const last = path[path.length - 1];
  if (value !== undefined) holder[last] = value;
  else if (Array.isArray(holder)) holder.length = Math.min(holder.length, last);
  else delete holder[last];
  return root;
}

/** A copy of the value with the changes made. */
function patch(value, changes) {
  let result = structuredClone(value);
  for (const { path, after } of changes) result = put(result, path, structuredClone(after));
  return result;
}

/** A copy of the value with the changes undone. */
function revert(value, changes) {
  let result = structuredClone(value);
  for (const { path, before } of [...changes].reverse()) result = put(result, path, structuredClone(before));
  return result;
}

module.exports = { patch, revert };
