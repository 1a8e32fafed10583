'use strict';

/** Joins base and path and adds the query; absent values are left out. */
function buildUrl(base, path, query = {}) {
  const url = base.replace(/\/+$/, '') + '/' + path.replace(/^\/+/, '');
  const params = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue;
    for (const one of [].concat(value)) params.append(key, one);
  }
  const text = params.toString();
  return text ? `${url}?${text}` : url;
}

module.exports = { buildUrl };
