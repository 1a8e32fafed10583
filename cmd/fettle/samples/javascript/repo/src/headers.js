'use strict';

/** Looks a header up without regard to case. */
function header(message, name) {
  const wanted = name.toLowerCase();
  const key = Object.keys(message.headers).find((k) => k.toLowerCase() === wanted);
  return key === undefined ? '' : String(message.headers[key]);
}

/** True for out-of-office notices, bounces and the like. */
function isAutomatic(message) {
  const auto = header(message, 'Auto-Submitted').toLowerCase();
  if (auto !== '' && auto !== 'no') return true;
  return /^(bulk|list|junk)$/i.test(header(message, 'Precedence'));
}

module.exports = { header, isAutomatic };
