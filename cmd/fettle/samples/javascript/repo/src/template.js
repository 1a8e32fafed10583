'use strict';

/** Fills `{{ name }}` and `{{ name | default }}` from the values. */
function render(template, values) {
  return template.replace(/\{\{\s*(\w+)\s*(?:\|\s*([^}]*?)\s*)?\}\}/g, (whole, key, otherwise) => {
    const value = values[key];
    if (value !== undefined && value !== null && value !== '') return String(value);
    if (otherwise !== undefined) return otherwise;
    throw new Error(`no value for ${key}`);
  });
}

module.exports = { render };
