'use strict';

const { formatPath } = require('../path');
const { show } = require('./show');

/** One line about one change. */
function describeChange({ path, before, after }) {
  const name = formatPath(path) || 'the record';
  if (before === undefined) return `${name} added: ${show(after)}`;
  if (after === undefined) return `${name} removed, was ${show(before)}`;
  return `${name} changed from ${show(before)} to ${show(after)}`;
}

module.exports = { describeChange };
