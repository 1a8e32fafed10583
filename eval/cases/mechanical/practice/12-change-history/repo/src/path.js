'use strict';

/** `['lines', 0, 'unit price']` becomes `lines[0]["unit price"]`. */
function formatPath(path) {
  let out = '';
  for (const step of path) {
    if (typeof step === 'number') out += `[${step}]`;
    else if (/^[A-Za-z_$][\w$]*$/.test(step)) out += out ? `.${step}` : step;
    else out += `[${JSON.stringify(step)}]`;
  }
  return out;
}

module.exports = { formatPath };
