'use strict';

/** Milliseconds to wait by the Retry-After header, or null without one. */
function retryAfter(headers, now) {
  const value = headers && headers['retry-after'];
  if (value === undefined || value === null || value === '') return null;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

module.exports = { retryAfter };
